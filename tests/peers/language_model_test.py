"""The language models of configs/wikitext/lstm.toml and gpt.toml and the same in PyTorch, the second one of Hugging Face's
transformers, trained and measured on WikiText-2.

Perplexities of runs with other weights or batches differ by some 4 %, so both begin with the same ones.

It needs wiki.valid.tokens and wiki.test.tokens in the folder wikitext-2 of that which PTP_PEERS_WIKITEXT names, by
default ~/data/language_modeling/wikitext, and takes some thirty minutes of one core.
Without transformers the LSTM alone is compared.
"""

import csv
import importlib.util
import math
import os
import pathlib
import sys
import tempfile
import unittest

import support

torch, save, tomllib = support.packages("torch", "safetensors.torch", "tomllib")

CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs/wikitext"
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
    def loss(self, sources, targets):
        return torch.nn.functional.nll_loss(self(sources).flatten(0, 1), targets.flatten())

    def load(self, run):
        """The last weights of a run."""
        weights = save.load_file(run / "checkpoints/last/weights.safetensors")
        self.trained().load_state_dict({name.split(".", 1)[1]: weight for name, weight in weights.items()
                                        if not name.startswith("lstm.init_")})


class Lstm(Model):
    """What the pipeline of lstm.toml computes, with PyTorch's own initial weights."""

    def __init__(self, words, padding, pipeline):
        super().__init__()
        size, dropout = pipeline["embeddings"]["embeddings_size"], pipeline["lstm"]["dropout_rate"]
        assert pipeline["lstm"]["hidden_size"] == size
        self.embeddings = torch.nn.Embedding(words, size, padding_idx=padding)
        self.rnn_cell = torch.nn.LSTM(size, size, batch_first=True)
        self.dropout = torch.nn.Dropout(dropout)
        self.activation2output = torch.nn.Linear(size, words)

    def forward(self, indices):
        activations, _ = self.rnn_cell(self.embeddings(indices))
        return torch.log_softmax(self.activation2output(self.dropout(activations)), -1)

    def trained(self):
        return self


class Gpt(Model):
    """What that of gpt.toml computes, as transformers has it."""

    def __init__(self, words, _, pipeline):
        super().__init__()
        transformers, = support.packages("transformers")
        gpt = pipeline["gpt"]
        self.net = transformers.GPT2LMHeadModel(transformers.GPT2Config(
            vocab_size=words, n_positions=gpt["max_length"], n_embd=gpt["hidden_size"], n_layer=gpt["num_layers"],
            n_head=gpt["num_heads"], resid_pdrop=gpt["dropout_rate"], embd_pdrop=gpt["dropout_rate"],
            attn_pdrop=gpt["attention_dropout_rate"], bos_token_id=None, eos_token_id=None))

    def forward(self, indices):
        return torch.log_softmax(self.net(indices).logits, -1)

    def trained(self):
        return self.net.transformer


def perplexity(model, windows, batch=64):
    model.eval()
    with torch.no_grad():
        sums = [model.loss(sources, targets).item() * targets.numel()
                for sources, targets in zip(*(part.split(batch) for part in windows), strict=True)]
    return math.exp(sum(sums) / windows[1].numel())


def train(model, batches, settings):
    """A pass over these batches for each element; the losses of all of them."""
    training = settings["training"]
    optimizer = getattr(torch.optim, training["optimizer"]["type"])(model.parameters(), lr=training["optimizer"]["lr"])
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


class LstmTest(support.Case):
    config, model, normal = "lstm.toml", Lstm, "embeddings."

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ptp_peers_")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    @classmethod
    def trained(cls, name, *settings):
        """The folder of a run, and its settings."""
        options = [part for setting in (f'vars.data_folder="{DATA}"', *settings) for part in ("--set", setting)]
        cls.ptprun(CONFIGS / cls.config, "--run-dir", cls.folder / name, "--quiet", *options)
        return cls.folder / name, tomllib.loads((cls.folder / name / "experiment.toml").read_text(encoding="utf-8"))

    @staticmethod
    def column(run, table, name):
        with open(run / table, newline="", encoding="utf-8") as file:
            return [float(row[name]) for row in csv.DictReader(file)]

    @classmethod
    def data_and_model(cls, settings):
        data = Data(settings["training"]["task"]["sentence_length"])
        torch.manual_seed(settings["seed"])
        return data, cls.model(len(data.vocabulary), data.vocabulary["<PAD>"], settings["pipeline"])

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
                if theirs[name].std() == 0:  # all 0, or all 1
                    self.assertTrue(ours.equal(theirs[name]))
                    continue
                self.assertLess(abs(ours.std() / theirs[name].std() - 1), 0.05 if ours.dim() > 1 else 0.2)
                if not name.startswith(self.normal):  # the others are uniform
                    self.assertLess(abs(ours.abs().max() / theirs[name].abs().max() - 1), 0.05)

    def test_perplexity(self):
        """From the same weights, on the same batches, both reach the same perplexity, but for their dropout."""
        self.compare_perplexities("dropout", 0.03)

    def test_perplexity_without_dropout(self):
        """Without what both draw differently, and before rounding has led them apart, they are nearer."""
        self.compare_perplexities("plain", 0.02, "vars.dropout_rate=0.0", "training.terminal_conditions.epoch_limit=2")

    def compare_perplexities(self, name, tolerance, *options):
        begin, _ = self.trained(name + "_first", *FEW, "training.batch_limit=1", "training.optimizer.lr=0.0", *options)
        run, settings = self.trained(
            name, *options, 'pipeline.export={ type = "StreamFileExporter", format = "npy", input_streams = "indices", '
            'phases = ["training"] }')
        ours, = self.column(run, "test.csv", "perplexity")
        data, model = self.data_and_model(settings)
        order = torch.from_numpy(support.numpy.load(run / "exports/export.indices.npy"))
        batch = settings["training"]["task"]["batch_size"]
        epochs = [list(zip(*(part[indices].split(batch) for part in data.training), strict=True))
                  for indices in order.split(len(data.training[0]))]
        self.assertEqual(len(epochs), settings["training"]["terminal_conditions"]["epoch_limit"])
        model.load(begin)
        losses = train(model, epochs, settings)
        if options:
            self.assert_near(self.column(run, "training.csv", "loss")[:20], losses[:20], 1e-4)
        theirs = perplexity(model, data.test)
        print(f"test perplexity, {name}: ptp {ours:.2f}, PyTorch {theirs:.2f}, ratio {ours / theirs:.4f}")
        self.assertLess(abs(ours / theirs - 1), tolerance)
        model.load(run)
        self.assertLess(abs(perplexity(model, data.test) / ours - 1), 1e-5)


@unittest.skipUnless(importlib.util.find_spec("transformers"), "transformers is missing")
class GptTest(LstmTest):
    config, model, normal = "gpt.toml", Gpt, ""


support.main()
