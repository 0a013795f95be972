"""Join packages of npm, as they were published, and our own script to one script: the editor of the cells.

Each package has its modules in one file that asks for others by `require`, so no bundler is needed.
"""

import json
import tarfile

HEAD = """\
(function () {
"use strict";
const modules = {}, loaded = {};
function require(name) {
  if (!loaded[name]) modules[name](loaded[name] = { exports: {} }, loaded[name].exports);
  return loaded[name].exports;
}
"""
MODULE = "modules[{}] = (module, exports) => {{\n{}\n}};\n"
TAIL = "})();\n"


def joined(archives, own):
    """Return the script made of packages, a dict of names and archives, and of the text that uses them."""
    modules = [MODULE.format(json.dumps(name), main(archive)) for name, archive in archives.items()]
    return "".join([HEAD, *modules, own, TAIL])


def main(archive):
    """Return the file of a package for those who `require` it."""
    described = json.loads(inside(archive, "package.json"))
    exported = described.get("exports", {})
    return inside(archive, exported.get("require", described.get("main")))


def inside(archive, name):
    """Return the text of a file in an archive of npm."""
    with tarfile.open(archive) as package:
        return package.extractfile("package/" + name.removeprefix("./")).read().decode()
