"""Every experiment in configs/ is exported as ONNX and computes the same there, or is refused as onnx_configs.txt states.

Each is trained for a few steps on a few samples that the program experiment_data writes. ONNX Runtime gets 1,000 inputs in
batches and lengths that were not traced, and OpenCV those of networks with one image. An argument is the beginning of the
names of experiments to export.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import support

numpy, onnx, onnxruntime, cv2 = support.packages("numpy", "onnx", "onnxruntime", "cv2")

HERE = pathlib.Path(__file__).resolve().parent
CONFIGS = HERE.parents[1] / "configs"
GUIDE = HERE.parents[1] / "docs/using-a-model.md"
PROGRAM = pathlib.Path(sys.argv.pop(1))
BEGIN = sys.argv.pop(1) if len(sys.argv) > 1 else ""
INPUTS = 1000

DIFFERENCE = re.compile(r"  (\S+): largest difference (\S+?)(?:, another largest score in (\d+) of (\d+))?$", re.M)


def experiments(begin=BEGIN):
    """The names of files that are no parts of others."""
    return sorted(name for file in CONFIGS.rglob("*.toml") if file.name != "common.toml" and file.parent.name != "parts"
                  if (name := str(file.relative_to(CONFIGS))).startswith(begin))


def exceptions(begin=BEGIN):
    """By experiment the options that it needs, or what `ptprun export` answers from "cannot export " on."""
    lines = (HERE / "onnx_configs.txt").read_text(encoding="utf-8").splitlines()
    kept = dict(line.split(": ", 1) for line in lines if not line.startswith("#"))
    return {name: text for name, text in kept.items() if name.startswith(begin)}


class OnnxConfigsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.environment = {**os.environ, "OMP_NUM_THREADS": "1", "NO_COLOR": "1", "PTP_PYTHON": sys.executable}
        cls.writer = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=cls.environment)
        cls.addClassCleanup(cls.writer.communicate)

    def ptprun(self, *arguments):
        return subprocess.run([os.environ["PTP_PEERS_PTPRUN"], *map(str, arguments)], capture_output=True, text=True,
                              check=False, env=self.environment)

    def train(self, experiment, folder):
        """The folder of a run of two epochs on a few samples."""
        print(experiment, folder / "data", file=self.writer.stdin, flush=True)
        options = json.loads(self.writer.stdout.readline()) or ["--overfit", "3"]
        done = self.ptprun(CONFIGS / experiment, "--run-dir", folder / "run", "--quiet",
                           "--set", "training.terminal_conditions.epoch_limit=2", *options)
        self.assertEqual((done.returncode, done.stderr if done.returncode else ""), (0, ""))
        return folder / "run"

    def check_numbers(self, experiment, output):
        """All differences that --verify prints are small, and no scores have another order."""
        self.assertIn("verified in ONNX Runtime", output)
        for name, difference, other, rows in DIFFERENCE.findall(output):
            print(f"{experiment}: {name} {difference}" + (f", {other} of {rows}" if rows else ""), flush=True)
            self.assertIn(other, ("", "0"), output)

    def check_in_opencv(self, file):
        """OpenCV computes the outputs of ONNX Runtime."""
        graph = onnx.load(file).graph
        sizes = [size.dim_value or 3 for size in graph.input[0].type.tensor_type.shape.dim]
        if len(graph.input) > 1 or len(sizes) != 4 or "Conv" not in {node.op_type for node in graph.node}:
            return
        images = numpy.random.default_rng(1).random(sizes, numpy.float32)
        expected = onnxruntime.InferenceSession(file).run(None, {graph.input[0].name: images})
        net = cv2.dnn.readNetFromONNX(str(file))
        net.setInput(images)
        for got, right in zip(net.forward([output.name for output in graph.output]), expected, strict=True):
            self.assertLessEqual(float(numpy.abs(got - right).max()), 1e-5 * max(1, float(numpy.abs(right).max())))

    def test_each(self):
        """Each is exported with the right numbers, or refused with the reason that is kept."""
        kept = exceptions()
        self.assertEqual(kept.keys() - set(experiments()), set())
        for experiment in experiments():
            with self.subTest(experiment), tempfile.TemporaryDirectory(prefix="ptp_peers_") as folder:
                run, file = self.train(experiment, pathlib.Path(folder)), f"{folder}/model.onnx"
                exception = kept.get(experiment, "")
                options = exception.split() if exception.startswith("--") else []
                done = self.ptprun("export", run, "-o", file, "--verify", "--samples", INPUTS, *options)
                if exception and not options:
                    self.assertIn(f"cannot export {exception}\n", done.stderr)
                    print(f"{experiment}: {exception}", flush=True)
                    continue
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.check_numbers(experiment, done.stdout)
                onnx.checker.check_model(file, full_check=True)
                self.check_in_opencv(file)

    def test_guide(self):
        """The guide names each component that is refused, with its reason and how many experiments have it."""
        reasons = [re.fullmatch(r"'[^']+' \((\w+)\): (.*)", text).groups()
                   for text in exceptions("").values() if not text.startswith("--")]
        guide = GUIDE.read_text(encoding="utf-8")
        count = len(experiments(""))
        self.assertIn(f"Of the {count} experiments in [configs](../configs/README.md), {count - len(reasons)} are written", guide)
        for component, why in set(reasons):
            self.assertIn(f"| `{component}` | {why} | {reasons.count((component, why))} |", guide)


support.main()
