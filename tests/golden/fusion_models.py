"""Writes the numbers of the cases of plugins/fusion_models and of FeedForwardNetwork, and their gradients, by the formulas
of the papers written out in double precision, with loops where the components are clever.

Needs python3-torch; the same with PyTorch 1.13.1 and 2.15.0.
"""

import collections

import torch

import case_numbers

torch.set_default_dtype(torch.float64)


def wave(*shape, phase):
    k = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return torch.cos(0.7 * k + phase).reshape(shape).requires_grad_(True)


def parameter(*shape):
    k = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return (0.1 * torch.cos(k)).reshape(shape).requires_grad_(True)


OUTPUTS = {"feed_forward_network": "predictions"}
tables = collections.defaultdict(dict)  # by case file


def write(case_file, name, outputs, sources):
    (outputs * wave(*outputs.shape, phase=2).detach()).sum().backward()
    values = {"outputs." + OUTPUTS.get(case_file, "outputs"): outputs.tolist()}
    for source, tensor in sources.items():
        key = source if "." not in source else f'"{source}"'
        gradient = tensor.grad[..., None, None] if source.endswith("_conv.weight") else tensor.grad
        values["gradients." + key] = gradient.tolist()
    tables[case_file][name] = values


def relational_network(name, sizes, use_coordinates):
    batch, depth, height, width, question = 2, 3, 2, 3, 4
    maps = wave(batch, depth, height, width, phase=0)
    questions = wave(batch, question, phase=1)
    parameters = {}
    fan_in = 2 * (depth + (2 if use_coordinates else 0)) + question
    for i, size in enumerate(sizes + [sizes[-1]]):
        parameters[f"g_theta.{2 * i}.weight"] = parameter(size, fan_in)
        parameters[f"g_theta.{2 * i}.bias"] = parameter(size)
        fan_in = size

    def g(x):
        for i in range(len(sizes) + 1):
            x = parameters[f"g_theta.{2 * i}.weight"] @ x + parameters[f"g_theta.{2 * i}.bias"]
            if i < len(sizes):
                x = torch.relu(x)
        return x

    outputs = []
    for b in range(batch):
        objects = []
        for y in range(height):
            for x in range(width):
                place = [(2 * y + 1) / height - 1, (2 * x + 1) / width - 1]
                o = maps[b, :, y, x]
                objects.append(torch.cat([o, torch.tensor(place)]) if use_coordinates else o)
        outputs.append(sum(g(torch.cat([i, j, questions[b]])) for i in objects for j in objects))
    sources = {"feature_maps": maps, "question_encodings": questions, **parameters}
    write("relational_network", name, torch.stack(outputs), sources)



def linear(name, parameters, fan_in, fan_out, has_bias=True):
    parameters[name + ".weight"] = parameter(fan_out, fan_in)
    if has_bias:
        parameters[name + ".bias"] = parameter(fan_out)

    def apply(x):
        y = torch.einsum("oi,...i->...o", parameters[name + ".weight"], x)
        return y + parameters[name + ".bias"] if has_bias else y

    return apply


def encodings():
    return wave(2, 3, phase=0), wave(2, 4, phase=1)


def low_rank_bilinear_pooling(name):
    images, questions = encodings()
    parameters = {}
    image = linear("image_encodings_ff", parameters, 3, 5)
    question = linear("question_encodings_ff", parameters, 4, 5)
    outputs = image(images.clamp(min=0)) * question(questions.clamp(min=0))
    write("low_rank_bilinear_pooling", name, outputs, {"image_encodings": images, "question_encodings": questions, **parameters})


def factorized_bilinear_pooling(name, latent, factor):
    images, questions = encodings()
    parameters = {}
    image = linear("image_encodings_ff", parameters, 3, latent * factor)
    question = linear("question_encodings_ff", parameters, 4, latent * factor)
    products = image(images) * question(questions)
    rows = []
    for product in products:
        pooled = [sum(product[factor * i + j] for j in range(factor)) for i in range(latent)]
        roots = torch.stack([torch.sign(z) * torch.sqrt(torch.abs(z)) for z in pooled])
        rows.append(roots / torch.sqrt((roots * roots).sum()))
    write("factorized_bilinear_pooling", name, torch.stack(rows),
          {"image_encodings": images, "question_encodings": questions, **parameters})


def compact_bilinear_pooling(name, size, is_trainable):
    images, questions = encodings()
    matrices = {}
    for of, length in (("image", 3), ("question", 4)):
        if is_trainable:
            matrix = parameter(length, size)
        else:  # element k goes to place 3 k + 1, the even ones with the sign -1
            matrix = torch.zeros(length, size)
            for k in range(length):
                matrix[k, (3 * k + 1) % size] = 1 if k % 2 else -1
        matrices[of + "_sketch_projection_matrix"] = matrix
    outputs = []
    for b in range(2):
        a, c = (x[b] @ m for x, m in zip((images, questions), matrices.values()))
        outputs.append(torch.stack([sum(a[i] * c[(k - i) % size] for i in range(size))
                                    for k in range(size)]))
    write("compact_bilinear_pooling", name, torch.stack(outputs), {"image_encodings": images, "question_encodings": questions,
                                       **(matrices if is_trainable else {})})


def question_driven_attention(name, heads, is_fusion):
    depth, height, width, size, latent = 3, 2, 3, 4, 5
    maps = wave(2, depth, height, width, phase=0)
    questions = wave(2, size, phase=1)
    parameters = {}
    image = linear("image_encodings_conv", parameters, depth, latent, has_bias=False)
    question = linear("question_encodings_ff", parameters, size, latent)
    attention = linear("attention_conv", parameters, latent, heads)
    rows = []
    for b in range(2):
        places = [maps[b, :, y, x] for y in range(height) for x in range(width)]
        places = [v / (torch.sqrt((v * v).sum()) + 1e-8) for v in places]
        scores = [attention(torch.relu(image(v) + question(questions[b]))) for v in places]
        parts = []
        for h in range(heads):
            weights = [torch.exp(s[h]) for s in scores]
            parts.append(sum(w * v for w, v in zip(weights, places)) / sum(weights))
        rows.append(torch.cat(parts + ([questions[b]] if is_fusion else [])))
    write("question_driven_attention", name, torch.stack(rows),
          {"feature_maps": maps, "question_encodings": questions, **parameters})


def self_attention(name, masks):
    questions = wave(2, 3, 4, phase=0)
    parameters = {}
    hidden = linear("W1", parameters, 4, 5)
    scores = linear("W2", parameters, 5, 2)
    rows = []
    for b in range(2):
        words = [x for x, counts in zip(questions[b], masks[b]) if counts]
        parts = []
        for h in range(2):
            weights = [torch.exp(scores(torch.relu(hidden(x)))[h]) for x in words]
            parts.append(sum(w * x for w, x in zip(weights, words)) / sum(weights))
        rows.append(torch.cat(parts))
    write("self_attention", name, torch.stack(rows), {"question_encodings": questions, **parameters})


def feed_forward_network(name, use_logsoftmax, batch=(2, 3)):
    inputs = wave(*batch, 4, phase=0)
    parameters = {}
    hidden = linear("layers.0", parameters, 4, 5)
    scores = linear("layers.2", parameters, 5, 3)
    outputs = scores(hidden(inputs).clamp(min=0))
    if use_logsoftmax:
        outputs = outputs - torch.log(torch.exp(outputs).sum(-1, keepdim=True))
    write("feed_forward_network", name, outputs, {"inputs": inputs, **parameters})


relational_network("relational_network", [5, 4], False)
relational_network("relational_network_places", [5, 4], True)
relational_network("relational_network_shallow", [3], True)
low_rank_bilinear_pooling("low_rank_bilinear_pooling")
factorized_bilinear_pooling("factorized_bilinear_pooling", 3, 2)
factorized_bilinear_pooling("factorized_bilinear_pooling_single", 2, 1)
compact_bilinear_pooling("compact_bilinear_pooling", 5, False)
compact_bilinear_pooling("compact_bilinear_pooling_even", 4, False)
compact_bilinear_pooling("compact_bilinear_pooling_trainable", 5, True)
question_driven_attention("question_driven_attention", 2, True)
question_driven_attention("question_driven_attention_image", 1, False)
self_attention("self_attention", [[1, 1, 1], [1, 1, 1]])
self_attention("self_attention_masked", [[1, 1, 0], [0, 1, 1]])
feed_forward_network("feed_forward_network", True)
feed_forward_network("feed_forward_network_scores", False)
feed_forward_network("rows", True, (6,))
for case_file, numbers in tables.items():
    case_numbers.write(case_file, "fusion_models.py", numbers, 9)
