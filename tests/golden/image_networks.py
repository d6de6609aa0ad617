#!/usr/bin/python3
"""Writes image_networks.txt: what torchvision's networks make of two images.

Needs Debian's python3-torchvision 0.14:  ./image_networks.py > image_networks.txt

The weights are too large to be kept: they follow from the names of the parameters, by a formula that
tests/plugins/generic_image_encoder_test.cpp computes as well. A line is a name and numbers: the names of all
parameters are hashed, tensors are reduced to their sizes, sums and some of their elements.
"""
import math
import sys

import torch
import torchvision

P = 65521  # a prime
torch.set_num_threads(1)


def noise(name, begin, end):
    """Numbers in [-0.5, 0.5): element k of the tensor of this name."""
    seed = sum((i + 1) * ord(c) for i, c in enumerate(name)) % P
    k = torch.arange(begin, end, dtype=torch.int64) % P
    mixed = (k * k % P * 7919 + k * 31 + seed * (k + 17)) % P
    return mixed.to(torch.float64) / P - 0.5


def values(name, tensor):
    flat = torch.empty(tensor.numel(), dtype=torch.float32)
    for begin in range(0, tensor.numel(), 1 << 20):
        end = min(begin + (1 << 20), tensor.numel())
        x = noise(name, begin, end)
        if tensor.dim() > 1:  # keeps the variance of what passes a layer with ReLU
            x = x * math.sqrt(24 / tensor[0].numel())
        elif name.endswith("weight"):
            x = 0.8 + 0.2 * x
        elif name.endswith("running_var"):
            x = 1 + 0.4 * x
        else:
            x = 0.1 * x
        flat[begin:end] = x
    return flat.reshape(tensor.shape)


def fill(net):
    with torch.no_grad():
        for name, tensor in net.state_dict().items():
            if tensor.is_floating_point():
                tensor.copy_(values(name, tensor))


def images(height, width):
    return noise("images", 0, 2 * 3 * height * width).to(torch.float32).reshape(2, 3, height, width) * 4


def summary(tensor):
    flat = tensor.detach().double().flatten()
    step = max(1, flat.numel() // 7)
    return [*tensor.shape, flat.sum().item(), flat.abs().sum().item(), *flat[::step][:8].tolist()]


def say(name, numbers):
    print(name, *[repr(number) for number in numbers])


def names_hash(net):
    """One number for all names and sizes: the polynomial hash of them, sorted."""
    total = 0
    for name, tensor in sorted(net.state_dict().items()):
        for c in f"{name} {list(tensor.shape)};":
            total = (total * 257 + ord(c)) % 2147483647
    return total


def trunk(name, net, x):
    if "resne" in name:
        for part in (net.conv1, net.bn1, net.relu, net.maxpool, net.layer1, net.layer2, net.layer3,
                     net.layer4):
            x = part(x)
        return x
    maps = net.features(x)
    return torch.relu(maps) if name.startswith("densenet") else maps


def describe(name):
    net = getattr(torchvision.models, name)(num_classes=5)
    say(name + ".names", [len(net.state_dict()), names_hash(net)])
    if name.startswith("vit"):  # smaller images, so that attention to all places takes less
        net = getattr(torchvision.models, name)(num_classes=5, image_size=64)
        fill(net)
        train(name, net, 64)
        return
    fill(net)
    net.eval()
    with torch.no_grad():
        say(name + ".outputs", summary(net(images(64, 96))))
        say(name + ".maps", summary(trunk(name, net, images(70, 96))))
    if name in ("resnet18", "resnext50_32x4d", "densenet121", *NEWER):
        train(name, net)


def train(name, net, width=96):
    """In float64: in float32 the first gradients of DenseNet are rounding to 1 part in 1,000.

    In the newer networks chance drops numbers before the head, or blocks: their gradients are those of evaluation.
    """
    net.double().train(name not in NEWER)
    outputs = net(images(64, width).double())
    say(name + ".trained_outputs", summary(outputs))
    (outputs * torch.arange(1.0, 6.0)).square().mean().backward()
    for parameter, tensor in net.named_parameters():
        if parameter in GRADIENTS:
            say(f"{name}.gradient.{parameter}", summary(tensor.grad))
    for buffer, tensor in net.named_buffers():
        if buffer in BUFFERS:
            say(f"{name}.buffer.{buffer}", summary(tensor))


NEWER = ("mobilenet_v3_large", "efficientnet_b0", "convnext_tiny")
GRADIENTS = ("conv1.weight", "bn1.bias", "layer1.1.conv2.weight", "layer3.0.downsample.0.weight",
             "layer4.1.bn2.weight", "fc.weight", "fc.bias", "features.conv0.weight",
             "features.denseblock2.denselayer7.conv2.weight",
             "features.transition2.conv.weight", "features.norm5.bias", "classifier.weight",
             "features.0.0.weight", "features.4.block.2.fc1.weight", "features.13.block.1.0.weight",
             "features.16.1.bias", "classifier.0.bias", "features.4.1.block.2.fc2.bias",
             "features.6.2.block.1.1.weight", "classifier.1.weight", "features.3.1.block.0.weight",
             "features.5.4.layer_scale", "features.5.8.block.3.bias", "features.6.0.weight",
             "class_token", "conv_proj.weight", "encoder.pos_embedding", "heads.head.bias",
             "encoder.layers.encoder_layer_5.self_attention.in_proj_weight",
             "encoder.layers.encoder_layer_9.mlp.0.weight")
BUFFERS = ("bn1.running_mean", "layer4.1.bn2.running_var", "bn1.num_batches_tracked",
           "features.norm5.running_mean", "features.transition3.norm.running_var")

NETWORKS = ("vgg16", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "resnext50_32x4d",
            "wide_resnet50_2", "densenet121", "mobilenet_v3_large", "mobilenet_v3_small", "efficientnet_b0",
            "convnext_tiny", "vit_b_16")
for wanted in sys.argv[1:] or NETWORKS:
    describe(wanted)
