"""A count with noise, by `hdp.noise`, and beliefs by randomised response, which has the largest odds of a budget."""

from hdp.noise import Laplace, RandomizedResponse


def around(count):
    """Density of a noisy count."""
    return lambda s, epsilon: Laplace(1 / epsilon).density(s - count)


def odds(epsilon):
    truth = RandomizedResponse(epsilon).truth_probability
    return truth / (1 - truth)


def believed(prior, ratio):
    """Bayes' rule for an answer of this likelihood ratio."""
    return prior * ratio / (prior * ratio + 1 - prior)


def most(p_prior, epsilon):
    return believed(p_prior, odds(epsilon))


def least(p_prior, epsilon):
    return believed(p_prior, 1 / odds(epsilon))


REFERENCES = {
    "two-answers": {
        "if she said yes": around(3),
        "if she said no": around(2),
        "scale of the noise": lambda epsilon: 1 / epsilon,
        "an answer changes": odds,
    },
    "what-an-attacker-concludes": {
        "at most": most,
        "at least": least,
        "nothing learnt": lambda p_prior: p_prior,
        "the belief of": lambda q_prior, epsilon: (q_prior, most(q_prior, epsilon)),
        "after the answer": lambda q_prior, epsilon: most(q_prior, epsilon),
        "and at least": lambda q_prior, epsilon: least(q_prior, epsilon),
    },
}
