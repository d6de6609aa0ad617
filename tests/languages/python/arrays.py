"""Arrays of numpy and tensors of PyTorch, in and out, without copies."""

import ctypes

import numpy

import ptp

sent = {}  # where the memory is of what was returned last


def address(array):
    return array.__array_interface__["data"][0]


class Copied:
    """Hands out copies of a tensor."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, *, copy=None, **asked):
        return self.tensor.__dlpack__(copy=True, **asked)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


def refused(kind, call):
    """The message with which it is refused."""
    try:
        call()
    except kind as error:
        return str(error)
    assert False, "is taken"


def check_dlpack(x):
    """A copy has memory of its own; what cannot be had is refused."""
    own, copy = numpy.asarray(x), numpy.from_dlpack(Copied(x))
    assert address(copy) != address(own) and (copy == own).all() and copy.dtype == own.dtype
    assert address(numpy.from_dlpack(x)) == address(own)
    if copy.flags.writeable:  # as numpy 2 has it, which knows DLPack 1.0
        before = own.copy()
        copy += 1
        assert (own == before).all() and (copy == before + 1).all()


def check_arguments(x):
    for given in ({}, {"copy": False}, {"copy": None}, {"stream": None, "max_version": (1, 0), "dl_device": (1, 0)}):
        assert type(x.__dlpack__(**given)).__name__ == "PyCapsule"
    assert refused(BufferError, lambda: x.__dlpack__(dl_device=(2, 0))) == (
        "the tensor is on the device (1, 0) of DLPack, not on (2, 0)")
    assert "kopy" in refused(TypeError, lambda: x.__dlpack__(kopy=True))


class View(ctypes.Structure):
    """Py_buffer."""

    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


def has_buffer(x, flags):
    view = View()
    try:
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(x), ctypes.byref(view), flags)
    except BufferError:
        return False
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))
    return True


def check_buffers(x):
    """A reader gets the order that it asks for, or none: numpy says which it has."""
    simple, writable, strides = 0, 1, 0x18
    rows, columns, either = 0x20 | strides, 0x40 | strides, 0x80 | strides
    flags = numpy.asarray(x).flags
    assert has_buffer(x, strides) and not has_buffer(x, writable)
    assert has_buffer(x, simple) == has_buffer(x, rows) == flags.c_contiguous
    assert has_buffer(x, columns) == flags.f_contiguous
    assert has_buffer(x, either) == (flags.c_contiguous or flags.f_contiguous)


class Double(ptp.Transform):
    """Twice the inputs, with numpy, or with PyTorch."""

    settings = [ptp.setting("library", str, choices=["numpy", "torch"], default="numpy", help="What computes"),
                ptp.setting("form", str, choices=["plain", "transposed", "strided", "reversed", "read_only", "whole"],
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
        if self.form == "strided":
            y = numpy.repeat(y, 2, axis=1)[:, ::2]
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
        check_dlpack(outputs)
        check_arguments(inputs)
        check_buffers(inputs)
        check_buffers(outputs)
        x, y = numpy.asarray(inputs), numpy.asarray(outputs)
        self.difference = float(abs(y - 2 * x).max())
        self.same_memory = address(y) == sent["address"]
        assert flags.dtype == "bool" and (numpy.asarray(flags) == (x[:, 0] > 0)).all()
        assert counts.dtype == "int64" and (numpy.asarray(counts) == (x > 0).sum(axis=1)).all()

    def collect(self, set):
        return {"difference": self.difference, "same_memory": self.same_memory}
