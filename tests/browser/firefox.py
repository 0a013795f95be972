"""A Firefox to open pages in, over Marionette, its own protocol: what Playwright drives is a Firefox of its own."""

import contextlib
import json
import shutil
import socket
import subprocess
import time

PATIENCE = 60  # seconds for Firefox to start
# No other host can be found, and nothing is asked at the first start.
PREFERENCES = """
user_pref("network.dns.disabled", true);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("marionette.port", {port});
"""


def find_firefox():
    return shutil.which("firefox-esr") or shutil.which("firefox")


def free_port():
    """Return a port that nobody listens on."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


class Firefox:
    """One window of a Firefox without a screen, its profile in a folder of the caller's."""

    def __init__(self, profile):
        port = free_port()
        (profile / "user.js").write_text(PREFERENCES.format(port=port), encoding="utf-8")
        command = [find_firefox(), "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket, self.calls = connected(port), 0
        self.receive()
        self.call("WebDriver:NewSession", capabilities={})

    def receive(self):
        """Return the next message: its length, a colon, and JSON."""
        length = b""
        while (byte := self.socket.recv(1)) != b":":
            length += byte
        data = b""
        while len(data) < int(length):
            data += self.socket.recv(int(length) - len(data))
        return json.loads(data)

    def call(self, command, **parameters):
        """Return what Firefox answers."""
        self.calls += 1
        message = json.dumps([0, self.calls, command, parameters]).encode()
        self.socket.sendall(b"%d:%b" % (len(message), message))
        _, _, error, answer = self.receive()
        assert error is None, error
        return answer

    def evaluate(self, code, timeout):
        """Return the value of an asynchronous piece of the page's own JavaScript, which calls `done`."""
        self.call("WebDriver:SetTimeouts", script=timeout)
        script = f"const done = arguments[arguments.length - 1], page = window.wrappedJSObject ?? window; {code}"
        return self.call("WebDriver:ExecuteAsyncScript", script=script, args=[], sandbox=None)["value"]

    def open(self, address):
        self.call("WebDriver:Navigate", url=address)

    def close(self):
        with contextlib.suppress(OSError, AssertionError):
            self.call("Marionette:Quit")
        self.socket.close()
        self.process.wait(PATIENCE)


def connected(port):
    """Return a connection, once Firefox listens."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
