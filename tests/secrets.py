"""Values that can be told in a text, and whether an exception shows one, or an exception behind it does."""

MARKERS = ["7.123456789", "0.123456789", "-0.123456789", "marker", "1e123456789", "7123456789"]
_TOLD = ("123456789", "marker")


def shown(wrong):
    """The texts of an exception, of its causes and of its contexts in which a marker stands."""
    found, waiting, known = [], [wrong], set()
    while waiting:
        error = waiting.pop()
        if error is None or id(error) in known:
            continue
        known.add(id(error))
        text = " ".join([str(error), repr(error), *getattr(error, "__notes__", [])])
        found += [text] if any(mark in text for mark in _TOLD) else []
        waiting += [error.__cause__, error.__context__]
    return found
