"""Execute the chapters that are not in the cache, one more at a time than there are cores, before Sphinx reads them.

myst-nb executes a chapter when Sphinx reads it, one after the other, and half of that is the start of a kernel on one
core; here kernels are forked from one that has started. What is executed here is put into the cache that myst-nb then
reads from. A chapter that fails is left to myst-nb, which executes it again and reports it; one that says
``measures_time: true`` in its front matter is executed after all others, since what it measures would depend on its
neighbour.
"""

import multiprocessing
import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import create_nb_reader
from sphinx.util import logging

TOOLS = Path(__file__).resolve().parents[2] / "_tools"
logger = logging.getLogger(__name__)
MOST = 4  # kernels at a time: each may take a gigabyte


def notebook_of(path, env):
    """Return the notebook that a source file is, as myst-nb reads it, or None if it is only text."""
    text = path.read_text("utf-8")
    reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
    return None if reader is None else reader.read(text)


def is_cached(notebook, cache):
    """Return whether the outputs of a notebook's code are known."""
    try:
        cache.match_cache_notebook(notebook)
    except KeyError:
        return False
    return True


def shared(books, more_than):
    """Return the modules of the library that more than a number of notebooks import, through whatever they import."""
    if str(TOOLS) not in sys.path:
        sys.path.append(str(TOOLS))
    from imports import executed

    root, uses = TOOLS.parents[1], Counter()
    for book in books:
        uses.update(executed("\n".join(cell.source for cell in book.cells if cell.cell_type == "code"), root) or ())
    paths = [Path(path) for path, count in uses.items() if count > more_than and (root / path).exists()]
    return [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in sorted(paths)]


def execute_side_by_side(app, env, docnames):
    """Fill the cache with those of the chapters about to be read that it lacks."""
    settings = env.mystnb_config
    if settings.execution_mode != "cache":
        return
    cache = get_cache(settings.execution_cache_path)
    paths = [Path(env.doc2path(name)) for name in docnames]
    books = {path: notebook_of(path, env) for path in paths if path.suffix == ".md"}
    todo = {path: book for path, book in books.items() if book is not None and not is_cached(book, cache)}
    alone = {path: todo.pop(path) for path in list(todo) if todo[path].metadata.get("measures_time")}
    workers = min((os.cpu_count() or 1) + 1, MOST, len(todo))  # a kernel waits half a second where it starts and ends
    # One at a time is what myst-nb does itself, and on Windows, where nothing forks, all that can be done.
    if workers < 2 or "forkserver" not in multiprocessing.get_all_start_methods():
        return
    from hdpbook.forked import Manager, start

    logger.info("executing %d chapters, %d at a time", len(todo), workers)
    start(shared([*todo.values(), *alone.values()], more_than=workers - 1))  # fewer are as fast
    options = {"timeout": settings.execution_timeout, "allow_errors": False, "kernel_manager_class": Manager}
    run = partial(single_nb_execution, **options)  # in a kernel of its own
    for some, several in ((todo, workers), (alone, 1)):
        with ThreadPoolExecutor(several) as pool:
            running = {pool.submit(run, some[path], cwd=str(path.parent)): path for path in some}
            for number, done in enumerate(as_completed(running), 1):
                place = f"[{number} of {len(some)}] {running[done].relative_to(app.srcdir)}"
                keep(cache, running[done], done.result(), place)


def keep(cache, path, result, place):
    """Put the outputs of a chapter into the cache, unless it has failed, and say so."""
    if result.err is not None:
        logger.info("%s: failed, to be reported below", place)
        return
    bundle = CacheBundleIn(result.nb, str(path), data={"execution_seconds": result.time})
    cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
    logger.info("%s: %.1f s", place, result.time)


def setup(app):
    app.connect("env-before-read-docs", execute_side_by_side)
