"""Ratios of the predicted errors, which the page uses too."""

from hdp.figures.user_level.algorithm_2 import predicted


def ratio(top, bottom):
    def at(**values):
        found = predicted(**values)
        return found[top] / found[bottom]

    return at


REFERENCES = {"cfmt-algorithm-2-ratio": {"Algorithm 2": ratio(2, 1), "private ideal": ratio(1, 0)}}
