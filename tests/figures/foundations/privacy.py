"""The Laplace mechanism, by `hdp.noise`."""

import numpy as np

from hdp.noise import Laplace


def density(s, w, eta, x):
    return Laplace(eta).density(s - w * x)


REFERENCES = {
    "laplace-densities": {
        "density if she holds x": density,
        "density if she holds x′": lambda s, w, eta, x_prime: density(s, w, eta, x_prime),
        "most that privacy allows": lambda s, w, eta, x_prime: np.exp(w / eta) * density(s, w, eta, x_prime),
        "guaranteed loss": lambda w, eta: Laplace(eta).privacy_loss(-9.0, w),
    },
    "laplace-privacy-loss": {
        "log of the ratio": lambda s, w, eta, x, x_prime: np.log(density(s, w, eta, x) / density(s, w, eta, x_prime)),
        "upper limit": lambda w, eta: w / eta,
        "lower limit": lambda w, eta: -w / eta,
        "largest loss": lambda w, eta, x, x_prime: np.abs(
            Laplace(eta).privacy_loss([-9.0, 9.0], w * (x_prime - x))
        ).max(),
    },
}
