"""An image: the files of some archives in one piece, as the kernel in the page takes them.

One line of JSON, ``[[path, size], ...]``, and the bytes of all files: nothing to inflate, nothing to copy.
This module is run by Pyodide itself, whose byte code is the right one, and where there is no node by the Python that
builds the book, which leaves the sources as they are: the kernel then compiles them at every start.
"""

import io
import json
import re
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc


def files(archives, leave, compiled):
    """Yield path and bytes of all files of the archives, pairs of zip file and folder, but for what is left out."""
    seen = set()
    for archive, folder in archives:
        with zipfile.ZipFile(archive) as source:
            for info in source.infolist():
                path = f"{folder}/{info.filename}"
                if info.is_dir() or path in seen or re.search(leave, path):
                    continue
                seen.add(path)
                data = source.read(info)
                yield byte_code(path, data) if compiled and path.endswith(".py") else (path, data)


def byte_code(path, data):
    """Return path and bytes of the compiled module, never checked against a source; a template stays as it is."""
    try:
        code = compile(data, path, "exec", dont_inherit=True)
    except SyntaxError:
        return path, data
    return path + "c", bytes(_code_to_hash_pyc(code, bytes(8), False))


def image(archives, leave, compiled=True):
    """Return the image of some archives."""
    found = list(files(archives, leave, compiled))
    index = [[path, len(data)] for path, data in found]
    return json.dumps(index, separators=(",", ":")).encode() + b"\n" + b"".join(data for _, data in found)


def library(archive, leave, compiled=True):
    """Return a zip file, not compressed, of the standard library, from which Python starts."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as target:
        for path, data in files([(archive, "")], leave, compiled):
            target.writestr(zipfile.ZipInfo(path[1:]), data)
    return made.getvalue()
