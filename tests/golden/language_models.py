"""Writes the numbers of the cases of plugins/language_models, and their gradients: torch.nn's layers in double precision, one
sample at a time, so that a sequence that ends early is cut off, and no padding is computed.

Needs PyTorch; written with 2.15.0.
"""

import collections

import torch

import case_numbers

torch.set_default_dtype(torch.float64)

BATCH, STEPS, INPUT, HIDDEN, PREDICTION = 3, 4, 3, 2, 3
tables = collections.defaultdict(dict)  # by case file


def wave(*shape, phase=0):
    k = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return torch.cos(0.7 * k + phase).reshape(shape).requires_grad_(True)


def parameter(*shape):
    k = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return (0.1 * torch.cos(k)).reshape(shape).requires_grad_(True)


def write(case_file, name, output, outputs, sources):
    (outputs * wave(*outputs.shape, phase=2).detach()).sum().backward()
    values = {"outputs." + output: outputs.tolist()}
    for source, tensor in sources.items():
        key = source if "." not in source else f'"{source}"'
        gradient = torch.zeros_like(tensor) if tensor.grad is None else tensor.grad
        values["gradients." + key] = gradient.tolist()
    tables[case_file][name] = values


def with_waves(module, prefix, sources):
    """The module with the weights that the cases give, which are listed in `sources`."""
    for name, weight in module.named_parameters():
        weight.data = parameter(*weight.shape).detach()
        sources[f"{prefix}.{name}"] = weight
    return module


def cell(kind, layers, bidirectional, prefix, sources, inputs=INPUT):
    make = {"LSTM": torch.nn.LSTM, "GRU": torch.nn.GRU}.get(kind, torch.nn.RNN)
    more = {"nonlinearity": kind[4:].lower()} if make == torch.nn.RNN else {}
    module = make(inputs, HIDDEN, layers, bidirectional=bidirectional, batch_first=True, **more)
    return with_waves(module, prefix, sources)


def learned_state(kind, layers, sources):
    names = ["init_hidden", "init_memory"] if kind == "LSTM" else ["init_hidden"]
    state = []
    for name in names:
        sources[name] = parameter(layers, 1, HIDDEN)
        state.append(sources[name])
    return state


def split(kind, state):
    """A stream's state of one sample, as torch.nn takes it."""
    if kind == "LSTM":
        return state[0].unsqueeze(1).contiguous(), state[1].unsqueeze(1).contiguous()
    return state.unsqueeze(1).contiguous()


def merged(kind, state):
    return torch.stack([state[0], state[1]]).squeeze(2) if kind == "LSTM" else state.squeeze(1)


def recurrent(name, kind, layers=1, bidirectional=False, prediction="Dense", lengths=(STEPS,) * BATCH, given_state=False,
              has_output=True, log_softmax=True, steps=0, has_inputs=True, batch=BATCH):
    """`steps`: of autoregression."""
    sources = {}
    total = layers * (2 if bidirectional else 1)
    size = HIDDEN * (2 if bidirectional else 1)
    width = HIDDEN if steps and not has_output else INPUT
    rnn = cell(kind, layers, bidirectional, "rnn_cell", sources, width)
    linear = torch.nn.Identity()
    if has_output and prediction != "None":
        linear = with_waves(torch.nn.Linear(size, PREDICTION), "activation2output", sources)
    if has_inputs:
        sources["inputs"] = wave(batch, width) if steps else wave(batch, STEPS, width)
    if given_state:
        sources["input_state"] = wave(*((batch, 2, total, HIDDEN) if kind == "LSTM" else (batch, total, HIDDEN)), phase=1)
    else:
        start = learned_state(kind, total, sources)
    predictions, states = [], []
    for b in range(batch):
        state = split(kind, sources["input_state"][b]) if given_state else tuple(start) if kind == "LSTM" else start[0]
        if steps:
            x = sources["inputs"][b:b + 1] if has_inputs else torch.zeros(1, width)
            rows = []
            for _ in range(steps):
                activations, state = rnn(x.unsqueeze(1), state)
                x = linear(activations[:, 0])
                rows.append(x)
            predictions.append(torch.cat(rows) if prediction == "Dense" else rows[-1][0])
        else:
            activations, state = rnn(sources["inputs"][b:b + 1, :lengths[b]], state)
            if prediction == "Dense":
                padding = torch.zeros(STEPS - lengths[b], size)
                predictions.append(linear(torch.cat([activations[0], padding])))
            else:
                last = [activations[0, -1, :HIDDEN], activations[0, 0, HIDDEN:]]
                predictions.append(linear(torch.cat(last)))
        states.append(merged(kind, state))
    if prediction == "None":
        write("recurrent_neural_network", name, "output_state", torch.stack(states), sources)
        return
    outputs = torch.stack(predictions)
    if log_softmax:
        outputs = outputs - torch.log(torch.exp(outputs).sum(-1, keepdim=True))
    write("recurrent_neural_network", name, "predictions", outputs, sources)


for kind in ("LSTM", "GRU", "RNN_TANH", "RNN_RELU"):
    recurrent(kind.lower(), kind)
for kind in ("LSTM", "GRU", "RNN_RELU"):
    recurrent(kind.lower() + "_lengths", kind, 2, lengths=(2, 4, 1))
for kind in ("LSTM", "GRU", "RNN_TANH"):
    recurrent(kind.lower() + "_first", kind, 2, steps=3)
for kind in ("LSTM", "GRU"):
    recurrent(kind.lower() + "_state_to_state", kind, 2, prediction="None", given_state=True)
recurrent("lstm_last_both_ways_lengths", "LSTM", 1, True, "Last", (2, 4, 1))
recurrent("gru_two_layers_both_ways", "GRU", 2, True)
recurrent("last", "LSTM", prediction="Last")
recurrent("scores", "GRU", log_softmax=False)
recurrent("activations", "LSTM", 2, True, "Dense", has_output=False, log_softmax=False)
recurrent("activations_as_log_probabilities", "GRU", 1, False, "Last", has_output=False)
recurrent("state_with_lengths", "LSTM", 2, True, "None", (2, 4, 1))
recurrent("state_in", "LSTM", 2, True, given_state=True)
recurrent("first_last", "GRU", prediction="Last", steps=3)
recurrent("first_activations", "GRU", steps=3, has_output=False, log_softmax=False)
recurrent("from_nothing", "GRU", steps=3, has_inputs=False, batch=1)
recurrent("from_a_state", "LSTM", 2, steps=3, has_inputs=False, given_state=True, batch=1)


def index_embeddings(name, indices, words, size, padding=None):
    table = torch.nn.Embedding(words, size, padding_idx=padding)
    sources = {}
    with_waves(table, "embeddings", sources)
    write("index_embeddings", name, "outputs", table(torch.tensor(indices)), sources)


index_embeddings("vectors", [[0, 3, 1], [3, 3, 4]], 5, 2)
index_embeddings("padded", [[0, 3, 1], [3, 3, 4]], 5, 2, padding=3)
for case_file, numbers in tables.items():
    case_numbers.write(case_file, "language_models.py", numbers, 9)
