"""What an answer with so much noise may do to a belief about one person."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from hdp.noise import Laplace
from tests.populations import thorough

BELIEF = st.floats(0.01, 0.99)
OTHERS = st.lists(st.floats(0.01, 1), min_size=1, max_size=6)  # how likely it is that so many others said yes
EPSILON = st.floats(0.01, 10)


def after(belief, others, epsilon, answer):
    """Bayes' rule for a count with noise, by an attacker to whom the others' answers are no sign of hers."""
    noise, chance = Laplace(1 / epsilon), np.array(others) / sum(others)
    yes, no = (chance @ noise.density(answer - her - np.arange(chance.size)) for her in (1, 0))
    return belief * yes / (belief * yes + (1 - belief) * no)


def odds(belief):
    """Of a belief."""
    return belief / (1 - belief)


@thorough
@given(BELIEF, OTHERS, EPSILON, st.floats(-6, 12))
@example(0.5, [1.0], 1.0, 3.0)
@example(0.5, [1.0], 1.0, -3.0)
def test_no_answer_moves_a_belief_further(belief, others, epsilon, answer):
    moved = np.log(odds(after(belief, others, epsilon, answer)) / odds(belief))
    assert abs(moved) <= epsilon * (1 + 1e-9)


@thorough
@given(BELIEF, OTHERS, st.floats(-6, 12), st.floats(0, 3))
@example(0.5, [1.0], 3.0, 0.0)
def test_a_tenth_moves_hardly_anything_and_ten_nearly_everything(belief, others, answer, beyond):
    assert abs(after(belief, others, 0.1, answer) - belief) < 0.03
    known = [0.0] * (len(others) - 1) + [1.0]  # all the others said yes
    assert after(belief, known, 10, len(others) + beyond) > 0.99


@thorough
@given(EPSILON, st.floats(0.1, 2).filter(lambda times: abs(times - 1) > 1e-6))
@example(1.0, 0.99)
@example(1.0, 1.01)
def test_less_noise_is_not_enough(epsilon, times):
    y = np.linspace(-6, 6, 25)
    worst = np.abs(Laplace(times / epsilon).privacy_loss(y, np.ones(25))).max()
    assert (worst > epsilon) == (times < 1)
