#!/usr/bin/python3
"""Writes the numbers of the cases of VisionTransformer, from torchvision's, with gradients, in double precision.

Needs PyTorch and torchvision; written with Debian's 1.13 and 0.14.
"""

import torch
import torchvision

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


case_numbers.write("vision_transformer", "vision_models.py",
                   {"color": transformer(3, 4, 2), "grey": transformer(1, 6, 2)}, digits=9)
