"""One symbol per concept, with the assumptions that every statement of the book makes about it.

sympy identifies symbols by name and assumptions.  So what several modules of `hdp.sym` speak of is defined once, here
or where it belongs, and imported; and what only shares its letter has a name of its own, with an index.
"""

import sympy as sp

epsilon_1, epsilon_2 = sp.symbols("epsilon_1 epsilon_2", positive=True)  # budgets, epsilon_1 <= epsilon_2
n = sp.Symbol("n", positive=True)  # number of users; real, because no statement needs n f to be whole
f = sp.Symbol("f", positive=True)  # fraction of users in the stricter group, 0 <= f <= 1
r = sp.Symbol("r", positive=True)  # epsilon_2 / epsilon_1
R = sp.Symbol("R", positive=True)  # saturation ratio
tau = sp.Symbol("tau", positive=True)  # clipping level
w_1, w_2 = sp.symbols("w_1 w_2", nonnegative=True)  # weight of one user of each group
epsilon = sp.Symbol("epsilon", positive=True)  # budget of one user, or of everybody
N_1, N_2 = sp.symbols("N_1 N_2", positive=True)  # users of the two groups
v = sp.Symbol("v", positive=True)  # variance of a user's value
eta = sp.Symbol("eta", positive=True)  # scale of the Laplace noise
order = sp.Symbol("alpha_R", positive=True)  # of a divergence of Rényi


def least(*expressions):
    """Their minimum, left as it stands: sympy would try for seconds or minutes to compare them."""
    return sp.Min(*expressions, evaluate=False)


def put(values, expression):
    """The expression with these values for symbols, and each minimum as it stands: sympy would compare for seconds."""
    found = {symbol: sp.sympify(value) for symbol, value in values.items()}

    def visit(part):
        if part not in found:
            args = [visit(arg) for arg in part.args]
            kept = {"evaluate": False} if isinstance(part, sp.Min | sp.Max) else {}
            found[part] = part.func(*args, **kept) if args else part
        return found[part]

    return visit(expression)
