"""A real browser without a window, driven over its debugging pipe (Chrome DevTools Protocol).

Needs a Chromium on PATH: `make browser` installs Debian's.
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from typing import Any, Self

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    "--headless=new",
    "--no-sandbox",  # containers have no user namespaces
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
)


def find_browser() -> str | None:
    """The program, None if there is none."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


@dataclass
class View:
    """How a page is looked at."""

    width: int = 1280
    height: int = 900
    dark: bool = False


@dataclass
class Page:
    """A loaded page: its console errors, its network requests, and access to its state."""

    browser: "Browser"
    session: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression; raises AssertionError if it throws."""
        answer = self.browser.call(
            "Runtime.evaluate",
            {"expression": expression, "returnByValue": True, "awaitPromise": True},
            self.session,
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def look(self, view: View) -> None:
        """Set the window size and the color scheme of the page."""
        self.browser.call(
            "Emulation.setDeviceMetricsOverride",
            {
                "width": view.width,
                "height": view.height,
                "deviceScaleFactor": 1,
                "mobile": False,
            },
            self.session,
        )
        feature = {"name": "prefers-color-scheme", "value": "dark" if view.dark else "light"}
        self.browser.call("Emulation.setEmulatedMedia", {"features": [feature]}, self.session)
        self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")

    def press(self, key: str) -> None:
        """Press a key: Tab, ArrowRight…"""
        for kind in ("keyDown", "keyUp"):
            event = {"type": kind, "key": key, "code": key, **_KEYS.get(key, {})}
            self.browser.call("Input.dispatchKeyEvent", event, self.session)

    def screenshot(self, path: Path) -> Path:
        """The whole page as PNG."""
        answer = self.browser.call(
            "Page.captureScreenshot",
            {"format": "png", "captureBeyondViewport": True},
            self.session,
        )
        path.write_bytes(base64.b64decode(answer["data"]))
        return path


_KEYS = {
    "Tab": {"windowsVirtualKeyCode": 9},
    "ArrowRight": {"windowsVirtualKeyCode": 39},
    "ArrowLeft": {"windowsVirtualKeyCode": 37},
}


class Browser:
    """One browser process. Use it in a `with`."""

    def __init__(self, program: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="browser-")
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()

        def give_pipes() -> None:  # the protocol wants them as 3 and 4
            first, second = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self._process = subprocess.Popen(
            [program, *_FLAGS, f"--user-data-dir={self._folder.name}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=give_pipes,
            close_fds=False,
            start_new_session=True,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._buffer = b""
        self._number = 0
        self._pages: dict[str, Page] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._out)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        for _attempt in range(20):  # child processes may still be writing
            try:
                self._folder.cleanup()
                return
            except OSError:
                time.sleep(0.1)

    @contextmanager
    def open(self, path: Path, view: View | None = None) -> Iterator[Page]:
        """Load a file in a new page."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        page = self._pages[attached["sessionId"]] = Page(self, attached["sessionId"])
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable", {}, page.session)
        page.look(view or View())
        self.call("Page.navigate", {"url": path.absolute().as_uri()}, page.session)
        page.evaluate(
            "new Promise(done => document.readyState === 'complete' ? done() : "
            "addEventListener('load', done))"
        )
        try:
            yield page
        finally:
            self.call("Target.closeTarget", {"targetId": target})
            del self._pages[page.session]

    def call(
        self, method: str, parameters: dict[str, Any], session: str = "", timeout: float = 60
    ) -> dict[str, Any]:
        """Call a method and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + timeout
        while True:
            answer = self._receive(until)
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _receive(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select([self._in], [], [], max(0, until - time.monotonic()))
            chunk = os.read(self._in, 1 << 20) if ready else b""
            if not chunk:
                raise TimeoutError("the browser does not answer")
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        decoded: dict[str, Any] = json.loads(message)
        return decoded

    def _note(self, event: dict[str, Any]) -> None:
        """Record the errors and the requests of a page."""
        page = self._pages.get(event.get("sessionId", ""))
        if page is None:
            return
        details = event["params"]
        match event["method"]:
            case "Runtime.exceptionThrown":
                page.complaints.append(json.dumps(details["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if details["type"] in ("error", "warning", "assert"):
                page.complaints.append(json.dumps(details["args"]))
            case "Log.entryAdded" if details["entry"]["level"] in ("error", "warning"):
                page.complaints.append(details["entry"]["text"])
            case "Network.requestWillBeSent":
                page.requests.append(details["request"]["url"])
