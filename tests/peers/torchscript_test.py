"""PyTorch runs the TorchScript that ptp exports, on batches and lengths of other sizes; and a program with libtorch alone, and
PyTorch of two versions, load the same file. PTP_PEERS_OTHER_PYTHON names the interpreter of the other version, by default that
of the system, which is Debian's python3-torch."""

import os
import subprocess
import sys

import support
from exported_models import LAYERS, LENET, RECURRENT

torch, numpy = support.packages("torch", "numpy")

PROGRAM = sys.argv.pop(1)  # tests/tools/script_program.cpp
OTHER_PYTHON = os.environ.get("PTP_PEERS_OTHER_PYTHON", "/usr/bin/python3")
# Prints what that program prints of three images whose pixels are 0, 1, 2 ... divided by their count.
SCRIPT_PROGRAM = """
import sys, torch
image = torch.arange(784).view(1, 28, 28) / 784
with torch.no_grad():
    for row in torch.jit.load(sys.argv[1])(image.expand(3, 1, 28, 28).contiguous()).tolist():
        print(*row)
"""

SENTENCES = """
name = "sentences"
seed = 3
[training]
optimizer = { type = "Adam", lr = 0.01 }
terminal_conditions = { epoch_limit = 2 }
task = { type = "DummyLanguageIdentification", batch_size = 4, vocabulary = true, globals = { word_mappings = "word_mappings" } }
[pipeline.tokenizer]
type = "SentenceTokenizer"
streams = { outputs = "words" }
[pipeline.embeddings]
type = "SentenceEmbeddings"
embeddings_size = 5
unknown = "<UNK>"
additional_tokens = ["<PAD>", "<UNK>"]
output_lengths = true
streams = { inputs = "words", outputs = "embedded" }
globals = { word_mappings = "word_mappings" }
[pipeline.rnn]
type = "CELL"
hidden_size = 4
num_layers = 2
bidirectional = true
streams = { inputs = "embedded", outputs = "states", last = "read", output_state = "last_state" }
[pipeline.classifier]
type = "FeedForwardNetwork"
hidden_sizes = []
streams = { inputs = "read" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
"""


class TorchScriptTest(support.Case):
    def loaded_script(self, name, run, *options):
        file = self.folder / f"{name}.pt"
        self.ptprun("export", run, "-o", file, "--checkpoint", "last", *options)
        return torch.jit.load(str(file))

    def test_images(self):
        """A network with norms, pooling and branches computes the scores of ptp, in batches of any size."""
        for name, pipeline in (("dense", support.DENSE), ("layers", LAYERS),
                               ("lstm", RECURRENT.replace("CELL", "LSTM"))):
            with self.subTest(name):
                self.write_experiment(pipeline)
                run = self.train(name)
                script = self.loaded_script(name, run)
                expected = self.processed(run, "--checkpoint", "last")
                images = support.pixels(torch, self.unseen)
                tolerance = 1e-6 * max(1, float(numpy.abs(expected).max()))
                with torch.no_grad():
                    self.assert_near(script(images), expected, tolerance)
                    for size in (1, 3, 7):
                        parts = torch.cat([script(part) for part in images.split(size)])
                        self.assert_near(parts, expected, tolerance)
                    self.assertEqual(script(images[:0]).shape, (0, expected.shape[1]))

    def printed(self, *command):
        """The rows of numbers that a program prints."""
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                              env={**os.environ, "OMP_NUM_THREADS": "1"})
        self.assertEqual((done.returncode, done.stderr if done.returncode else ""), (0, ""))
        return [[float(number) for number in line.split()] for line in done.stdout.splitlines()]

    def test_versions(self):
        """A program with libtorch alone and PyTorch of two versions compute the same scores of the same file."""
        version = subprocess.run([OTHER_PYTHON, "-c", "import torch; print(torch.__version__)"], capture_output=True,
                                 text=True, check=False).stdout.strip()
        if version in ("", torch.__version__):
            self.skipTest(f"{OTHER_PYTHON} has no other torch than {torch.__version__}; name one that has in "
                          "PTP_PEERS_OTHER_PYTHON, or: apt-get install python3-torch")
        for name, pipeline in (("layers", LAYERS), ("lstm", RECURRENT.replace("CELL", "LSTM"))):
            with self.subTest(name):
                self.write_experiment(pipeline)
                file = self.folder / f"{name}-both.pt"
                self.ptprun("export", self.train(f"{name}-both"), "-o", file, "--checkpoint", "last")
                rows = [self.printed(PROGRAM, file, 3, 1, 28, 28), *(
                    self.printed(python, "-c", SCRIPT_PROGRAM, file) for python in (sys.executable, OTHER_PYTHON))]
                for other in rows[1:]:
                    self.assert_near(other, rows[0], 1e-6 * max(1, float(numpy.abs(rows[0]).max())))
                print(f"{name}: libtorch alone, PyTorch {torch.__version__} and {version} differ by at most",
                      max(float(numpy.abs(numpy.subtract(one, rows[0])).max()) for one in rows))

    def test_guide(self):
        """The lines of the guide compute scores of a batch."""
        self.write_experiment(LENET, f'type = "FashionMNIST"\nbatch_size = 8\ndata_folder = "{self.folder}/data"\n'
                              'resize_image = [32, 32]\n')
        self.ptprun("export", self.train("guide"), "-o", self.folder / "guide.pt", "--checkpoint", "last")
        self.assertEqual(tuple(self.run_snippet("torch", self.folder / "guide.pt")["scores"].shape), (8, 10))

    def test_weights(self):
        """The weights have the names of the file, and are PyTorch's own parameters."""
        self.write_experiment(LAYERS)
        script = self.loaded_script("weights", self.train("weights"))
        names = [name for name, _ in script.named_parameters()]
        self.assertEqual(names[:4], ["net.0.weight", "net.0.bias", "net.1.weight", "net.1.bias"])
        self.assertIn("net.1.running_mean", dict(script.named_buffers()))
        self.assertFalse(script.training)

    def test_lengths(self):
        """A sentence among longer ones has the scores that it has alone."""
        for cell in ("LSTM", "GRU"):
            with self.subTest(cell):
                (self.folder / "experiment.toml").write_text(SENTENCES.replace("CELL", cell), encoding="utf-8")
                script = self.loaded_script(cell, self.train(cell), "--section", "training")
                lengths = torch.tensor([2, 9, 5])
                words = torch.randn(3, 9, 5, generator=torch.Generator().manual_seed(1))
                words[torch.arange(9) >= lengths[:, None]] = 0
                with torch.no_grad():
                    together = script(words, lengths)
                    for row, length in enumerate(lengths.tolist()):
                        alone = script(words[row:row + 1, :length], lengths[row:row + 1])
                        self.assert_near(alone[0], together[row], 1e-6)


support.main()
