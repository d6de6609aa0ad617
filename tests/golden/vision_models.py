#!/usr/bin/python3
"""Writes the numbers of the cases of VisionTransformer, from torchvision's, and of UNet, from torch's functions, with gradients, in
double precision.

Needs PyTorch and torchvision; written with Debian's 1.13 and 0.14.
"""

import torch
import torchvision
from torch.nn import functional

import case_numbers

torch.set_default_dtype(torch.float64)


def waves(shape, phase=0.0, step=0.7, scale=1.0):
    k = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return (scale * torch.cos(step * k + phase)).reshape(shape)


def parameter(shape):
    return waves(shape, step=1.0, scale=0.1).requires_grad_(True)


def values(outputs, sources):
    (outputs * waves(outputs.shape, phase=2.0)).sum().backward()
    numbers = {"outputs.predictions": outputs.tolist()}
    for name, tensor in sources.items():
        numbers[f'gradients."{name}"'] = tensor.grad.tolist()
    return numbers


def transformer(depth, image_size, patch_size):
    """Its images have three channels: where others are asked for, the projection is replaced."""
    net = torchvision.models.VisionTransformer(image_size=image_size, patch_size=patch_size, num_layers=2, num_heads=2,
                                               hidden_dim=4, mlp_dim=3, num_classes=3)
    if depth != 3:
        net.conv_proj = torch.nn.Conv2d(depth, 4, patch_size, patch_size)
    for weight in net.parameters():
        weight.data = parameter(weight.shape).detach()
    images = waves((2, depth, image_size, image_size)).requires_grad_(True)
    return values(net(images), {"inputs": images, **dict(net.named_parameters())})


def convolved(maps, channels, prefix, has_norms, sources):
    """Two convolutions of 3 x 3, each with batch normalization and ReLU."""
    for number in ("1", "2"):
        def take(name, *shape):
            sources[f"{prefix}.{name}"] = parameter(shape)
            return sources[f"{prefix}.{name}"]

        weight = take(f"conv{number}.weight", channels, maps.shape[1], 3, 3)
        bias = None if has_norms else take(f"conv{number}.bias", channels)
        maps = functional.conv2d(maps, weight, bias, padding=1)
        if has_norms:
            maps = functional.batch_norm(maps, None, None, take(f"norm{number}.weight", channels),
                                         take(f"norm{number}.bias", channels), training=True)
        maps = functional.relu(maps)
    return maps


def unet(channels, height, width, has_norms=True):
    images = waves((2, 1, height, width)).requires_grad_(True)
    sources = {"inputs": images}
    skipped = []
    maps = images
    for level, count in enumerate(channels):
        if level > 0:
            skipped.append(maps)
            maps = functional.max_pool2d(maps, 2)
        maps = convolved(maps, count, f"down{level + 1}", has_norms, sources)
    for number, other in enumerate(reversed(skipped), 1):
        count = other.shape[1]
        weight, bias = parameter((maps.shape[1], count, 2, 2)), parameter((count,))
        sources |= {f"upward{number}.weight": weight, f"upward{number}.bias": bias}
        maps = torch.cat([other, functional.conv_transpose2d(maps, weight, bias, stride=2)], 1)
        maps = convolved(maps, count, f"up{number}", has_norms, sources)
    weight, bias = parameter((2, channels[0], 1, 1)), parameter((2,))
    sources |= {"head.weight": weight, "head.bias": bias}
    return values(functional.conv2d(maps, weight, bias), sources)


case_numbers.write("vision_transformer", "vision_models.py",
                   {"color": transformer(3, 4, 2), "grey": transformer(1, 6, 2)}, digits=9)
case_numbers.write("unet", "vision_models.py",
                   {"two_levels": unet([2, 3], 2, 4), "three_levels": unet([1, 2, 2], 4, 4),
                    "without_norms": unet([2, 2], 2, 2, has_norms=False)}, digits=9)
