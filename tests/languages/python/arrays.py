"""Arrays of numpy and tensors of PyTorch, in and out, without copies."""

import numpy

import ptp

sent = {}  # where the memory is of what was returned last


def address(array):
    return array.__array_interface__["data"][0]


class Double(ptp.Transform):
    """Twice the inputs, with numpy, or with PyTorch."""

    settings = [ptp.setting("library", str, choices=["numpy", "torch"], default="numpy", help="What computes"),
                ptp.setting("form", str, choices=["plain", "transposed", "reversed", "read_only", "whole"],
                            default="plain", help="How the result lies in memory")]
    ports = [ptp.input("inputs", ptp.FLOAT, "B, width", "Numbers"),
             ptp.output("outputs", ptp.FLOAT, "B, width", "Twice the numbers"),
             ptp.output("flags", ptp.BOOL, "B", "Whether the first is positive"),
             ptp.output("counts", ptp.INTEGER, "B", "Of positive numbers")]

    def __init__(self, settings, setup):
        self.library, self.form = settings.library, settings.form

    def forward(self, inputs):
        if self.library == "torch":
            import torch
            x = torch.from_dlpack(inputs)
            assert x.data_ptr() == address(numpy.asarray(inputs))
            y = x * 2
            sent["address"] = y.data_ptr()
            return y, (x[:, 0] > 0).numpy(), (x > 0).sum(1)
        x = numpy.from_dlpack(inputs)
        assert address(x) == address(numpy.asarray(inputs)) and x.dtype == inputs.dtype == "float32"
        y = x * 2
        if self.form == "transposed":
            y = numpy.ascontiguousarray(y.T).T
        if self.form == "reversed":
            y = y[::-1][:, ::-1]
        if self.form == "read_only":
            y.flags.writeable = False
        if self.form == "whole":
            y = y.astype("int16")
        sent["address"] = address(y)
        return {"outputs": y, "flags": x[:, 0] > 0, "counts": (x > 0).sum(axis=1)}


class Compare(ptp.Statistic):
    """How far what arrives is from twice the inputs, and whether it is the memory that was sent."""

    ports = [ptp.input("inputs", ptp.FLOAT, "B, width", "Numbers"),
             ptp.input("outputs", ptp.FLOAT, "B, width", "Twice the numbers"),
             ptp.input("flags", ptp.BOOL, "B", "Whether the first is positive"),
             ptp.input("counts", ptp.INTEGER, "B", "Of positive numbers")]
    statistics = [ptp.mean("difference", "Largest"), ptp.mean("same_memory", "1 if it is")]

    def forward(self, inputs, outputs, flags, counts):
        x, y = numpy.asarray(inputs), numpy.asarray(outputs)
        self.difference = float(abs(y - 2 * x).max())
        self.same_memory = address(y) == sent["address"]
        assert flags.dtype == "bool" and (numpy.asarray(flags) == (x[:, 0] > 0)).all()
        assert counts.dtype == "int64" and (numpy.asarray(counts) == (x > 0).sum(axis=1)).all()

    def collect(self, set):
        return {"difference": self.difference, "same_memory": self.same_memory}
