#!/usr/bin/python3
"""Writes the files in tests/golden/pth, as torch.save() and torch.jit.save() of PyTorch make them.

Needs Debian's python3-torch:  ./pth_files.py
Keys in the old form are addresses, so that each time its files differ. What is in them is checked in tests/unit/engine/pretrained and tests/runs/pretrained_test.cpp.
"""
import collections
import os
import zipfile

import numpy
import torch

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pth")
os.makedirs(FOLDER, exist_ok=True)


def save(value, name, **options):
    torch.save(value, os.path.join(FOLDER, name), **options)


def save_both(value, name):
    save(value, name + ".pth")
    save(value, name + "_legacy.pth", _use_new_zipfile_serialization=False)


class Net(torch.nn.Module):
    """What FeedForwardNetwork is with hidden_sizes = [16] and a dropout_rate, for four features."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(),
                                          torch.nn.Dropout(0.1), torch.nn.Linear(16, 10))


def net():
    made = Net()
    with torch.no_grad():
        for i, tensor in enumerate(made.parameters()):
            tensor.copy_((torch.arange(tensor.numel()) * 0.125 + i).reshape(tensor.shape))
    return made


def tensors():
    base = torch.arange(12, dtype=torch.float32)
    found = collections.OrderedDict()
    for kind in ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8"):
        found[kind] = torch.arange(6).to(getattr(torch, kind)).reshape(2, 3)
    found["bool"] = torch.tensor([True, False, True])
    found["number"] = torch.tensor(7.0)
    found["empty"] = torch.zeros(0, 4)
    found["transposed"] = base.reshape(3, 4).t()
    found["slice"] = base[2:11:3]
    found["expanded"] = base[5:6].expand(2, 3)
    found["parameter"] = torch.nn.Parameter(base[:2])
    found["features.denselayer12.norm.2.running_mean"] = base[:3]
    found["nested"] = {"a": {"b": base[3:5]}, 7: base[:1], "size": torch.Size([2]), "text": "x"}
    found["list"] = [1, 2.5, None, True, (3,)]
    return found


save_both(tensors(), "tensors")
save(tensors(), "tensors_protocol4.pth", pickle_protocol=4)
save(tensors(), "tensors_legacy_protocol4.pth", pickle_protocol=4, _use_new_zipfile_serialization=False)
save_both(net().state_dict(), "net")
save_both(net(), "model")

model = net()
optimizer = torch.optim.Adam(model.parameters())
sum(parameter.sum() for parameter in model.parameters()).backward()
optimizer.step()
save({"epoch": 3, "state_dict": net().state_dict(), "optimizer": optimizer.state_dict()}, "checkpoint.pth")
save({"module." + name: tensor for name, tensor in net().state_dict().items()}, "parallel.pth")
save({"net": net().state_dict()}, "pipeline.pth")
save(net().half().state_dict(), "half.pth")
save({"weight": torch.ones(1), "best": numpy.float64(0.5)}, "numpy.pth")
save(torch.ones(2), "tensor.pth")
save({"epoch": 3}, "nothing.pth")
for name, entry in (("compressed.zip", "a/data.pkl"), ("other.zip", "a/readme.txt")):
    with zipfile.ZipFile(os.path.join(FOLDER, name), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(entry), b"N." * 40, zipfile.ZIP_DEFLATED)
torch.jit.script(torch.nn.Linear(1, 1)).save(os.path.join(FOLDER, "script.pt"))
