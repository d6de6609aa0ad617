"""The language model of configs/wikitext/lstm.toml and the same in PyTorch, trained and measured on WikiText-2.

Perplexities of runs with other weights or batches differ by some 4 %, so both begin with the same ones.

It needs wiki.valid.tokens and wiki.test.tokens in the folder wikitext-2 of that which PTP_PEERS_WIKITEXT names, by
default ~/data/language_modeling/wikitext, and takes some ten minutes of one core.
"""

import csv
import math
import os
import pathlib
import sys
import tempfile

import support

torch, save, tomllib = support.packages("torch", "safetensors.torch", "tomllib")

CONFIG = pathlib.Path(__file__).resolve().parents[2] / "configs/wikitext/lstm.toml"
DATA = pathlib.Path(os.environ.get("PTP_PEERS_WIKITEXT", "~/data/language_modeling/wikitext")).expanduser()

for subset in ("valid", "test"):
    if not (DATA / f"wikitext-2/wiki.{subset}.tokens").is_file():
        print(f"skipped: there is no {DATA}/wikitext-2/wiki.{subset}.tokens; name another folder in PTP_PEERS_WIKITEXT")
        sys.exit(77)


def words_of(subset):
    """Words of a file, with <eos> after each line."""
    text = (DATA / f"wikitext-2/wiki.{subset}.tokens").read_text(encoding="utf-8")
    for line in text.removesuffix("\n").split("\n"):
        yield from line.split()
        yield "<eos>"


class Data:
    """Windows of indices, and those of the words after them."""

    def __init__(self, length):
        self.vocabulary = {}
        for word in words_of("valid"):
            if word != "<eos>":  # comes after all others
                self.vocabulary.setdefault(word, len(self.vocabulary))
        for word in ("<PAD>", "<eos>"):
            self.vocabulary[word] = len(self.vocabulary)
        self.training = self.windows("valid", length)
        self.test = self.windows("test", length)

    def windows(self, subset, length):
        unknown = self.vocabulary["<unk>"]
        indices = torch.tensor([self.vocabulary.get(word, unknown) for word in words_of(subset)])
        count = (len(indices) - 1) // length
        return (indices[:count * length].view(count, length), indices[1:count * length + 1].view(count, length))


class Model(torch.nn.Module):
    """What the pipeline of the experiment computes, with PyTorch's own initial weights."""

    def __init__(self, words, padding, size, dropout):
        super().__init__()
        self.embeddings = torch.nn.Embedding(words, size, padding_idx=padding)
        self.rnn_cell = torch.nn.LSTM(size, size, batch_first=True)
        self.dropout = torch.nn.Dropout(dropout)
        self.activation2output = torch.nn.Linear(size, words)

    def forward(self, indices):
        activations, _ = self.rnn_cell(self.embeddings(indices))
        return torch.log_softmax(self.activation2output(self.dropout(activations)), -1)

    def loss(self, sources, targets):
        return torch.nn.functional.nll_loss(self(sources).flatten(0, 1), targets.flatten())

    def load(self, run):
        """The last weights of a run."""
        weights = save.load_file(run / "checkpoints/last/weights.safetensors")
        self.load_state_dict({name.split(".", 1)[1]: weight for name, weight in weights.items()
                              if not name.startswith("lstm.init_")})


def perplexity(model, windows, batch=64):
    model.eval()
    with torch.no_grad():
        sums = [model.loss(sources, targets).item() * targets.numel()
                for sources, targets in zip(*(part.split(batch) for part in windows), strict=True)]
    return math.exp(sum(sums) / windows[1].numel())


def train(model, batches, settings):
    """A pass over these batches for each element; the losses of all of them."""
    training = settings["training"]
    optimizer = torch.optim.Adam(model.parameters(), lr=training["optimizer"]["lr"])
    losses = []
    model.train()
    for epoch in batches:
        for sources, targets in epoch:
            optimizer.zero_grad()
            loss = model.loss(sources, targets)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), training["gradient_clipping"]["norm"])
            optimizer.step()
            losses.append(loss.item())
    return losses


# Settings of runs that are to write their initial weights, or a few losses.
FEW = ("test.batch_limit=1", "training.terminal_conditions.epoch_limit=1")


class LanguageModelTest(support.Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ptp_peers_")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    @classmethod
    def trained(cls, name, *settings):
        """The folder of a run, and its settings."""
        options = [part for setting in (f'vars.data_folder="{DATA}"', *settings) for part in ("--set", setting)]
        cls.ptprun(CONFIG, "--run-dir", cls.folder / name, "--quiet", *options)
        return cls.folder / name, tomllib.loads((cls.folder / name / "experiment.toml").read_text(encoding="utf-8"))

    @staticmethod
    def column(run, table, name):
        with open(run / table, newline="", encoding="utf-8") as file:
            return [float(row[name]) for row in csv.DictReader(file)]

    @staticmethod
    def data_and_model(settings):
        data = Data(settings["training"]["task"]["sentence_length"])
        pipeline = settings["pipeline"]
        size = pipeline["embeddings"]["embeddings_size"]
        assert pipeline["lstm"]["hidden_size"] == size
        torch.manual_seed(settings["seed"])
        return data, Model(len(data.vocabulary), data.vocabulary["<PAD>"], size, pipeline["lstm"]["dropout_rate"])

    def test_losses(self):
        """From the same weights, on the same batches and without dropout, both have the same losses."""
        few = (*FEW, "vars.dropout_rate=0.0", "training.dataloader.shuffle=false")
        begin, _ = self.trained("begin", *few, "training.batch_limit=1", "training.optimizer.lr=0.0")
        run, settings = self.trained("few", *few, "training.batch_limit=20")
        data, model = self.data_and_model(settings)
        model.load(begin)
        batch = settings["training"]["task"]["batch_size"]
        batches = list(zip(*(part.split(batch) for part in data.training), strict=True))[:20]
        theirs = train(model, [batches], settings)
        self.assert_near(self.column(run, "training.csv", "loss"), theirs, 1e-4)

    def test_initial_weights(self):
        """The initial weights have the bounds and the deviations of PyTorch's."""
        run, settings = self.trained("initial", *FEW, "training.batch_limit=1", "training.optimizer.lr=0.0")
        _, model = self.data_and_model(settings)
        theirs = {name: weight.clone() for name, weight in model.state_dict().items()}
        model.load(run)
        for name, ours in model.state_dict().items():
            with self.subTest(name):
                self.assertLess(abs(ours.std() / theirs[name].std() - 1), 0.05 if ours.dim() > 1 else 0.2)
                if not name.startswith("embeddings."):  # normal, the others uniform
                    self.assertLess(abs(ours.abs().max() / theirs[name].abs().max() - 1), 0.05)

    def test_perplexity(self):
        """From the same weights, on the same batches, both reach the same perplexity, but for their dropout."""
        begin, _ = self.trained("first", *FEW, "training.batch_limit=1", "training.optimizer.lr=0.0")
        run, settings = self.trained(
            "run", 'pipeline.export={ type = "StreamFileExporter", format = "npy", input_streams = "indices", '
            'phases = ["training"] }')
        ours, = self.column(run, "test.csv", "perplexity")
        data, model = self.data_and_model(settings)
        order = torch.from_numpy(support.numpy.load(run / "exports/export.indices.npy"))
        batch = settings["training"]["task"]["batch_size"]
        epochs = [list(zip(*(part[indices].split(batch) for part in data.training), strict=True))
                  for indices in order.split(len(data.training[0]))]
        self.assertEqual(len(epochs), settings["training"]["terminal_conditions"]["epoch_limit"])
        model.load(begin)
        train(model, epochs, settings)
        theirs = perplexity(model, data.test)
        print(f"test perplexity: ptp {ours:.1f}, PyTorch {theirs:.1f}, ratio {ours / theirs:.4f}")
        self.assertLess(abs(ours / theirs - 1), 0.03)
        model.load(run)
        self.assertLess(abs(perplexity(model, data.test) / ours - 1), 1e-5)


support.main()
