"""Writes what AttentionDecoder's beam search finds, for each sample by itself: every sentence is written from its beginning, and
all sentences are compared where the beam is wide enough to be exact. Gradients are not taken.

Needs PyTorch; written with 2.15.0. language_models.py writes the file's other numbers, before this one.
"""

import itertools
import pathlib

import torch

torch.set_default_dtype(torch.float64)

BATCH, SOURCE, INPUT, HIDDEN, WORDS, STEPS = 3, 4, 3, 2, 5, 4


def wave(*shape, phase=0.0, step=0.7, scale=1.0):
    k = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return scale * torch.cos(step * k + phase).reshape(shape)


def waves(*shape):
    return wave(*shape, step=1.0)


rnn = torch.nn.GRUCell(HIDDEN + INPUT, HIDDEN)
for weight in rnn.parameters():
    weight.data = waves(*weight.shape)
inputs, state = wave(BATCH, SOURCE, INPUT), wave(BATCH, 1, HIDDEN, phase=1.0)


def write(b, sentence):
    """Log-probabilities at each step and the attention of each, where `sentence` has the words that are written."""
    word, h, rows, maps = waves(1, HIDDEN)[0], state[b, 0], [], []
    for t in range(STEPS):
        keys = inputs[b] @ waves(HIDDEN, INPUT).T
        scores = torch.tanh(waves(HIDDEN, HIDDEN) @ h + waves(HIDDEN) + keys) @ waves(1, HIDDEN)[0]
        weights = scores.softmax(0)
        c = weights @ inputs[b]
        h = rnn(torch.cat([word, c]), h)
        combined = torch.tanh(waves(HIDDEN, INPUT + HIDDEN) @ torch.cat([c, h]) + waves(HIDDEN))
        rows.append((wave(WORDS, HIDDEN, phase=1.0, step=1.0) @ combined).log_softmax(0))
        maps.append(weights)
        if t < len(sentence):
            word = wave(WORDS, HIDDEN, phase=1.0, step=1.0, scale=6.0)[sentence[t]]
    return torch.stack(rows), torch.stack(maps)


def value(b, sentence, end):
    """The log-probability up to the first `end`; after it nothing else may come."""
    stop = sentence.index(end) + 1 if end in sentence else len(sentence)
    if any(word != end for word in sentence[stop:]):
        return -float("inf")
    rows = write(b, sentence)[0]
    return sum(rows[t, word].item() for t, word in enumerate(sentence[:stop]))


def searched(b, width, end):
    if width >= WORDS ** (STEPS - 1):
        return max(itertools.product(range(WORDS), repeat=STEPS), key=lambda sentence: value(b, sentence, end))
    beam = [()]
    for _ in range(STEPS):
        begun = (before + (word,) for before in beam for word in range(WORDS))
        beam = sorted(begun, key=lambda sentence: -value(b, sentence, end))[:width]
    return beam[0]


def text(values):
    return "[" + ", ".join(text(v) if isinstance(v, list) else f"{v:.9g}" for v in values) + "]"


MARK = "\n# What follows is written by tests/golden/beam_search.py\n"
path = pathlib.Path(__file__).parent.parent / "cases" / "attention_decoder_beams.toml"
lines = path.read_text().split(MARK)[0] + MARK
with torch.no_grad():
    for width, end in ((1, None), (2, None), (125, None), (2, 1), (125, 1)):
        found = [list(searched(b, width, end)) for b in range(BATCH)]
        print(width, end, found, [round(value(b, tuple(found[b]), end), 4) for b in range(BATCH)])
        written = [write(b, found[b]) for b in range(BATCH)]
        name = f"width_{width}" if end is None else f"ended_{width}"
        lines += f"\n[numbers.{name}]\noutputs.words = {text(found)}\n"
        lines += f"outputs.predictions = {text([rows.tolist() for rows, _ in written])}\n"
        lines += f"outputs.attention_maps = {text([maps.tolist() for _, maps in written])}\n"
path.write_text(lines)
