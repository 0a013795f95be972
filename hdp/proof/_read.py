"""Read what a reader types in answer to an exercise: a number, a formula in named symbols, or a call of the library.

Numbers and formulas are read by a grammar of their own, and nothing of them is executed; of a call only `CALLS` is.
"""

import ast
import re

import sympy as sp

LETTERS = "αβγδεϵζηθκλμνξπρσςτφϕχψωℓ"
NAMES = "alpha beta gamma delta epsilon epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma sigma tau phi phi chi"
GREEK = dict(zip(LETTERS, [*NAMES.split(), "psi", "omega", "ell"], strict=True))
SIGNS = str.maketrans("−–·×÷₀₁₂₃₄₅₆₇₈₉[]{}", "--**/0123456789()()") | {ord("²"): "^2", ord("³"): "^3"}
ROOT = re.compile(r"√(?: *(\d+(?:\.\d+)?)(?! *(?:[\w.(^%]|\*\*)))?")  # and a number by itself: √2n could be either
TOKEN = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[^\W\d]\w*|\*\*|\S")
FUNCTIONS = {name: getattr(sp, name) for name in "exp log sqrt sinh cosh tanh coth asin acos atan Min Max".split()}
FUNCTIONS |= {"ln": sp.log, "arcsin": sp.asin, "abs": sp.Abs, "min": sp.Min, "max": sp.Max}
CONSTANTS = {"e": sp.E, "E": sp.E, "pi": sp.pi}
COMMA = "Write decimals with a point, and no comma."
POWERS = (sp.exp, sp.sinh, sp.cosh)
TOO_LARGE = "This power is too large to be computed."
LONGEST, LARGEST, BITS = 300, 1000, 10**5  # of characters, exponents, and whole numbers
OPERATIONS = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: power(a, b),
}
CALLS = (ast.Expression, ast.Call, ast.keyword, ast.Attribute, ast.Name, ast.Constant, ast.List, ast.Tuple, ast.BinOp)
CALLS += (ast.UnaryOp, ast.operator, ast.unaryop, ast.Load)
BUILTINS = {"len": len, "sum": sum, "min": min, "max": max, "abs": abs}


class Unread(ValueError):
    """What was typed cannot be read, and why."""


def formula(text, names=()):
    """Read a formula in these names, with ^ for powers, Greek letters, per cent and products without a sign."""
    text = ROOT.sub(lambda found: f" sqrt({found[1]})" if found[1] else " sqrt ", text.translate(SIGNS))
    text = re.sub(f"([{LETTERS}])(?:_?([0-9]+)|_([A-Za-z]+))?", greek, text)
    if not text.strip() or len(text) > LONGEST:
        raise Unread("Write a formula" + said(names) if names else "Write a number, such as 0.75, 3/4 or sqrt(2).")
    code, table, factor, before = "", [], False, ""  # is what stands before a factor?
    for token in TOKEN.findall(text):
        if before in FUNCTIONS and before not in names and token != "(":
            raise Unread(f"Write {before} with parentheses, as in {before}(2).")
        if factor and (token[0].isalpha() or token == "(" or (token[0] in ".0123456789" and not before[0].isdigit())):
            code += "*"
        code, before = code + " ", token
        if token[0].isalpha():
            found = word(token, names)
            code += "*".join(f"n{len(table) + i}" for i in range(len(found)))
            factor = found[0] not in FUNCTIONS.values()
            table += found
        elif token[0].isdigit() or token in ("(", ")", "%", "^") or token in "**+-/," or token[0] == ".":
            code += {"^": "**", "%": ".percent"}.get(token, token)  # as an attribute it binds before any other sign
            factor = token[0].isdigit() or token in (")", "%") or (token[0] == "." and len(token) > 1)
        else:
            raise Unread(f"The sign {token} cannot be read here.")
    try:
        found = value(ast.parse(code.strip(), mode="eval").body, table)
    except (SyntaxError, TypeError, AttributeError, RecursionError):
        found = None
    if not isinstance(found, sp.Expr):
        raise Unread("This cannot be read: is a parenthesis or a sign missing?")
    return found


def divisor(text, names):
    """The letters side by side after a stroke, of which only the first divides; empty where there are none."""
    words = re.findall(r"/\s*([A-Za-z]{2,})(?![A-Za-z_0-9(])", text)
    return next((found for found in words if found not in names and set(found) <= set(names)), "")


def greek(found):
    """Return the name of a letter, with its index."""
    letter, number, word = found.groups(default="")
    return f" {GREEK[letter]}{'_' if number or word else ''}{number}{word} "


def word(token, names):
    """Return what a word stands for: a name, another way to write it, or letters side by side."""
    whole = re.sub(r"^eps(?=_|\d|$)", "epsilon", token)
    for name in (whole, re.sub(r"(?<=[a-zA-Z])(\d+)$", r"_\1", whole)):
        if name in names:
            return [symbol(name)]
    known = FUNCTIONS | CONSTANTS
    if token in known:
        return [known[token]]
    if all(letter in names for letter in token):
        return [symbol(letter) for letter in token]
    raise Unread(f"The name {token} is not known here.  Write {'a formula' + said(names) if names else 'a number.'}")


def symbol(name):
    """Return the symbol of a name; here all are positive."""
    return sp.Symbol(name, positive=True)


def said(names):
    """Say in which names a formula is wanted."""
    return f" in {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))}."


def value(node, table):
    """Compute a formula that Python's grammar has taken apart, with sympy's operations and nothing else."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return sp.Rational(str(number))
        case ast.Name(id=name):
            return table[int(name[1:])]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=inner):
            return value(inner, table) * (-1 if isinstance(sign, ast.USub) else 1)
        case ast.Call(func=ast.Name() as function, args=args, keywords=[]):
            function = value(function, table)
            if len(args) > 1 and function not in (sp.Min, sp.Max):
                raise Unread(COMMA)
            terms = [value(arg, table) for arg in args]
            return function(*map(bounded, terms) if function in POWERS else terms)
        case ast.Attribute(value=inner, attr="percent"):
            return value(inner, table) / 100
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATIONS:
            return OPERATIONS[type(op)](value(left, table), value(right, table))
        case ast.Tuple():
            raise Unread(COMMA)
    raise Unread("This cannot be read as a formula.")


def power(base, exponent):
    """Return a power that can be computed."""
    exact = base.is_Rational and exponent.is_Rational
    if exact and not max(base.p.bit_length(), base.q.bit_length()) * abs(exponent) <= BITS:
        raise Unread(TOO_LARGE)
    return base ** bounded(exponent)


def bounded(exponent):
    """Return an exponent that is not too large where names stand for large numbers."""
    if grows(exponent) if exponent.free_symbols else not abs(exponent) <= LARGEST:
        raise Unread(TOO_LARGE)
    return exponent


def grows(term):
    """Say whether a formula grows like a power whose exponent has names, or is very large."""
    if isinstance(term, sp.log):
        return False
    if term.is_Pow and (term.exp.free_symbols or not abs(term.exp) <= LARGEST):
        return True
    return isinstance(term, POWERS) or any(map(grows, term.args))


def call(text, arguments, known):
    """Read an expression in Python as a function of these arguments, in the names that the page knows."""
    if not text.strip() or len(text) > LONGEST:
        raise Unread(f"Write a call of the library{said(arguments)}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        raise Unread("This is not an expression in Python: is a parenthesis missing?") from None
    for node in ast.walk(tree):
        if not isinstance(node, CALLS) or getattr(node, "attr", "").startswith("_"):
            raise Unread("Write one call, with numbers, lists and names only.")
        if isinstance(node, ast.Name) and (node.id[0] == "_" or node.id not in {*arguments, *BUILTINS, *known}):
            raise Unread(f"The name {node.id} is not known here.")
    return function(ast.unparse(tree), arguments, known)


def function(code, arguments, known):
    """Return the function of these arguments that an expression is."""
    return eval(f"lambda {', '.join(arguments)}: {code}", {**BUILTINS, **known, "__builtins__": {}})
