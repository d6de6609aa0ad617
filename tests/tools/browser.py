"""A headless Chromium that is driven through a pipe, by Chromium's own protocol and Python's standard library alone."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page at a time. `console` and `requests` collect what the page writes and asks for."""

    def __init__(self, width=1300, height=900):
        self.console, self.requests, self.number = [], [], 0
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        here_reads, there_writes = os.pipe()
        there_reads, here_writes = os.pipe()

        def wire():  # the protocol is spoken on descriptors 3 and 4
            os.dup2(there_reads, 13)
            os.dup2(there_writes, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile.name}", f"--window-size={width},{height}", "about:blank"],
            preexec_fn=wire, close_fds=False, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there_reads)
        os.close(there_writes)
        self.out, self.input = here_writes, os.fdopen(here_reads, "rb")
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, EOFError):
            pass
        self.process.wait(timeout=60)
        self.profile.cleanup()

    def message(self):
        data = bytearray()
        while (byte := self.input.read(1)) != b"\0":
            if not byte:
                raise EOFError("the browser has ended")
            data += byte
        return json.loads(data)

    def note(self, message):
        method, parameters = message.get("method"), message.get("params", {})
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.console.append(json.dumps(parameters)[:600])
        if method == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith("data:"):
            self.requests.append(parameters["request"]["url"][:200])
        return method

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        data = memoryview(json.dumps(request).encode() + b"\0")
        while data:
            data = data[os.write(self.out, data):]
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    def open(self, file):
        """Opens a file, and returns when the report is built, or cannot be."""
        self.console, self.requests = [], []
        self.call("Page.navigate", url=file.as_uri())
        ready = """new Promise(done => setTimeout(() => done(document.documentElement?.dataset.ready === 'yes' ||
            !!document.querySelector('.problem')), 20))"""
        end = time.monotonic() + 120
        while True:
            try:
                if self.value(ready):
                    break
            except RuntimeError as error:  # the page before this one is gone
                if "context" not in str(error) and "navigat" not in str(error):
                    raise
            if time.monotonic() > end:
                raise TimeoutError("the report is not built after two minutes")
        self.requests = [url for url in self.requests if not url.startswith("file:")]

    def value(self, expression):
        """What the expression of JavaScript is, after a promise is kept."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def press(self, key, code=None, number=0):
        text = {"Enter": "\r", " ": " "}.get(key)
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, windowsVirtualKeyCode=number,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def click(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def media(self, scheme="light", medium=""):
        self.call("Emulation.setEmulatedMedia", media=medium, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def grey(self, is_grey):
        self.call("Emulation.setEmulatedVisionDeficiency", type="achromatopsia" if is_grey else "none")

    def picture(self, file, clip=None, scale=1):
        """Writes a PNG of the page, or of the rectangle (x, y, width, height) of it."""
        more = {"captureBeyondViewport": True}
        if clip:
            more["clip"] = dict(zip(("x", "y", "width", "height"), clip)) | {"scale": scale}
        file.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png", **more)["data"]))
