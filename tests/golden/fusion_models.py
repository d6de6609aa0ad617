"""Writes what the components of plugins/fusion_models compute, and their gradients, by the formulas
of the papers written out in double precision, with loops where the components are clever.

Usage: /usr/bin/python3 fusion_models.py > fusion_models.txt      (needs python3-torch)
"""

import torch

torch.set_default_dtype(torch.float64)


def wave(*shape, phase):
    k = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return torch.cos(0.7 * k + phase).reshape(shape).requires_grad_(True)


def parameter(*shape):
    k = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return (0.1 * torch.cos(k)).reshape(shape).requires_grad_(True)


def write(name, outputs, sources):
    def line(what, tensor):
        print(name + "." + what, *("%.9g" % x for x in tensor.flatten().tolist()))

    (outputs * wave(*outputs.shape, phase=2).detach()).sum().backward()
    line("outputs", outputs)
    for source, tensor in sources.items():
        line("gradient." + source, tensor.grad)


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
    write(name, torch.stack(outputs), sources)


relational_network("relational_network", [5, 4], False)
relational_network("relational_network_places", [5, 4], True)
relational_network("relational_network_shallow", [3], True)
