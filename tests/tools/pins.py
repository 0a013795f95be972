"""Choose the exact versions of both requirements files again, and record where each can be had as a wheel.

`make pins` runs it; it needs uv and the network.  What the files name now is kept where it can be, and the oldest
Python of pyproject.toml decides.  The tests read the record, and compare README's table with it, without the network.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.markers import Marker
from packaging.tags import compatible_tags, cpython_tags, mac_platforms
from packaging.utils import parse_wheel_filename

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests/platforms.json"
# What is installed for whom; the second file has only what the first lacks.
FILES = {"requirements.txt": "-e .[book,lab]\n", "tests/requirements.txt": "-e .[test]\n"}
COMPILE = ["uv", "pip", "compile", "--quiet", "--universal", "--python-version"]
CLASSIFIER = re.compile(r"Programming Language :: Python :: (3\.\d+)")


def pythons():
    """Return the Pythons that are promised, the oldest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [found[1] for found in map(CLASSIFIER.fullmatch, project["classifiers"]) if found]


def linux(machine):
    """Return the tags of wheels for glibc 2.35, that of Ubuntu 22.04, and older ones, and what markers ask there."""
    tags = [f"manylinux_2_{minor}_{machine}" for minor in range(35, 4, -1)]
    tags += [f"{name}_{machine}" for name in ("manylinux2014", "manylinux2010", "manylinux1")]
    return tags, ("linux", "posix", "Linux", machine)


def mac(machine):
    """Return the same for macOS 13."""
    return list(mac_platforms((13, 0), machine)), ("darwin", "posix", "Darwin", machine)


PLATFORMS = {
    "Linux x86_64": linux("x86_64"),
    "Linux aarch64": linux("aarch64"),
    "macOS arm64": mac("arm64"),
    "macOS x86_64": mac("x86_64"),
    "Windows x64": (["win_amd64"], ("win32", "nt", "Windows", "AMD64")),
}
NAMES = ("sys_platform", "os_name", "platform_system", "platform_machine")


def environment(values, python):
    """Return what the markers of requirements ask, on a platform whose values of NAMES these are."""
    version = {"python_version": python, "python_full_version": f"{python}.0"}
    cpython = {"implementation_name": "cpython", "platform_python_implementation": "CPython"}
    return dict(zip(NAMES, values, strict=True)) | version | cpython


def uv(source, *options):
    """Resolve the requirements of a text for all platforms at once."""
    command = [*COMPILE, pythons()[0], "--fork-strategy", "fewest", *options, "-"]
    said = {"UV_CUSTOM_COMPILE_COMMAND": "make pins"}
    subprocess.run(command, cwd=ROOT, env=os.environ | said, input=source, text=True, check=True)


def entries(text):
    """Return each requirement of a file with the comments below it, and what stands before the first."""
    return re.split(r"^(?=[^ #])", text, flags=re.M)


def pins(text):
    """Return the lines of a file that name a version."""
    return [line for line in text.splitlines() if "==" in line]


def state():
    """Return a hash of all lines that name a version, by which the record knows whose it is."""
    lines = [line for name in FILES for line in pins((ROOT / name).read_text(encoding="utf-8"))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def choose(upgrade):
    """Write both files: the second with the versions of the first, less its lines."""
    first, second = (ROOT / name for name in FILES)
    uv(FILES["requirements.txt"], *upgrade, "--output-file", str(first))
    had = entries(first.read_text(encoding="utf-8"))
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as known:
        known.write("\n".join(pins("".join(had))))
        known.flush()
        uv(FILES["tests/requirements.txt"], *upgrade, "--constraint", known.name, "--output-file", str(second))
    versions = {entry.split()[0] for entry in had[1:]}  # less the markers, which only leave out what is not promised
    head, *more = entries(second.read_text(encoding="utf-8"))
    more = [entry for entry in more if entry.split()[0] not in versions | {"-e"}]
    second.write_text(head + "".join(more), encoding="utf-8")


def missing(packages, platform, python):
    """Return the packages that have no wheel there, each with its version."""
    tags, values = PLATFORMS[platform]
    interpreter = tuple(map(int, python.split(".")))
    fits = {*cpython_tags(interpreter, platforms=tags)}
    fits |= {*compatible_tags(interpreter, f"cp{python.replace('.', '')}", tags)}
    here = environment(values, python)
    needed = [package for package in packages if Marker(package.get("marker", "python_version > '3'")).evaluate(here)]

    def has_wheel(package):
        names = (wheel["url"].rsplit("/", 1)[1] for wheel in package.get("wheels", []))
        return any(parse_wheel_filename(name)[3] & fits for name in names)

    return [f"{package['name']}=={package['version']}" for package in needed if not has_wheel(package)]


def wheels(text):
    """Return what the index has of all versions that a text names."""
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder, "pylock.toml")
        uv(text, "--no-deps", "--format", "pylock.toml", "--output-file", str(lock))
        return tomllib.loads(lock.read_text(encoding="utf-8"))["packages"]


def main(upgrade):
    """Choose, record, and name what cannot be had."""
    choose(upgrade)
    lacking = {}
    for name in FILES:
        packages = wheels("\n".join(pins((ROOT / name).read_text(encoding="utf-8"))))
        for where in PLATFORMS:
            every = [f"{pin} on {python}" for python in pythons() for pin in missing(packages, where, python)]
            lacking.setdefault(where, {})[name] = every
            if every:
                print(f"{name}: on {where} there is no wheel of {', '.join(every)}")
    record = {"pins": state(), "pythons": " ".join(pythons()), "without a wheel": lacking}
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
