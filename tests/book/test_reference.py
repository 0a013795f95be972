"""The reference part: names of code that exist, an API whose every name is documented and can be linked to, seeds."""

import doctest
import importlib
import inspect
import pkgutil
import re

import pytest
from numpydoc.validate import validate

from tests.book.test_publication import EXECUTED, sources
from tests.files import ROOT, SITE, read

MODULES = re.findall(r"^   (hdp\.\w+)$", read("book/reference/api.md"), re.M)
LIBRARY = {name: importlib.import_module(name) for name in MODULES}
PUBLIC = {f"{name}.{key}": getattr(module, key) for name, module in LIBRARY.items() for key in module.__all__}
CALLABLE = {name: thing for name, thing in PUBLIC.items() if callable(thing)}
CLASSES = {name: thing for name, thing in CALLABLE.items() if inspect.isclass(thing)}
NOT_ASKED = {"ES01", "RT02", "SA01", "SS05"}  # extended summaries, types of results alone, "see also", verbs
# What a table of notation may name: public objects and modules, members, arguments.
NAMES = {part for name in PUBLIC for part in name.split(".")} | {"dict", "sym", "symbols"}
NAMES |= {name for thing in CALLABLE.values() for name in inspect.signature(thing).parameters}
NAMES |= {name for cls in CLASSES.values() for name in dir(cls)}
NOTATION = [name for name, text in EXECUTED.items() if "{fold} Notation\n" in text]


def cells_of(text, column):
    """The codes in one column of the tables of a text."""
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line.startswith("|")]
    return [code for row in rows if len(row) > 3 or column < 0 for code in re.findall(r"`([^`]+)`", row[column])]


def test_every_code_name_of_the_notation_exists():
    """Arguments, functions, members of classes, and symbols of hdp.sym."""
    named = {code for code in cells_of(read("book/reference/notation.md"), 3) if re.fullmatch("[A-Za-z_.]+", code)}
    owners = [(name, *name.rpartition(".")[::2]) for name in named]
    modules = {owner: importlib.import_module(f"hdp.{owner}") for _, owner, _ in owners if owner.startswith("sym.")}
    wrong = [name for name, owner, member in owners if owner in modules and not hasattr(modules[owner], member)]
    wrong += [name for name, owner, _ in owners if owner not in modules and not NAMES.issuperset(name.split("."))]
    wrong += [name for name, owner, _ in owners if f"hdp.{owner}" in LIBRARY and f"hdp.{name}" not in PUBLIC]
    assert len(named) > 50 and wrong == []


@pytest.mark.parametrize("page", NOTATION)
def test_every_code_name_of_a_setting_exists(page):
    """In the library, in the modules that the page imports, or in its cells; what a call is given is an example."""
    first, *others = sources(EXECUTED[page])
    bound, table = {}, EXECUTED[page].partition("{fold} Notation\n")[2].partition("\n```")[0]
    exec(first, bound)
    known = NAMES.union(bound, re.findall(r"\w+", "\n".join(others)), *map(dir, bound.values()))
    codes = [re.sub(r"\(.*\)", "", code) for code in cells_of(table, -1)]
    assert codes and {name for code in codes for name in re.findall(r"[A-Za-z_]\w*", code)} <= known


def test_every_generator_has_a_seed():
    """As the page on the build promises: no global generator, no seed from the operating system."""
    hidden = re.compile(r"random\.(?:seed|rand|randn|random|normal|uniform|choice)\(|default_rng\(\)|SeedSequence\(\)")
    files = [*(ROOT / "book").rglob("*.md"), *(ROOT / "hdp").rglob("*.py")]
    assert len(files) > 100 and [path for path in files if hidden.search(path.read_text(encoding="utf-8"))] == []


def test_every_public_module_is_listed_and_every_name_can_be_linked_to():
    """Modules that do not begin with an underscore; sym and figures are the chapters' own."""
    on_disk = {f"hdp.{m.name}" for m in pkgutil.iter_modules([ROOT / "hdp"]) if not m.name.startswith("_")}
    on_disk -= {"hdp.sym", "hdp.figures", "hdp.gaussian"}  # the last one's functions are those of `amplification`
    assert set(MODULES) == on_disk and len(CALLABLE) >= 80
    pages = [path.read_text(encoding="utf-8") for path in (SITE / "book/reference/api").glob("*.html")]
    assert set(PUBLIC) <= set(re.findall(r'\bid="(hdp\.[\w.]+)"', "".join(pages)))


@pytest.mark.parametrize("name", CALLABLE)
def test_every_public_name_is_documented(name):
    """As numpydoc asks, with an example that names it; members in a sentence that names their arguments."""
    thing = CALLABLE[name]
    not_asked = {*NOT_ASKED, *(["PR01"] if getattr(thing, "_is_protocol", False) else [])}  # nobody makes a protocol
    assert [error for error in validate(name)["errors"] if error[0] not in not_asked] == []
    examples = doctest.DocTestParser().get_examples(thing.__doc__)
    # What a function returns, such as a release, may be shown in the example of that function.
    assert examples and (name in CLASSES or any(thing.__name__ in example.source for example in examples))
    for key, member in vars(thing).items() if name in CLASSES else ():
        member = getattr(member, "__func__", member)  # of a class method
        if not key.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
            arguments = [] if isinstance(member, property) else list(inspect.signature(member).parameters)[1:]
            said = inspect.getdoc(member)
            assert said and all(re.search(rf"\b{argument}\b", said) for argument in arguments), key
