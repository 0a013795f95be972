"""How tests read the numbers that figures and tables write."""

import re

_POWER = re.compile(r"(-?)(?:([\d.]+)·)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read_number(text):
    """Return the number that a text shows, with separated thousands or a power of ten; of a switch, 0 or 1.

    >>> read_number("12,350"), read_number("1.5·10⁻⁷"), read_number("-10⁹"), read_number("yes")
    (12350.0, 1.5e-07, -1000000000.0, 1.0)
    """
    if text in ("no", "yes"):
        return float(text == "yes")
    text = text.replace("−", "-")
    if power := _POWER.fullmatch(text):
        return float(f"{power[1]}{power[2] or 1}e{power[3].translate(_LOWERED)}")
    return float(text.replace(",", "").replace("∞", "inf"))
