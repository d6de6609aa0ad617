"""Netron opens what ptp exports, and shows its operators: in a Chromium without a screen."""

import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
import urllib.request

import support
from exported_models import LAYERS, LENET, RECURRENT

netron, = support.packages("netron")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    print("skipped: chromium is not installed")
    sys.exit(77)



class Agreed(http.server.BaseHTTPRequestHandler):
    """Passes on what Netron serves, with the cookie of somebody who has agreed to cookies."""

    origin = ""

    def do_GET(self):
        try:
            with urllib.request.urlopen(self.origin + self.path) as answer:
                self.send_response(200)
                self.send_header("Content-Type", answer.headers["Content-Type"] or "application/octet-stream")
                self.send_header("Set-Cookie", "consent=1")
                self.end_headers()
                self.wfile.write(answer.read())
        except OSError:
            self.send_error(404)

    do_HEAD = do_GET

    def log_message(self, *_):
        """Nothing is logged."""


class NetronTest(support.Case):
    def shown(self, file):
        """The names of operators on the page that Netron makes of a file."""
        address = netron.start(str(file), ("127.0.0.1", 0), browse=False)
        self.addCleanup(netron.stop, address)
        Agreed.origin = f"http://{address[0]}:{address[1]}"
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Agreed)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        page = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder}/browser",
             "--virtual-time-budget=30000", "--dump-dom", f"http://127.0.0.1:{server.server_port}/"],
            capture_output=True, text=True, check=False, timeout=240).stdout
        return re.findall(r"<text[^>]*>([A-Z][A-Za-z0-9]+)</text>", page)

    def test_networks(self):
        """A convolutional network, one with norms and one with an LSTM have all their operators."""
        resized = f'type = "FashionMNIST"\nbatch_size = 8\ndata_folder = "{self.folder}/data"\nresize_image = [32, 32]\n'
        for name, pipeline, task, operators in (
                ("lenet", LENET, resized, {"Conv": 3, "Gemm": 2, "MaxPool": 2}),
                ("layers", LAYERS, None, {"Conv": 2, "AveragePool": 1, "LayerNormalization": 1}),
                ("lstm", RECURRENT.replace("CELL", "LSTM"), None, {"LSTM": 2})):
            with self.subTest(name):
                self.write_experiment(pipeline, task)
                file = self.folder / f"{name}.onnx"
                self.ptprun("export", self.train(name), "--checkpoint", "last", "-o", file)
                shown = self.shown(file)
                self.assertEqual({each: shown.count(each) for each in operators}, operators)


support.main()
