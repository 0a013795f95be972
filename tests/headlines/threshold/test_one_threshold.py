"""One threshold, and what clipping does instead."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hdp import threshold
from tests.headlines.common import SIZES, groups, says, thorough

NOT_ASKED = {}


@says("threshold/one-threshold", "Beside a public group one well-chosen threshold errs less than twice as much")
@thorough
@given(SIZES, SIZES, st.floats(1e-4, 30))
def test_one_private_level_beside_public_users(private, public, epsilon):
    e = groups((private, public), (epsilon, np.inf))
    assert threshold.threshold_mse(e) < 2 * threshold.affine_mse(e)
