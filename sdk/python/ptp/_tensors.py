"""Arrays to and from libptp, without a copy where both sides can share memory."""

import array
import ctypes
import os
from decimal import Decimal
from itertools import chain
from numbers import Real

from ._errors import DataError
from ._images import are_images, pixels_of
from ._library import DLManagedTensor, DLTensor

try:
    import numpy
except ImportError:
    numpy = None

_CPU = 1
_INTEGER, _UNSIGNED, _FLOAT, _BOOL = 0, 1, 2, 6  # type codes of DLPack

_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype = ctypes.py_object
_capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]

_FORMATS = {(_FLOAT, 32): "f", (_FLOAT, 64): "d", (_INTEGER, 64): "q", (_INTEGER, 32): "i",
            (_UNSIGNED, 8): "B", (_BOOL, 8): "?"}


class Tensor:
    """A tensor of libptp, which frees it once nobody uses it. Any library that reads DLPack takes
    its memory without a copy, once: numpy.from_dlpack(tensor), torch.from_dlpack(tensor)."""

    def __init__(self, managed):
        self._managed = managed
        tensor = managed.contents.dl_tensor
        self.shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        self._format = _FORMATS[tensor.code, tensor.bits]

    def __del__(self):
        if self._managed is not None:
            self._managed.contents.deleter(self._managed)
            self._managed = None

    def __dlpack_device__(self):
        return _CPU, 0

    def __dlpack__(self, stream=None, **_):
        capsule = _capsule_new(ctypes.cast(self._taken(), ctypes.c_void_p), b"dltensor", None)
        self._managed = None
        return capsule

    def _taken(self):
        if self._managed is None:
            raise BufferError("this tensor was handed on to another library already; use the "
                              "array that was made of it")
        return self._managed

    def tolist(self):
        """Returns nested lists of numbers; a number without dimensions."""
        tensor = self._taken().contents.dl_tensor
        strides = _strides(tensor, self.shape)
        size = tensor.bits // 8
        first = (tensor.data or 0) + tensor.byte_offset
        number = {"f": ctypes.c_float, "d": ctypes.c_double, "q": ctypes.c_int64,
                  "i": ctypes.c_int32, "B": ctypes.c_uint8, "?": ctypes.c_bool}[self._format]

        def values(dimension, offset):
            if dimension == len(self.shape):
                return number.from_address(first + offset * size).value
            return [values(dimension + 1, offset + i * strides[dimension])
                    for i in range(self.shape[dimension])]

        return values(0, 0)

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        return self.tolist()[index]

    def view(self):
        """Returns the tensor of DLPack, which exists as long as this object."""
        return self._taken().contents.dl_tensor

    def __repr__(self):
        return f"ptp.Tensor(shape={list(self.shape)})"


def _strides(tensor, shape):
    if tensor.strides:
        return [tensor.strides[i] for i in range(len(shape))]
    strides = [1] * len(shape)
    for i in reversed(range(len(shape) - 1)):
        strides[i] = strides[i + 1] * shape[i + 1]
    return strides


def array_of(managed, element, as_torch):
    """Returns the array of a stream. Of NumPy's and of ptp's own nobody may write the memory."""
    tensor = Tensor(managed)
    if as_torch:
        import torch
        result = torch.from_dlpack(tensor)
        return result.bool() if element == "bool" else result
    if numpy is None:
        return tensor
    result = numpy.from_dlpack(tensor)
    result.flags.writeable = False
    return result.view(bool) if element == "bool" and result.dtype == numpy.uint8 else result


def is_torch(value):
    """Returns whether the value is a tensor of PyTorch, or a list of them."""
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(map(is_torch, value))
    return any(kind.__module__ == "torch" for kind in type(value).__mro__[:-1])


class Fed:
    """A value as libptp reads it: `tensor`, of this `shape`, while this object exists, or the list
    `texts`. `dimensions` are the sizes of the stream as far as they are known."""

    def __init__(self, value, stream, element, dimensions=None):
        value = list(value) if hasattr(value, "__next__") else value  # of a generator
        self.texts = _texts(value, stream, element)
        self.tensor = None
        if self.texts is not None:
            return
        if isinstance(value, Tensor):
            self._kept = value
            self.tensor = value.view()
            self.shape = list(value.shape)
            return
        _refuse_columns(value, stream, element)
        if element == "string":
            odd = next((one for one in value if not isinstance(one, str)), value) if isinstance(
                value, (list, tuple)) else value
            raise DataError(f"cannot feed the stream '{stream}': it has a text a sample, and the value has "
                            f"{type(odd).__name__}; fix: feed a list of str")
        if are_images(value, stream):
            value = pixels_of(value if isinstance(value, (list, tuple)) else [value], stream,
                              dimensions)
        if is_torch(value):
            value = _dense(value, stream)
            if str(value.dtype) == "torch.bool":
                value = value.float() if element == "float" else value.byte()
            refuse_bytes(str(value.dtype) == "torch.uint8", stream, element, "value.float()")
            if not value.is_floating_point() and value.numel() > 0:
                _refuse_pixels(int(value.max()), stream, element, dimensions, "value.float()")
            _refuse_reals(value.is_floating_point(), stream, element, value.dtype, "value.long()")
            value = value.float() if element == "float" else value
            value = value.long() if (element, str(value.dtype)) == ("integer", "torch.uint8") else value
        elif numpy is not None:
            value = _as_numpy(value, stream, element, dimensions)
        if hasattr(value, "__dlpack__"):
            self._capsule = value.__dlpack__()
            pointer = _capsule_pointer(self._capsule, b"dltensor")
            self.tensor = ctypes.cast(pointer, ctypes.POINTER(DLManagedTensor)).contents.dl_tensor
            self.shape = [self.tensor.shape[i] for i in range(self.tensor.ndim)]
        else:
            self._from_lists(value.tolist() if hasattr(value, "tolist") else value, stream, element,
                             dimensions)

    def _from_lists(self, value, stream, element, dimensions=None):
        shape = _shape_of(value, stream)
        flat = value if shape else [value]
        for _ in shape[1:]:
            flat = list(chain.from_iterable(flat))
        if all(type(number) is int for number in flat):
            _refuse_pixels(max(flat, default=0), stream, element, dimensions)
        largest = 1 if element == "bool" else 255
        if element in ("bool", "byte") and not all(
                isinstance(number, int) and 0 <= number <= largest for number in flat):
            _refuse_other_bytes(stream, element, largest)
        kind, code, bits = (("d", _FLOAT, 64) if element == "float" else
                            ("B", _UNSIGNED, 8) if element in ("bool", "byte") else
                            ("q", _INTEGER, 64))
        try:
            self._numbers = array.array(kind, flat)
        except (TypeError, OverflowError) as error:
            raise DataError(f"cannot feed the stream '{stream}': {error}") from None
        self.shape = shape
        self._sizes = (ctypes.c_int64 * len(shape))(*shape)
        self.tensor = DLTensor(self._numbers.buffer_info()[0], _CPU, 0, len(shape), code, bits, 1,
                               self._sizes, None, 0)


def refuse_bytes(are_bytes, stream, element, converted, what="bytes"):
    """Refuses bytes for a stream of reals: nobody knows whether 255 means 255 or 1."""
    if are_bytes and element == "float":
        raise DataError(f"cannot feed the stream '{stream}': it has floats, and the value has {what}; "
                        f"fix: {converted} / 255 for pixels in [0, 1], as tasks read images, or "
                        f"{converted}")


def _refuse_pixels(largest, stream, element, dimensions,
                   converted='numpy.asarray(value, "float32")'):
    """Refuses whole numbers for images of reals, as bytes are: they are probably pixels."""
    has_pixels = dimensions is not None and len(dimensions) == 4
    refuse_bytes(has_pixels and largest > 1, stream, element, converted,
                 f"whole numbers up to {largest}")


def _refuse_reals(are_reals, stream, element, kind, converted):
    """Refuses reals for a stream of integers: they may be no whole numbers."""
    if are_reals and element == "integer":
        raise DataError(f"cannot feed the stream '{stream}': it has integers, and the value has {kind}; "
                        f"fix: {converted}")


def _refuse_columns(value, stream, element):
    """Refuses a frame of pandas or polars, or a row of it, for reals: they are not those that the task
    delivers, such as standardized ones."""
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    makers = {kind.__module__.split(".")[0] for kind in type(first).__mro__}
    if element == "float" and hasattr(first, "to_numpy") and makers & {"pandas", "polars", "pyarrow"}:
        raise DataError(f"cannot feed the stream '{stream}': columns of a table, and a call takes what "
                        "the task makes of them; fix: predict(frame) reads them as the task does, "
                        "frame.to_numpy() has their numbers as they are")


def _texts(value, stream, element):
    """Returns texts, or names of files, as a list; None if the value has none."""
    if isinstance(value, (str, os.PathLike)):
        return [os.fspath(value)]
    if type(value).__module__.split(".")[0] in ("numpy", "pandas") and hasattr(value, "tolist"):
        if getattr(getattr(value, "dtype", None), "kind", "") not in ("U", "T", "O"):
            return None
        shape = list(value.shape)
        value = value.ravel().tolist() if hasattr(value, "ravel") else value.tolist()
        if shape and shape[0] != len(value) and all(isinstance(one, str) for one in value):
            raise DataError(f"cannot feed the stream '{stream}': it has a text a sample, and the value "
                            f"texts of the shape {shape}; fix: feed one column, such as value[:, 0]")
    if not isinstance(value, (list, tuple)) or not all(
            isinstance(one, (str, os.PathLike)) for one in value):
        return None
    return [str(os.fspath(one)) for one in value] if value or element == "string" else None


def _dense(tensor, stream):
    """Returns a tensor of PyTorch, or one of a list of them, whose memory others can read."""
    try:
        value = _stacked(tensor)
        if "complex" in str(value.dtype):
            raise DataError(f"cannot feed the stream '{stream}': a tensor of {value.dtype}; fix: feed "
                            "reals, such as value.abs()")
        if getattr(value, "is_nested", False):
            raise DataError(f"cannot feed the stream '{stream}': a nested tensor; fix: "
                            "value.to_padded_tensor(0)")
        if str(value.dtype) in ("torch.uint16", "torch.uint32", "torch.uint64"):
            value = value.long()
        if getattr(value, "is_quantized", False):
            value = value.dequantize()
        if str(getattr(value, "layout", "torch.strided")) != "torch.strided":
            value = value.to_dense()
        return value.resolve_neg() if getattr(value, "is_neg", bool)() else value
    except RuntimeError as error:
        raise DataError(f"cannot feed the stream '{stream}': {error}") from None


def _stacked(tensor):
    """Returns a tensor of PyTorch, or nested lists of them, as one on the CPU."""
    if not isinstance(tensor, (list, tuple)):
        return tensor.detach().cpu()
    import torch
    return torch.stack([_stacked(one) for one in tensor])


def _refuse_other_bytes(stream, element, largest):
    """Refuses numbers that are no bytes, or none that a bool is."""
    raise DataError(f"cannot feed the stream '{stream}': it has elements of {element}, from 0 to "
                    f"{largest}, and the value has others")


def _as_bytes(made, stream, element):
    """Returns a list's numbers as bytes, which they must be."""
    largest = 1 if element == "bool" else 255
    if made.size and (made.dtype.kind not in "iu" or made.min() < 0 or made.max() > largest):
        _refuse_other_bytes(stream, element, largest)
    return made.astype(numpy.uint8)


def _as_numpy(value, stream, element, dimensions=None):
    if numpy.ma.is_masked(value):
        raise DataError(f"cannot feed the stream '{stream}': elements of the array are masked; fix: "
                        "feed value.filled(number)")
    try:
        made = numpy.ascontiguousarray(value) if not numpy.isscalar(value) else numpy.array(value)
    except (ValueError, TypeError, RuntimeError) as error:
        if "inhomogeneous shape" in str(error):
            raise DataError(f"cannot feed the stream '{stream}': its lists have different lengths") from None
        raise DataError(f"cannot feed the stream '{stream}': {error}") from None
    if made.dtype.kind == "O":
        made = _numbers_of(made, value, stream)
    if made.size == 0 and made.dtype.kind == "f" and element == "integer":
        made = made.astype("int64")
    _refuse_reals(made.dtype.kind == "f", stream, element, made.dtype, 'numpy.asarray(value, "int64")')
    if element == "integer" and made.dtype.kind == "u":
        if made.max(initial=0) > numpy.iinfo(numpy.int64).max:
            raise DataError(f"cannot feed the stream '{stream}': {made.max()} is above the largest "
                            "integer of 64 bits")
        made = made.astype(numpy.int64)
    if made.dtype == bool:
        made = made.astype(numpy.float32) if element == "float" else made.view(numpy.uint8)
    elif element in ("bool", "byte") and isinstance(value, (list, tuple)):
        made = _as_bytes(made, stream, element)
    refuse_bytes(made.dtype == numpy.uint8, stream, element, 'value.astype("float32")')
    if element == "float" and made.dtype.kind in "iu":
        _refuse_pixels(made.max(initial=0), stream, element, dimensions)
        made = made.astype(numpy.float32)
    if made.dtype.kind not in "fiu":
        raise DataError(f"cannot feed the stream '{stream}': an array of {made.dtype}; fix: feed "
                        "numbers, or a list of str; predict() reads files and rows of tables")
    if made.dtype.itemsize > 8:
        made = made.astype(numpy.float64)
    made = made.astype(made.dtype.newbyteorder("="), copy=False)
    return made if made.flags.writeable else made.copy()


def _numbers_of(made, value, stream):
    """Returns an array of objects as one of reals, which they must be."""
    none = object()
    odd = next((one for one in made.flat if not isinstance(one, (Real, Decimal))), none)
    if odd is none:
        return made.astype(numpy.float64)
    raise DataError(f"cannot feed the stream '{stream}': a value of type "
                    f"{type(odd).__name__}{'' if odd is value else ' is in it'}; fix: feed numbers, or a "
                    "list of str; predict() reads files and rows of tables")


def _shape_of(value, stream):
    shape = []
    while isinstance(value, (list, tuple)):
        shape.append(len(value))
        if not value:
            break
        if any(isinstance(v, (list, tuple)) != isinstance(value[0], (list, tuple)) or
               (isinstance(v, (list, tuple)) and len(v) != len(value[0])) for v in value):
            raise DataError(f"cannot feed the stream '{stream}': its lists have different lengths")
        value = value[0]
    return shape
