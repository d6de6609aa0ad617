"""Writes the numbers of the cases of plugins/language_models, and their gradients: torch.nn's layers in double precision, one
sample at a time, so that a sequence that ends early is cut off, and no padding is computed.

Needs PyTorch; written with 2.15.0.
"""

import collections
import math

import torch

import case_numbers

torch.set_default_dtype(torch.float64)

BATCH, STEPS, INPUT, HIDDEN, PREDICTION = 3, 4, 3, 2, 3
tables = collections.defaultdict(dict)  # by case file


def wave(*shape, phase=0):
    k = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return torch.cos(0.7 * k + phase).reshape(shape).requires_grad_(True)


def parameter(*shape, scale=0.1):
    k = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return (scale * torch.cos(k)).reshape(shape).requires_grad_(True)


def write(case_file, name, output, outputs, sources):
    (outputs * wave(*outputs.shape, phase=2).detach()).sum().backward()
    values = {"outputs." + output: outputs.tolist()}
    for source, tensor in sources.items():
        key = source if "." not in source else f'"{source}"'
        gradient = torch.zeros_like(tensor) if tensor.grad is None else tensor.grad
        values["gradients." + key] = gradient.tolist()
    tables[case_file][name] = values


def with_waves(module, prefix, sources, scale=0.1):
    """The module with the weights that the cases give, which are listed in `sources`."""
    for name, weight in module.named_parameters():
        weight.data = parameter(*weight.shape, scale=scale).detach()
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


def seq2seq(name, kind, layers=1, lengths=(STEPS,) * BATCH, given_state=False, is_taught=False, log_softmax=True, steps=3):
    sources = {}
    encoder = cell(kind, layers, False, "rnn_cell_enc", sources)
    decoder = cell(kind, layers, False, "rnn_cell_dec", sources)
    linear = with_waves(torch.nn.Linear(HIDDEN, INPUT), "activation2output", sources)
    sources["inputs"] = wave(BATCH, STEPS, INPUT)
    if is_taught:
        sources["teacher_inputs"] = wave(BATCH, steps, INPUT, phase=3)
    if given_state:
        sources["input_state"] = wave(*((BATCH, 2, layers, HIDDEN) if kind == "LSTM" else (BATCH, layers, HIDDEN)), phase=1)
    else:
        start = learned_state(kind, layers, sources)
    predictions = []
    for b in range(BATCH):
        state = split(kind, sources["input_state"][b]) if given_state else tuple(start) if kind == "LSTM" else start[0]
        activations, state = encoder(sources["inputs"][b:b + 1, :lengths[b]], state)
        x = linear(activations[:, -1])
        rows = []
        for t in range(steps):
            activations, state = decoder(x.unsqueeze(1), state)
            rows.append(linear(activations[:, 0]))
            x = sources["teacher_inputs"][b:b + 1, t] if is_taught else rows[-1]
        predictions.append(torch.cat(rows))
    outputs = torch.stack(predictions)
    write("seq2seq", name, "predictions", outputs.log_softmax(-1) if log_softmax else outputs, sources)


def attention_decoder(name, kind, lengths=(STEPS,) * BATCH, targets=None, prediction="Dense", steps=4):
    words, size, scale = 5, 2, 1.0
    sources = {}
    rnn = with_waves(torch.nn.GRU(size + (INPUT if kind == "Bahdanau" else 0), HIDDEN), "rnn_cell", sources, scale)
    combine = with_waves(torch.nn.Linear(INPUT + HIDDEN, HIDDEN), "attn_combine", sources, scale)
    linear = with_waves(torch.nn.Linear(HIDDEN, words), "activation2output_layer", sources, 5.0)
    torch.nn.init.zeros_(linear.bias)  # else the first word is always the highest
    for parameter_name, shape in (("attn.key.weight", (HIDDEN, INPUT)), ("embeddings.weight", (words, size)), ("sos_token", (1, size))):
        sources[parameter_name] = parameter(*shape, scale=scale)
    if kind == "Bahdanau":
        sources["attn.query.weight"] = parameter(HIDDEN, HIDDEN, scale=scale)
        sources["attn.query.bias"] = parameter(HIDDEN, scale=scale)
        sources["attn.score.weight"] = parameter(1, HIDDEN, scale=scale)
    sources["inputs"] = wave(BATCH, STEPS, INPUT)
    sources["input_state"] = wave(BATCH, 1, HIDDEN, phase=1)

    def score(query, encoding):
        key = sources["attn.key.weight"] @ encoding
        if kind == "Luong":
            return query @ key
        asked = sources["attn.query.weight"] @ query + sources["attn.query.bias"]
        return sources["attn.score.weight"][0] @ torch.tanh(asked + key)

    def context(query, b):
        encodings = sources["inputs"][b, :lengths[b]]
        exps = [torch.exp(score(query, encoding)) for encoding in encodings]
        return sum(e * encoding for e, encoding in zip(exps, encodings)) / sum(exps)

    predictions, states = [], []
    for b in range(BATCH):
        h = sources["input_state"][b, 0]
        word = sources["sos_token"][0]
        rows = []
        for t in range(steps):
            if kind == "Bahdanau":
                c = context(h, b)
                word = torch.cat([word, c])
            h = rnn(word.view(1, 1, -1), h.view(1, 1, -1))[1].view(-1)
            if kind == "Luong":
                c = context(h, b)
            rows.append(linear(torch.tanh(combine(torch.cat([c, h])))).log_softmax(-1))
            written = int(rows[-1].argmax()) if targets is None else targets[b][t]
            word = sources["embeddings.weight"][written]
        predictions.append(rows[-1] if prediction == "Last" else torch.stack(rows))
        states.append(h.unsqueeze(0))
    if prediction == "None":
        write("attention_decoder", name, "output_state", torch.stack(states), {})  # the output layer has no gradient
    else:
        write("attention_decoder", name, "predictions", torch.stack(predictions), sources)


for kind in ("LSTM", "GRU"):
    seq2seq(kind.lower(), kind, 2)
seq2seq("rnn_relu", "RNN_RELU")
seq2seq("lengths", "LSTM", lengths=(2, 4, 1))
seq2seq("state_in", "LSTM", given_state=True)
seq2seq("gru_state_in", "GRU", given_state=True)
seq2seq("taught", "GRU", is_taught=True)
seq2seq("scores", "GRU", log_softmax=False)
TARGETS = [[4, 0, 3, 1], [2, 2, 0, 4], [1, 3, 4, 0]]
for kind in ("Bahdanau", "Luong"):
    attention_decoder(kind.lower(), kind)
    attention_decoder(kind.lower() + "_lengths", kind, (2, 4, 1))
    attention_decoder(kind.lower() + "_taught", kind, targets=TARGETS)
attention_decoder("last", "Bahdanau", prediction="Last")
attention_decoder("state", "Bahdanau", prediction="None")


def transformer_encoder(name, norm_first=False, activation="relu", is_causal=False, lengths=(STEPS,) * BATCH, has_positions=True):
    size, heads, layers = 6, 2, 2
    sources = {}
    layer = torch.nn.TransformerEncoderLayer(size, heads, 3, dropout=0, activation=activation, batch_first=True, norm_first=norm_first)
    norm = torch.nn.LayerNorm(size) if norm_first else None
    encoder = torch.nn.TransformerEncoder(layer, layers, norm, enable_nested_tensor=False)
    for parameter_name, weight in encoder.named_parameters():
        weight.data = parameter(*weight.shape).detach()
        sources[parameter_name] = weight
    sources["inputs"] = wave(BATCH, STEPS, size)
    rows = []
    for b in range(BATCH):
        steps = lengths[b]
        waves = torch.tensor([[math.cos(p / 10000 ** ((e - 1) / size)) if e % 2 else math.sin(p / 10000 ** (e / size))
                               for e in range(size)] for p in range(steps)])
        x = sources["inputs"][b:b + 1, :steps] + (waves if has_positions else 0)
        mask = torch.nn.Transformer.generate_square_subsequent_mask(steps, dtype=torch.float64) if is_causal else None
        rows.append(torch.cat([encoder(x, mask=mask)[0], torch.zeros(STEPS - steps, size)]))
    write("transformer_encoder", name, "outputs", torch.stack(rows), sources)


transformer_encoder("plain")
transformer_encoder("norm_first", norm_first=True, activation="gelu")
transformer_encoder("causal", is_causal=True, has_positions=False)
transformer_encoder("lengths", lengths=(2, 4, 1))
transformer_encoder("causal_lengths", is_causal=True, lengths=(2, 4, 1), norm_first=True)


def index_embeddings(name, indices, words, size, padding=None):
    table = torch.nn.Embedding(words, size, padding_idx=padding)
    sources = {}
    with_waves(table, "embeddings", sources)
    write("index_embeddings", name, "outputs", table(torch.tensor(indices)), sources)


def sentence_embeddings(name, sentences, vocabulary, size, steps=None):
    """Indexed one by one, and looked up without the padding, whose vectors are zeros."""
    table = torch.nn.Embedding(len(vocabulary), size, padding_idx=vocabulary.index("<PAD>"))
    sources = {}
    with_waves(table, "embeddings", sources)
    table.weight.data[table.padding_idx] = 0
    steps = steps or max(len(words) for words in sentences)
    rows = []
    for words in sentences:
        vectors = table(torch.tensor([vocabulary.index(word) for word in words[:steps]], dtype=torch.long))
        rows.append(torch.cat([vectors, torch.zeros(steps - len(vectors), size)]))
    write("sentence_embeddings", name, "outputs", torch.stack(rows), sources)


SENTENCES = [["b"], ["c", "a", "b", "b"], [], ["a", "c"]]
sentence_embeddings("vectors", SENTENCES, ["a", "b", "c", "<PAD>"], 3)
sentence_embeddings("padding_first", SENTENCES, ["<PAD>", "a", "b", "c"], 3)
sentence_embeddings("fixed_padding", SENTENCES, ["a", "b", "c", "<PAD>"], 3, steps=2)
index_embeddings("vectors", [[0, 3, 1], [3, 3, 4]], 5, 2)
index_embeddings("padded", [[0, 3, 1], [3, 3, 4]], 5, 2, padding=3)
for case_file, numbers in tables.items():
    case_numbers.write(case_file, "language_models.py", numbers, 9)
