"""Mean estimation under unequal privacy: the library of the executable book.

The core modules need NumPy and SciPy only: `clipping`, `noise`, `notions`, `affine`, `robust` for wrong variances, and
`intervals`; `estimator` says what every estimator is; `adpm`, `linear`, `given_data`, `minimax`, `baselines` for a
budget of each user's own; `buying` for privacy that is for sale; `threshold` for one threshold; `hybrid`, `kmeans`,
`amplification` and `laplace_sum` for two models of trust; `user_level` for users with several samples; `salaries` draws
a synthetic population; `compare` ranks the estimators of all of these on one population.
`release` makes releases about real people, in whole numbers and with OpenDP's noise
(``pip install 'unequal-privacy[opendp]'``).
`at_scale` finds the weights of more users than one array should hold, from files and on clusters
(``pip install 'unequal-privacy[arrow,cluster]'``).
`simulate` runs estimators in parallel with joblib (``pip install 'unequal-privacy[simulate]'``).
`sym` states every closed form for sympy, `figures` declares every figure, `explore` shows them, and `proof`
checks derivations (``pip install 'unequal-privacy[simulate,explore]'``).

.. warning::
   `hdp` is for research, except for `release`.
   All else samples its noise in floating point, which is not safe for a real release: the low-order bits of the
   output can reveal the data (Mironov, *On significance of the least significant bits for differential
   privacy*, CCS 2012).
"""

__version__ = "1.0.0"
