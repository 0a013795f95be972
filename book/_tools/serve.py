"""Serve the book on this machine; whenever one of its files is saved, build again and show the new pages.

`make serve` runs it.  What a save makes stale `build.py` decides; after a change of the library or the site it removes
all pages first, until it is done.  Then livereload tells the browser.
"""

import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from livereload import Server
from livereload.handlers import LiveReloadHandler

sys.path.append(str(Path(__file__).parent))
import build

BUILD = [sys.executable, str(Path(__file__).with_name("build.py"))]


def times(root, patterns):
    """Return when each file was saved, nothing for one that is removed meanwhile."""
    found = {}
    for path in {path for pattern in patterns for path in root.glob(pattern)}:
        if path.name.startswith(".") or "__pycache__" in path.parts:  # which editors and Python write
            continue
        with suppress(OSError):
            found[path] = path.stat().st_mtime_ns * path.is_file()  # a folder's time tells nothing
    return found


def build_after_saves(command, root, patterns, shown, pause):
    """Run a command whenever files change, for ever; touch a file after each time that it succeeds.

    What is saved while it runs is built next.  The pause gives an editor time to write all that it writes.
    """
    seen = times(root, patterns)
    while True:
        time.sleep(pause)
        found = times(root, patterns)
        if found != seen:
            seen = found
            if subprocess.run(command, cwd=root).returncode == 0:
                shown.touch()


def main(port, root=build.ROOT, command=BUILD, patterns=(*build.WHOLE, *build.SITE), pause=1.0):
    """Serve the built book until Ctrl-C."""
    shown = root / "_build" / "shown"
    shown.touch()
    watch = threading.Thread(target=build_after_saves, args=(command, root, patterns, shown, pause), daemon=True)
    watch.start()
    LiveReloadHandler.DEFAULT_RELOAD_TIME = 0  # a build is one change: none is to be ignored because another was shown
    server = Server()
    server.watch(str(shown))
    server.serve(port=port, root=str(root / "_build" / "html"))


if __name__ == "__main__":
    main(int(sys.argv[1]))
