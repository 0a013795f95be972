"""Where the code of a page is, by floors: what bears its chapter's name, and what it imports."""

import ast
from pathlib import Path

from docutils import nodes

from hdpbook.chapters import chapter_of
from hdpbook.notebooks import BRANCH

FLOORS = {"Statements": "hdp/sym/", "Figures": "hdp/figures/", "Library": "hdp/", "Tests": "tests/"}
OWN = (
    "hdp/sym/{}/{}.py",
    "hdp/figures/{}/{}.py",
    "tests/chapters/{}/test_{}.py",
)
TOOLS = ("hdp/explore/", "hdp/figures/shared.py", "hdp/proof/", "hdp/sym/symbols.py")  # of every page


def module(dotted, source):
    """The file of a module or the folder of a package, nothing for what is neither."""
    path = dotted.replace(".", "/")
    if Path(source, path).is_dir():
        return f"{path}/"
    return f"{path}.py" if Path(source, f"{path}.py").exists() else ""


def imported(code, source):
    """Modules of the library that a cell imports, or imports from."""
    found = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
    names = [(node.module, alias.name) for node in found for alias in node.names if node.module.split(".")[0] == "hdp"]
    return {module(f"{package}.{name}", source) or module(package, source) for package, name in names} - {"hdp/"}


def namesakes(page, source):
    """Files that bear the name of the page's chapter."""
    folder, _, name = chapter_of(page, source).removeprefix("book/").replace("-", "_").rpartition("/")
    return {path for path in (own.format(folder, name) for own in OWN) if Path(source, path).exists()}


def floors(page, code, source):
    """The files of a page on each floor, by the floor's name."""
    modules = {path for path in imported(code, source) if not path.startswith(TOOLS)}
    found = {name: [] for name in FLOORS}
    for path in sorted(modules | namesakes(page, source)):
        found[next(name for name, start in FLOORS.items() if path.startswith(start))].append(path)
    return {name: paths for name, paths in found.items() if paths}


def shown(config, page, code, source):
    """The same as a list, each file a link where there is a repository."""
    items = nodes.bullet_list(classes=["hdp-floors"])
    for name, paths in floors(page, code, source).items():
        line = nodes.paragraph("", "", nodes.strong("", f"{name}:"))
        for path in paths:
            file = nodes.literal("", path)
            if config.hdp_repository:
                file = nodes.reference("", "", file, refuri=f"{config.hdp_repository}/blob/{BRANCH}/{path.rstrip('/')}")
            line += [nodes.Text(" "), file]
        items += nodes.list_item("", line)
    return items
