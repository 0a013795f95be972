"""Everything public states its types, which hold together: `hdp/py.typed` promises them to the users' checkers."""

import inspect
import subprocess
import sys
from functools import cached_property

from tests.book.test_reference import CALLABLE
from tests.files import ROOT


def signatures(thing):
    """The function itself, or the constructor and all public methods and properties of a class."""
    if not getattr(thing, "_is_protocol", False):  # nobody makes one
        yield inspect.signature(thing), not inspect.isclass(thing)
    for key, member in vars(thing).items() if inspect.isclass(thing) else ():
        member = member.func if isinstance(member, cached_property) else getattr(member, "fget", member)
        member = getattr(member, "__func__", member)  # of a class method
        if inspect.isfunction(member) and not key.startswith("_"):
            yield inspect.signature(member), True


def test_every_public_signature_is_typed(subtests):
    """Every parameter, and the result of whatever is no constructor."""
    for name in CALLABLE:
        with subtests.test(name):
            for signature, returns in signatures(CALLABLE[name]):
                wanted = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
                assert [p.name for p in wanted if p.annotation is p.empty] == [], signature
                assert not returns or signature.return_annotation is not signature.empty, signature


def test_the_types_hold_together():
    """As mypy sees them, within the functions too."""
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
