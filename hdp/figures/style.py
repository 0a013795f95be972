"""How each estimator is drawn, in every figure: keywords of a `Curve`, by the name with which its label begins.

What belongs to an estimator without being its error, as its level or its privacy loss, is drawn as it is, and so is
what takes its place among purchases and limits.
"""

DRAWN = {
    # one curator whom all trust
    "ADPM": {"colour": 0, "width": 3},
    "PropDPM": {"colour": 1, "dash": (8, 4)},
    "LDPE": {"colour": 2, "dash": (3, 3)},
    "SM": {"colour": 3, "dash": (10, 3, 2, 3)},
    "UNI": {"colour": 4, "width": 1.6},
    "FME": {"colour": 6, "dash": (12, 3)},
    "best threshold": {"colour": 6, "dash": (4, 2), "width": 3},
    # mixed trust
    "KVH": {"colour": 1, "width": 3},
    "PWH": {"colour": 0, "dash": (8, 4)},
    "naive": {"colour": 5, "dash": (2, 3)},
    "cautious": {"colour": 4, "dash": (10, 3, 2, 3)},  # or whatever believes in some variance
    "TCM-Only": {"colour": 3, "dash": (3, 3)},
    "Full-LM": {"colour": 2, "dash": (8, 4)},
    "LM-Only": {"colour": 4, "dash": (2, 3)},
    "mixed release": {"colour": 5, "width": 3},
    "one bit": {"colour": 3, "width": 1.6},
    "nobody trusts": {"colour": 2, "width": 5},  # below those that come close
    # users with several samples
    "every sample alike": {"colour": 0},
    # what is compared with them
    "given data": {"colour": 5, "dash": (8, 4), "width": 3},
    "sampling error alone": {"colour": 6, "dash": (8, 4), "width": 1.6},
}
