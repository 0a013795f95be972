"""What the kernel in a page does with a cell: run it, and show what a notebook would show.

The page has neither IPython nor myst_nb; what the chapters use of them is here.
"""

import ast
import asyncio
import base64
import builtins
import functools
import importlib
import inspect
import io
import keyword
import linecache
import logging
import os
import random
import shutil
import sys
import time
import traceback
from types import ModuleType

from js import Object
from pyodide.code import eval_code_async
from pyodide.ffi import to_js

# Where worker.js mounts them, SciPy last: meanwhile the others are imported.
OWN, SITE, SCIPY, MATPLOTLIB = (f"/images/{name}.img" for name in ("hdp", "site", "scipy", "matplotlib"))
DRAWING = os.path.expanduser("~/matplotlib")  # in the file system of the page
RICHEST = ("text/html", "image/png", "text/markdown", "text/latex", "text/plain")
LONGEST = 100_000  # characters of a result; more would only stop the page
INPUT = "input() cannot be had here, because the page's Python cannot wait for an answer: write the value into the cell"
MOST_NAMES = 500  # offered at a time
COMPUTED = functools.cached_property, classmethod, staticmethod
ASYNC = "asyncio.run() cannot be had here, because the page has a loop that runs: write `await main()` in the cell"


class Shown:
    """Text of a kind that a cell displays."""

    mime = "text/plain"

    def __init__(self, data):
        self.data = data

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self.mime: self.data}


class Shell:
    """What says to `hdp` that this is a notebook, and to matplotlib that it need not hook into one."""

    def __bool__(self):
        return False


def stand_in(name, **contents):
    """Make a module that can be imported."""
    module = ModuleType(name)
    vars(module).update(contents)
    sys.modules[name] = module
    return module


def kind(name, mime):
    """Return a class like those of IPython.display."""
    return type(name, (Shown,), {"mime": mime})


class Kernel:
    """The state of one page: the names that its cells have defined, and what they have glued."""

    def __init__(self, page, post, matplotlib):
        self.post, self.matplotlib = post, matplotlib
        self.can_draw = False
        self.fresh()
        places = f"{OWN}/site", f"{SITE}/site", f"{SCIPY}/site", DRAWING
        sys.path += [place for place in places if place not in sys.path]
        shutil.copytree(f"{OWN}/data", ".", dirs_exist_ok=True)
        folder = page.rpartition("/")[0] or "."  # where the chapter lies, with the data beside it
        os.makedirs(folder, exist_ok=True)
        os.chdir(folder)

    def fresh(self):
        """Forget what the cells have defined."""
        self.names, self.glued = {"__name__": "__main__"}, {}

    def stand_ins(self):
        """Make the modules that chapters import and this Python has not."""
        os.environ["MPLBACKEND"] = "agg"
        random.seed()  # every reader's Python remembers the same start
        time.process_time = time.perf_counter  # the former stands still here
        builtins.input, asyncio.run = cannot(INPUT), cannot(ASYNC)
        stand_in("IPython", get_ipython=Shell, version_info=(8, 24, 0)).display = stand_in(
            "IPython.display",
            display=self.display,
            HTML=kind("HTML", "text/html"),
            Latex=kind("Latex", "text/latex"),
            Markdown=kind("Markdown", "text/markdown"),
            Math=kind("Math", "text/latex"),
        )
        stand_in("myst_nb", glue=self.glue)

    def display(self, *values, **_):
        """Show values as a notebook would."""
        for value in values:
            mime, text = richest(value)
            self.post(mime, shortened(text) if mime == "text/plain" else text)

    def glue(self, name, value, display=True):
        """Keep a value that the text of the page shows."""
        self.glued[name] = str(value)
        if display:
            self.display(value)

    async def run(self, code, name):
        """Run a cell; return the error's text, or nothing, and what it glued."""
        self.glued = {}
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        try:
            if imports_matplotlib(code):
                await self.draw()
            value = await eval_code_async(code, self.names, filename=name)
            if getattr(value, "heatmap", None) is not None:  # its palette comes from there
                await self.draw()
            if value is not None:
                self.names["_"] = value
                self.display(value)
            self.pictures()
        except BaseException as error:  # the reader's code may raise anything
            return answer(shortened(told(error, name)), {})
        return answer(None, self.glued)

    def complete(self, text):
        """Return what the last name of a text may become; nothing is called for it, nor computed."""
        *path, start = text.split(".")
        try:
            known = list(dir(found(self.names, path)) if path else {*self.names, *dir(builtins), *keyword.kwlist})
        except Exception:  # no such name, or a `__dir__` that fails
            known = []
        shown = [name for name in known if name.startswith(start) and (start[:1] == "_" or name[:1] != "_")]
        return to_js(sorted(shown)[:MOST_NAMES])

    async def draw(self):
        """Fetch matplotlib, the first time."""
        if not self.can_draw:
            await self.matplotlib()
            shutil.copytree(f"{MATPLOTLIB}/site", DRAWING)  # it writes a list of fonts beside itself, and says so
            logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
            importlib.invalidate_caches()
            self.can_draw = True

    def pictures(self):
        """Show the figures that pyplot holds open."""
        if plt := sys.modules.get("matplotlib.pyplot"):
            for number in plt.get_fignums():
                self.display(plt.figure(number))
            plt.close("all")


def cannot(said):
    """Return a function that only says why it cannot be had."""

    def refuse(*given, **_):
        for coroutine in filter(inspect.iscoroutine, given):
            coroutine.close()  # or Python would complain that nobody has waited for it
        raise RuntimeError(said)

    return refuse


def shortened(text):
    """Return a text, cut where it is too long, with what is missing."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\nThe rest is cut: {len(text) - LONGEST:,} characters."


def found(names, path):
    """Return what a name and attributes of it stand for, without running a property or the `__getattr__` of a class.

    `rlcompleter` would read every attribute, which imports all of SciPy for `scipy.`.
    """
    first, *rest = path
    value = names[first] if first in names else vars(builtins)[first]
    for name in rest:
        owner, value = value, inspect.getattr_static(value, name)
        if inspect.isgetsetdescriptor(value) or inspect.ismemberdescriptor(value):  # of compiled classes, and slots
            value = getattr(owner, name)
        elif inspect.isdatadescriptor(value) or isinstance(value, COMPUTED):
            raise LookupError(name)
    return value


def answer(*parts):
    """Return values as the page's own."""
    return to_js(parts, dict_converter=Object.fromEntries)


def imports_matplotlib(code):
    """Tell whether a cell does so itself."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return False
    imported = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    imported += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return any(name.split(".")[0] == "matplotlib" for name in imported)


def richest(value):
    """Return the richest form that a page can show, as kind and text."""
    from hdp.explore import FigureSpec

    if isinstance(value, FigureSpec):
        from hdp.explore import html

        return "text/html", html.figure(value, b"")  # the page draws it; sliders of a kernel it has not
    if (figures := sys.modules.get("matplotlib.figure")) and isinstance(value, figures.Figure):
        png = io.BytesIO()
        value.savefig(png, format="png", dpi=110, bbox_inches="tight")
        return "image/png", base64.b64encode(png.getvalue()).decode()
    if hasattr(value, "_repr_mimebundle_") and not isinstance(value, type):
        bundle = value._repr_mimebundle_()
    else:
        bundle = {"text/html": represented(value, "_repr_html_"), "text/latex": represented(value, "_repr_latex_")}
    for mime in RICHEST:
        if bundle.get(mime):
            return mime, bundle[mime]
    return "text/plain", repr(value)


def represented(value, method):
    """Return what a method of the value says, or nothing."""
    found = None if isinstance(value, type) else getattr(value, method, None)
    return found() if callable(found) else None


def told(error, name):
    """Return the traceback from the cell on, without what called it."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename != name:
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))


def start(page, post, matplotlib):
    """Return the kernel of a page."""
    kernel = Kernel(page, post, matplotlib)
    kernel.stand_ins()
    import hdp.proof  # noqa: F401  what every chapter needs is imported while the reader sees that Python starts

    return kernel
