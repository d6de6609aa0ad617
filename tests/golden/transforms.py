#!/usr/bin/python3
"""Writes what PyTorch and torchvision make of the inputs of the tests: the numbers of the cases of transforms, and
transforms.txt for the augmentations.

Needs python3-torch and python3-torchvision; the same with PyTorch 1.13.1 and 2.15.0.
"""

import collections
import pathlib

import torch
import torch.nn.functional as F
import torchvision.transforms.functional as TF
from torchvision.transforms import InterpolationMode

import case_numbers

lines = []
tables = collections.defaultdict(dict)  # by case file


def add(name, tensor):
    numbers = tensor.detach().to(torch.float64).flatten().tolist()
    lines.append(" ".join([name] + [f"{number:.9g}" for number in numbers]))


def wave(*shape, phase=0.0):
    count = int(torch.tensor(shape).prod())
    k = torch.arange(count, dtype=torch.float64)
    return torch.cos(0.7 * k + phase).to(torch.float32).reshape(shape)


def with_gradient(case_file, name, function, inputs):
    inputs = inputs.clone().requires_grad_(True)
    outputs = function(inputs)
    (outputs * wave(*outputs.shape, phase=2.0)).sum().backward()
    tables[case_file][name] = {"outputs.outputs": outputs.tolist(), "gradients.inputs": inputs.grad.tolist()}


def non_linearities():
    functions = {
        "relu": F.relu,
        "leaky_relu": lambda x: F.leaky_relu(x, 0.2),
        "elu": lambda x: F.elu(x, 1.5),
        "gelu": F.gelu,
        "sigmoid": torch.sigmoid,
        "tanh": torch.tanh,
        "softmax": lambda x: F.softmax(x, dim=2),
        "log_softmax": lambda x: F.log_softmax(x, dim=1),
    }
    for name, function in functions.items():
        with_gradient("non_linearity", name, function, wave(2, 3, 4) * 2)


def reductions():
    for name in ["sum", "mean"]:
        with_gradient("reduce_tensor", name, lambda x: getattr(torch, name)(x, dim=2), wave(2, 3, 4, 2))
    for name in ["min", "max", "median"]:
        with_gradient("reduce_tensor", name, lambda x: getattr(torch, name)(x, dim=2)[0], wave(2, 3, 4, 2))
    for name in ["argmin", "argmax"]:
        tables["reduce_tensor"][name] = {"outputs.outputs": getattr(torch, name)(wave(2, 3, 4, 2), dim=2).tolist()}
    # Of some of the 4 places, row by row: the first 3 of the first sample and 1 of the second, or those of a mask.
    masks = torch.tensor([k % 3 != 1 for k in range(24)]).reshape(2, 3, 4)
    for what in ["lengths", "masks"]:
        def rows(x):
            for i in range(2):
                for k in range(3):
                    yield x[i, k, :3 - 2 * i] if what == "lengths" else x[i, k][masks[i, k]]

        def reduced(name, x):
            results = [getattr(torch, name)(row, dim=0) for row in rows(x)]
            return torch.stack([r if isinstance(r, torch.Tensor) else r[0] for r in results]).reshape(2, 3, 2)

        for name in ["sum", "mean", "min", "max", "median"]:
            with_gradient("reduce_tensor", f"{what}-{name}", lambda x: reduced(name, x), wave(2, 3, 4, 2))
        for name in ["argmin", "argmax"]:
            places = torch.arange(4.0).reshape(1, 1, 4, 1).expand(2, 3, 4, 2)
            chosen = torch.stack([p.gather(0, getattr(torch, name)(row, dim=0, keepdim=True)).squeeze(0)
                                  for row, p in zip(rows(wave(2, 3, 4, 2)), rows(places))])
            tables["reduce_tensor"][f"{what}-{name}"] = {"outputs.outputs": chosen.reshape(2, 3, 2).to(int).tolist()}


def sizes():
    def resize(size, **how):
        return lambda x: F.interpolate(x, size=size, **how)

    with_gradient("resize", "larger", resize((7, 5), mode="bilinear"), wave(2, 2, 4, 3))
    with_gradient("resize", "smaller", resize((3, 2), mode="bilinear"), wave(1, 2, 8, 9))
    with_gradient("resize", "antialias", resize((3, 2), mode="bilinear", antialias=True), wave(1, 2, 8, 9))
    with_gradient("resize", "nearest", resize((3, 5), mode="nearest"), wave(1, 2, 8, 3))


def affine():
    cases = {
        "turn": dict(angle=30.0, translate=[0, 0], scale=1.0, shear=[0.0, 0.0]),
        "larger": dict(angle=0.0, translate=[0, 0], scale=1.3, shear=[0.0, 0.0]),
        "shear": dict(angle=0.0, translate=[0, 0], scale=1.0, shear=[20.0, -10.0]),
        "all": dict(angle=-40.0, translate=[0, 0], scale=0.8, shear=[15.0, 5.0]),
    }
    images = wave(1, 2, 6, 8)
    mask = torch.arange(48).remainder(5).reshape(1, 1, 6, 8)
    for name, how in cases.items():
        add(f"affine.{name}",
            TF.affine(images, interpolation=InterpolationMode.BILINEAR, **how))
        add(f"affine.{name}.mask",
            TF.affine(mask.float(), interpolation=InterpolationMode.NEAREST, **how))
    add("affine.moved",
        TF.affine(images, angle=25.0, translate=[2, -1], scale=1.1, shear=[5.0, 0.0],
                  interpolation=InterpolationMode.BILINEAR))
    # torchvision's own fill weighs pixels at the edge twice, so the images are moved to 0 instead.
    add("affine.filled",
        TF.affine(images - 0.25, interpolation=InterpolationMode.BILINEAR, **cases["turn"]) + 0.25)


def colors():
    image = (wave(3, 3, 4) + 1) / 2
    image[:, 0, 0] = 0.5  # grey
    image[:, 0, 1] = 0.0  # black
    add("colors.brightness", TF.adjust_brightness(image, 1.4))
    add("colors.contrast", TF.adjust_contrast(image, 0.6))
    add("colors.saturation", TF.adjust_saturation(image, 1.8))
    add("colors.hue", TF.adjust_hue(image, 0.3))
    add("colors.hue_back", TF.adjust_hue(image, -0.45))
    add("colors.grey_contrast", TF.adjust_contrast(image[:1], 1.7))


non_linearities()
reductions()
sizes()
affine()
colors()
pathlib.Path(__file__).with_suffix(".txt").write_text("\n".join(lines) + "\n")
for case_file, numbers in tables.items():
    case_numbers.write(case_file, "transforms.py", numbers, 9)
