"""Mean estimation under unequal privacy: the library of the executable book.

The core modules need NumPy and SciPy only: `clipping`, `noise`, `notions`, `affine`, `robust` for wrong variances, and
`intervals`; `estimator` says what every estimator is; `adpm`, `linear`, `given_data`, `minimax`, `baselines` for a
budget of each user's own; `buying` for privacy that is for sale; `threshold` for one threshold; `hybrid`, `kmeans`,
`amplification` and `laplace_sum` for two models of trust; `user_level` for users with several samples; `salaries` draws
a synthetic population; `users` reads who they are; `compare` ranks the estimators of all of these on one population.
`release` makes releases about real people, in whole numbers and with OpenDP's noise
(``pip install 'unequal-privacy[opendp]'``).
`at_scale` finds the weights of more users than one array should hold, from files and on clusters
(``pip install 'unequal-privacy[arrow,cluster]'``).
`simulate` runs estimators in parallel with joblib (``pip install 'unequal-privacy[simulate]'``).
`sym` states every closed form for sympy, `figures` declares every figure, `explore` shows them, and `proof`
checks derivations (``pip install 'unequal-privacy[simulate,explore]'``).

Every function refuses an argument that lies outside its range, or whose shape does not fit, by a `ValueError` that
names it.

.. warning::
   `hdp` is for research, except for `release`.
   All else samples its noise in floating point, which is not safe for a real release: the low-order bits of the
   output can reveal the data (Mironov, *On significance of the least significant bits for differential
   privacy*, CCS 2012).
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hdp.adpm import ADPM
    from hdp.given_data import GivenData
    from hdp.linear import Linear
    from hdp.threshold import Threshold
    from hdp.users import Users, read_users

__all__ = ["ADPM", "GivenData", "Linear", "Threshold", "Users", "read_users"]
__version__ = "1.0.0"

_MODULES = {"Users": "users", "read_users": "users", "GivenData": "given_data"}


def __getattr__(name):
    # Loaded when asked for: in a page Python starts, and `hdp.proof` works, before SciPy has come.
    if name in __all__:
        return getattr(import_module(f"hdp.{_MODULES.get(name, name.lower())}"), name)
    raise AttributeError(f"module 'hdp' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
