"""What the tests of this folder share: the packages, runs of ptprun on data made up here, comparisons.

The packages are imported here and nowhere else; where one is missing, a test ends with 77, which skips it.
"""

import importlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

SIZE = 28  # of an image, in pixels


def packages(*names):
    """The modules of these names; ends the program where one cannot be imported."""
    found, missing = [], {}
    for name in names:
        try:
            found.append(importlib.import_module(name))
        except (ImportError, OSError, ValueError) as problem:  # torch without a library: OSError, ValueError
            missing[name.split(".")[0]] = str(problem).splitlines()[0]
    if missing:
        reasons = "; ".join(f"{name}: {problem}" for name, problem in missing.items())
        print(f"skipped: {sys.executable} cannot import {', '.join(missing)} ({reasons}); to install: "
              f"{sys.executable} -m pip install numpy scikit-learn tensorboard safetensors torch torchvision transformers captum, "
              "or name another interpreter in PTP_PEERS_PYTHON")
        sys.exit(77)
    return found


numpy, = packages("numpy")


def write_idx(path, array):
    """A file of bytes in the form that the page of MNIST describes."""
    path.write_bytes(struct.pack(f">{1 + array.ndim}i", 0x800 + array.ndim, *array.shape) + array.tobytes())


class Case(unittest.TestCase):
    """A folder with images of 28 x 28, 24 for training and 8 for a test, and an experiment with them."""

    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ptp_peers_")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "data").mkdir()
        cls.write_images("train", 24, seed=1)
        cls.unseen = cls.write_images("t10k", 8, seed=2)

    @classmethod
    def write_images(cls, name, count, seed):
        images = numpy.random.default_rng(seed).integers(0, 256, (count, SIZE, SIZE), numpy.uint8)
        write_idx(cls.folder / f"data/{name}-images-idx3-ubyte", images)
        write_idx(cls.folder / f"data/{name}-labels-idx1-ubyte", (numpy.arange(count) % 4).astype(numpy.uint8))
        return images

    @classmethod
    def write_experiment(cls, pipeline, task=None, loss="NLLLoss", more=""):
        train = task or f'type = "FashionMNIST"\nbatch_size = 8\ndata_folder = "{cls.folder}/data"\n'
        test = task or train + "use_train_data = false\n"
        (cls.folder / "experiment.toml").write_text(
            'name = "peers"\nseed = 5\n[training]\noptimizer = { type = "Adam", lr = 0.01 }\n'
            "terminal_conditions = { epoch_limit = 2, loss_stop_threshold = 0.0 }\n"
            f"[training.task]\n{train}[validation.task]\n{test}[test.task]\n{test}{pipeline}"
            f'[pipeline.loss]\ntype = "{loss}"\n'
            f'[pipeline.accuracy]\ntype = "AccuracyStatistics"\n{more}', encoding="utf-8")

    @classmethod
    def ptprun(cls, *arguments, status=0):
        """The standard output; of a command that must be refused, the errors."""
        done = subprocess.run([os.environ["PTP_PEERS_PTPRUN"], *map(str, arguments)],
                              capture_output=True, text=True, check=False,
                              env={**os.environ, "OMP_NUM_THREADS": "1", "NO_COLOR": "1"})
        if done.returncode != status:
            raise AssertionError(f"ptprun ended with {done.returncode}: {done.stderr}")
        return done.stderr if status else done.stdout

    @classmethod
    def train(cls, name, *options):
        """The folder of a run."""
        run = cls.folder / name
        cls.ptprun(cls.folder / "experiment.toml", "--run-dir", run, "--quiet", *options)
        return run

    def loaded(self, name, file, more=""):
        """A run that begins and ends with the weights of a file."""
        return self.train(name, "--set", "training.optimizer.lr=0.0", "--set",
                          "training.terminal_conditions.epoch_limit=1", "--set", self.load(file, more))

    def load(self, file, more="", component="net"):
        return f'pipeline.{component}.load={{ from = "{self.folder / file}"{more} }}'

    def processed(self, what, *options):
        """The predictions for the test set, as `ptprun process` of a run or an experiment exports them."""
        with tempfile.TemporaryDirectory(dir=self.folder) as results:
            self.ptprun("process", what, "--run-dir", results, "--quiet", "--section", "test", "--set",
                        'pipeline.export={ type = "StreamFileExporter", format = "npy", '
                        'input_streams = "predictions" }', *options)
            return numpy.load(f"{results}/exports/export.predictions.npy")

    def predictions(self, run):
        """The rows of `ptprun predict` for the test set, the likeliest class first."""
        lines = self.ptprun("predict", run, "--data", "test", "--json", "--quiet", "--checkpoint", "last")
        return [json.loads(line) for line in lines.splitlines()]

    def run_snippet(self, module, file):
        """Runs the lines of Python of docs/using-a-model.md that import the module, where their model is this file; returns
        their names."""
        guide = pathlib.Path(__file__).resolve().parents[2] / "docs/using-a-model.md"
        snippets = [part for part in re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.S)
                    if re.search(rf"^import .*\b{module}$", part, re.M)]
        self.assertEqual(len(snippets), 1)
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            os.symlink(file, os.path.join(folder, "model" + file.suffix))
            before = os.getcwd()
            os.chdir(folder)
            self.addCleanup(os.chdir, before)
            names = {}
            exec(snippets[0], names)
            os.chdir(before)
        return names

    def assert_near(self, ours, theirs, tolerance):
        ours, theirs = numpy.asarray(ours), numpy.asarray(theirs)
        self.assertEqual(ours.shape, theirs.shape)
        self.assertLessEqual(float(numpy.abs(ours - theirs).max()), tolerance)


# One hidden layer with dropout on all pixels, as FeedForwardNetwork has it.
DENSE = f"""[pipeline.reshape]
type = "ReshapeTensor"
input_dims = [-1, 1, {SIZE}, {SIZE}]
output_dims = [-1, {SIZE * SIZE}]
streams = {{ outputs = "features" }}
[pipeline.net]
type = "FeedForwardNetwork"
hidden_sizes = [16]
dropout_rate = 0.1
streams = {{ inputs = "features" }}
globals = {{ prediction_size = "num_classes" }}
"""


def dense(torch):
    """The same network, of PyTorch's own parts."""

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Linear(SIZE * SIZE, 16), torch.nn.ReLU(),
                                              torch.nn.Dropout(0.1), torch.nn.Linear(16, 10))

        def forward(self, images):
            return torch.log_softmax(self.layers(images.flatten(1)), 1)

    return Net().eval()


def pixels(torch, images):
    """Bytes as the float32 in [0, 1] that torchvision's ToTensor makes of them."""
    return torch.from_numpy(images).unsqueeze(1).to(torch.float32).div(255)


def main():
    unittest.main(verbosity=2)
