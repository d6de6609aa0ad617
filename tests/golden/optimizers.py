#!/usr/bin/python3
"""Writes optimizers.txt: the weights that PyTorch's optimizers reach in some steps.

Needs Debian's python3-torch:  ./optimizers.py > optimizers.txt
A line has, with ";" between them, the options of [training.optimizer] as TOML, those of a second group
of parameters, and after each step the weights a[0], a[1] of the first group and b[0], b[1] of the second.
The loss is 1.5 a[0]^2 - a[1] + a[1]^2 + (a[0] b[0] - 1)^2 + b[1]^4, from a = (1, -2) and b = (0.5, 1).
"""
import inspect
import torch
from torch.optim import nadam

torch.set_default_dtype(torch.float64)
STEPS = 8

# 1.13 multiplies by the momentum of the step twice; since 2.0 it is this formula.
exec(compile(inspect.getsource(nadam._single_tensor_nadam)
             .replace("mu_product * mu * mu_next", "mu_product * mu_next"), "nadam", "exec"),
     nadam.__dict__)


def toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(repr(float(item)) for item in value) + "]"
    return '"' + value + '"' if isinstance(value, str) else repr(float(value))


def table(options):
    return "{ " + ", ".join(f"{key} = {toml(value)}" for key, value in options.items()) + " }"


def weights(name, options, group):
    a = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    b = torch.nn.Parameter(torch.tensor([0.5, 1.0]))
    # One that PyTorch lacks is a class of its name in this file, written by its paper.
    made = getattr(torch.optim, name, None) or globals()[name]
    optimizer = made([{"params": [a]}, {"params": [b], **group}], **options)
    found = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = 1.5 * a[0] ** 2 - a[1] + a[1] ** 2 + (a[0] * b[0] - 1) ** 2 + b[1] ** 4
        loss.backward()
        optimizer.step()
        found += a.tolist() + b.tolist()
    print(table({"type": name, **options}), table(group), " ".join(repr(one) for one in found),
          sep=" ; ")


weights("SGD", {"lr": 0.05}, {"lr": 0.02})
weights("SGD", {"lr": 0.05, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.1},
        {"momentum": 0.5, "weight_decay": 0.2})
weights("SGD", {"lr": 0.05, "momentum": 0.8, "nesterov": True}, {"lr": 0.01})
for adam in ("Adam", "AdamW"):
    weights(adam, {"lr": 0.05}, {"lr": 0.02})
    weights(adam, {"lr": 0.1, "betas": (0.7, 0.95), "eps": 0.01, "weight_decay": 0.1,
                   "amsgrad": True}, {"lr": 0.3, "weight_decay": 0.2})
weights("RMSprop", {"lr": 0.05}, {"lr": 0.02})
weights("RMSprop", {"lr": 0.05, "alpha": 0.9, "eps": 0.01, "weight_decay": 0.1, "momentum": 0.5,
                    "centered": True}, {"momentum": 0.25, "weight_decay": 0.2})
weights("Adagrad", {"lr": 0.3}, {"lr": 0.1})
weights("Adagrad", {"lr": 0.5, "lr_decay": 0.1, "eps": 0.01, "weight_decay": 0.1,
                    "initial_accumulator_value": 0.2}, {"lr_decay": 0.2, "weight_decay": 0.2})
weights("Adamax", {}, {"lr": 0.02})
weights("Adamax", {"lr": 0.1, "betas": (0.7, 0.8), "eps": 0.01, "weight_decay": 0.1},
        {"betas": (0.5, 0.9), "weight_decay": 0.2})
weights("NAdam", {}, {"lr": 0.02})
weights("NAdam", {"lr": 0.1, "betas": (0.7, 0.8), "eps": 0.01, "weight_decay": 0.1,
                  "momentum_decay": 0.5}, {"momentum_decay": 0.25, "weight_decay": 0.2})
weights("RAdam", {}, {"lr": 0.02})
weights("RAdam", {"lr": 0.1, "betas": (0.7, 0.95), "eps": 0.01, "weight_decay": 0.1},
        {"betas": (0.5, 0.9), "weight_decay": 0.2})
weights("Adadelta", {}, {"lr": 0.5})
weights("Adadelta", {"lr": 10.0, "rho": 0.7, "eps": 0.001, "weight_decay": 0.1},
        {"rho": 0.5, "weight_decay": 0.2})
weights("ASGD", {}, {"lr": 0.05})
weights("ASGD", {"lr": 0.1, "lambd": 0.2, "alpha": 0.5, "t0": 3.0, "weight_decay": 0.1},
        {"alpha": 1.0, "weight_decay": 0.2})
weights("Rprop", {}, {"lr": 0.2})
weights("Rprop", {"lr": 0.3, "etas": (0.4, 1.5), "step_sizes": (0.05, 0.7)}, {"etas": (0.25, 2.0)})
