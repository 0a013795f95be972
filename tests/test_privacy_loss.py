"""What a release reveals on average: the divergence of two Laplace densities."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

from hdp.noise import Laplace
from hdp.sym.foundations import one_lemma as sym


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("shift", [0.01, 1.0, 7.0])
def test_mean_loss_is_the_divergence(scale, shift):
    """Numerical integration of loss times density, against d - 1 + e^-d with d = shift/scale."""
    noise = Laplace(scale)
    pieces = [(-60 * scale, 0), (0, shift), (shift, shift + 60 * scale)]
    # the other answer lies `shift` above, so the loss is largest below 0
    mean = sum(quad(lambda y: noise.density(y) * noise.privacy_loss(y, shift), *p, epsabs=0)[0] for p in pieces)
    assert mean == pytest.approx(float(sym.mean_loss.subs(sym.d, sp.Rational(shift / scale)).evalf(30)), rel=1e-9)


def test_the_full_loss_has_probability_one_half():
    """Outputs on the far side of the true answer all reveal the same."""
    outputs = np.linspace(-50, 0, 11)
    assert np.allclose(Laplace(0.5).privacy_loss(outputs, 2.0), 4.0, rtol=1e-13)
    assert (Laplace(0.5).privacy_loss(np.linspace(1e-3, 50, 11), 2.0) < 4.0).all()  # nowhere else
    assert quad(Laplace(0.5).density, -40, 0)[0] == pytest.approx(float(sym.full_loss_probability), rel=1e-12)
