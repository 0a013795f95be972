"""The reference part: notation that agrees with the chapters, an API whose every name is documented."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re

import numpydoc
import pytest
from numpydoc.docscrape import FunctionDoc
from numpydoc.validate import validate
from pybtex.database import parse_file

from tests.book.test_chapters import EXECUTED, TEMPLATE_PAGE, sources
from tests.files import ROOT, SITE, built_text, read

REFERENCE = ROOT / "book" / "reference"
MODULES = re.findall(r"^   (hdp\.\w+)$", read("book/reference/api.md"), re.M)

# -- notation ------------------------------------------------------------------------------------------------


def table(text):
    """Rows of cells of the first table in a text, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


NOTATION = {
    name: table(text)
    for name, text in re.findall(
        r"^\(notation-([a-z-]+)\)=\n(.*?)(?=^\(notation-|\Z)",
        read("book/reference/notation.md"),
        re.M | re.S,
    )
}
PARTS = [name for name in NOTATION if name not in ("shared", "local", "conflicts")]
SETTINGS = {
    name.removeprefix("book/"): text
    for name, text in EXECUTED.items()
    if "{fold} Notation\n" in text and name not in TEMPLATE_PAGE
}
EVERY_SETTING = pytest.mark.parametrize("page", SETTINGS)


def setting(page):
    """Rows (paper, book, code) of the table in the fold Notation of a page."""
    return table(SETTINGS[page].split("{fold} Notation\n")[1].split("\n```")[0])


# -- names of code in both -----------------------------------------------------------------------------------


# Every public object of the documented modules, by its full name.
LIBRARY = {name: importlib.import_module(name) for name in MODULES}
PUBLIC = {f"{name}.{key}": getattr(module, key) for name, module in LIBRARY.items() for key in module.__all__}
CALLABLE = {name: thing for name, thing in PUBLIC.items() if callable(thing)}
CLASSES = {name: thing for name, thing in CALLABLE.items() if inspect.isclass(thing)}


def attributes(cls):
    """Fields, properties and methods of a class."""
    return {name for name in dir(cls) if not name.startswith("_")} | set(inspect.signature(cls).parameters)


ARGUMENTS = set().union(*(inspect.signature(thing).parameters for thing in CALLABLE.values()))
MEMBERS = set().union(*(attributes(cls) for cls in CLASSES.values()))
NAMES = ARGUMENTS | MEMBERS | {name.rsplit(".", 1)[1] for name in PUBLIC}


def exists(name):
    """Whether a name of the notation is an argument, or an object below hdp, or a member of a public class."""
    owner, _, member = name.rpartition(".")
    if not owner:
        return name in ARGUMENTS
    if any(qualified.endswith(f".{owner}") and member in attributes(cls) for qualified, cls in CLASSES.items()):
        return True
    return f"hdp.{name}" in PUBLIC or (
        owner.startswith("sym.") and hasattr(importlib.import_module(f"hdp.{owner}"), member)
    )


@pytest.mark.parametrize("part", ["shared", *PARTS])
def test_every_code_name_of_the_notation_exists(part):
    """Arguments, functions, members of classes, and symbols of hdp.sym."""
    names = [name for row in NOTATION[part] for name in re.findall(r"`([A-Za-z_.]+)`", row[3])]
    assert names and [name for name in names if not exists(name)] == []


def namespace(page):
    """What the import cell of a page binds, what the modules of hdp among it hold, what its other cells name."""
    first, *others = sources(SETTINGS[page])
    bound = {}
    exec(first, bound)
    held = [vars(thing) for thing in bound.values() if getattr(thing, "__name__", "").startswith("hdp.")]
    named = [node.id for cell in others for node in ast.walk(ast.parse(cell)) if isinstance(node, ast.Name)]
    return bound, set(named).union(*held)


def held_by(name, bound):
    """The object of this dotted name in the page's imports, or None."""
    head, *rest = name.split(".")
    thing = bound.get(head)
    for part in rest:
        thing = getattr(thing, part, None)
    return thing


def missing(node, bound, names):
    """Names in an expression of a Notation table that nothing gives; what a call is given is only an example."""
    if isinstance(node, ast.Call):
        wrong = [keyword.arg for keyword in node.keywords if keyword.arg not in ARGUMENTS]
        return wrong + missing(node.func, bound, names)
    if isinstance(node, ast.Attribute):
        owner = held_by(ast.unparse(node.value), bound)
        held = set(dir(owner)) | (attributes(owner) if inspect.isclass(owner) else set())
        known = node.attr in (held if owner else MEMBERS) or f"hdp.{ast.unparse(node)}" in PUBLIC
        return [] if known else [ast.unparse(node)]
    if isinstance(node, ast.Name):
        return [] if node.id in NAMES | names | set(bound) else [node.id]
    return [name for child in ast.iter_child_nodes(node) for name in missing(child, bound, names)]


@EVERY_SETTING
def test_every_code_name_of_a_setting_exists(page):
    """In the modules that the page imports, in the library's arguments and members, or in the page's cells."""
    bound, names = namespace(page)
    for _, _, code in setting(page):
        for text in re.findall(r"`([^`]+)`", code):
            text = f"dict({text})" if re.match(r"\w+=", text) else text.replace("...", "None")
            assert missing(ast.parse(text, mode="eval").body, bound | {"dict": dict}, names) == [], text


# -- seeds ---------------------------------------------------------------------------------------------------


def test_every_generator_has_a_seed():
    """As the page on the build promises: no global generator, no seed from the operating system."""
    sources = [*(ROOT / "book").rglob("*.md"), *(ROOT / "hdp").rglob("*.py")]
    hidden = (
        r"(?:np|numpy)\.random\.(?:seed|rand|randn|random|normal|uniform|choice)\(|default_rng\(\)|SeedSequence\(\)"
    )
    drawn = {path.name: re.findall(hidden, path.read_text(encoding="utf-8")) for path in sources}
    assert len(sources) > 100 and {name: found for name, found in drawn.items() if found} == {}


# -- the library ---------------------------------------------------------------------------------------------


EVERY_NAME = pytest.mark.parametrize("name", CALLABLE)
NOT_ASKED = {  # of the rules of numpydoc.validate
    "ES01": "a summary and a formula may say it all",
    "RT02": "results of one kind may be described together",
    "SA01": "related names stand in the text",
    "SS05": "takes nouns in the plural, such as Weights, for verbs",
}


def test_every_public_module_is_listed():
    """Modules of the library that do not begin with an underscore; sym and figures are the chapters' own."""
    on_disk = {f"hdp.{m.name}" for m in pkgutil.iter_modules([ROOT / "hdp"]) if not m.name.startswith("_")}
    on_disk -= {"hdp.sym", "hdp.figures", "hdp.gaussian"}  # the last one's functions are those of `amplification`
    assert set(MODULES) == on_disk and len(CALLABLE) >= 80
    pages = "".join(path.read_text(encoding="utf-8") for path in (REFERENCE / "api").glob("*.md"))
    for module in MODULES:
        assert f".. automodule:: {module}\n   :members:" in pages, module
    constants = [name.rsplit(".", 1)[1] for name in PUBLIC if name not in CALLABLE]
    assert sorted(re.findall(r"^\.\. py:data:: (\w+)", pages, re.M)) == sorted(constants)


@EVERY_NAME
def test_every_public_name_is_documented(name):
    """As numpydoc asks, with an example that doctest finds and that names it, and when it raises by its own hand."""
    thing = CALLABLE[name]
    not_asked = {*NOT_ASKED, *(["PR01"] if getattr(thing, "_is_protocol", False) else [])}  # nobody makes a protocol
    assert [error for error in validate(name)["errors"] if error[0] not in not_asked] == []
    doc = FunctionDoc(thing)
    examples = doctest.DocTestParser().get_examples(thing.__doc__)
    # What a function returns, such as a release, may be shown in the example of that function.
    assert examples and (inspect.isclass(thing) or any(thing.__name__ in example.source for example in examples))
    checks = getattr(thing, "__post_init__", thing) if inspect.isclass(thing) else thing
    assert doc["Raises"] or "raise ValueError" not in inspect.getsource(checks)


@pytest.mark.parametrize("name", CLASSES)
def test_every_member_is_documented(name):
    """In a sentence that names its arguments, or with a list of them."""
    for key, member in vars(CLASSES[name]).items():
        member = getattr(member, "__func__", member)  # of a class method
        if key.startswith("_") or not (inspect.isfunction(member) or isinstance(member, property)):
            continue
        assert inspect.getdoc(member), key
        arguments = [] if isinstance(member, property) else list(inspect.signature(member).parameters)[1:]
        assert [a for a in arguments if not re.search(rf"\b{a}\b", inspect.getdoc(member))] == [], key


# -- the built pages -----------------------------------------------------------------------------------------


def test_every_public_name_can_be_linked_to():
    """Each has an anchor with its full name, on one of the pages."""
    anchors = set()
    for path in (SITE / "book/reference/api").glob("*.html"):
        anchors |= set(re.findall(r'\bid="(hdp\.[\w.]+)"', path.read_text(encoding="utf-8")))
    assert set(PUBLIC) <= anchors


def test_every_entry_of_the_bibliography_leads_somewhere():
    """A DOI, an address or a preprint, as a link on the page for those that are cited."""
    entries = parse_file(ROOT / "book" / "references.bib").entries
    assert len(entries) >= 12
    for key, entry in entries.items():
        assert {"doi", "url", "eprint"} & set(entry.fields), key
        assert re.fullmatch(r"10\.\d{4,}/\S+", entry.fields.get("doi", "10.1000/none")), key
    page = built_text("book/reference/bibliography")
    cited = re.split(r'<div class="citation"', page)[1:]
    assert len(cited) >= 12 and all("https://" in entry for entry in cited)
    assert "doc-biblioentry" not in page, "a role that no list may hold"


def test_the_build_page_has_every_time_and_no_place():
    """One row for each page that is executed; neither the machine's name nor a folder of it."""
    page = built_text("book/reference/build")
    assert [name for name in EXECUTED.keys() - TEMPLATE_PAGE.keys() if f">{name}<" not in page] == []
    asked = set(re.findall(r"platform\.(\w+)", read("book/reference/build.md")))
    assert asked == {"python_implementation", "python_version", "system", "machine"} and str(ROOT) not in page
    assert numpydoc.__version__ in page
