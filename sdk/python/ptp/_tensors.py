"""Arrays to and from libptp, without a copy where both sides can share memory."""

import array
import ctypes
import os
from itertools import chain

from ._errors import DataError
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
        self.texts = _texts(value, element)
        self.tensor = None
        if self.texts is not None:
            return
        if isinstance(value, Tensor):
            self._kept = value
            self.tensor = value.view()
            self.shape = list(value.shape)
            return
        if _is_image(value) or (isinstance(value, (list, tuple)) and value and
                                all(map(_is_image, value))):
            value = _pixels(value if isinstance(value, (list, tuple)) else [value], stream,
                            dimensions)
        if is_torch(value):
            value = _dense(value, stream)
            if str(value.dtype) == "torch.bool":
                value = value.float() if element == "float" else value.byte()
            refuse_bytes(str(value.dtype) == "torch.uint8", stream, element, "value.float()")
            if not value.is_floating_point() and value.numel() > 0:
                _refuse_pixels(int(value.max()), stream, element, dimensions, "value.float()")
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
    is_image = dimensions is not None and len(dimensions) == 4
    refuse_bytes(is_image and largest > 1, stream, element, converted,
                 f"whole numbers up to {largest}")


def _texts(value, element):
    """Returns texts, or names of files, as a list; None if the value has none."""
    if isinstance(value, (str, os.PathLike)):
        return [os.fspath(value)]
    if type(value).__module__.split(".")[0] in ("numpy", "pandas") and hasattr(value, "tolist"):
        if getattr(getattr(value, "dtype", None), "kind", "") not in ("U", "T", "O"):
            return None
        value = value.ravel().tolist() if hasattr(value, "ravel") else value.tolist()
    if not isinstance(value, (list, tuple)) or not all(
            isinstance(one, (str, os.PathLike)) for one in value):
        return None
    return [str(os.fspath(one)) for one in value] if value or element == "string" else None


def _dense(tensor, stream):
    """Returns a tensor of PyTorch, or one of a list of them, whose memory others can read."""
    try:
        if isinstance(tensor, (list, tuple)):
            import torch
            tensor = torch.stack([one.detach().cpu() for one in tensor])
        value = tensor.detach().cpu()
        if "complex" in str(value.dtype):
            raise DataError(f"cannot feed the stream '{stream}': a tensor of {value.dtype}; fix: feed "
                            "reals, such as value.abs()")
        if getattr(value, "is_quantized", False):
            value = value.dequantize()
        if str(getattr(value, "layout", "torch.strided")) != "torch.strided":
            value = value.to_dense()
        return value.resolve_neg() if getattr(value, "is_neg", bool)() else value
    except RuntimeError as error:
        raise DataError(f"cannot feed the stream '{stream}': {error}") from None


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
        raise DataError(f"cannot feed the stream '{stream}': {error}") from None
    if element == "integer" and made.dtype.kind == "u":
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


def _is_image(value):
    return type(value).__module__.split(".")[0] == "PIL"


def _pixels(images, stream, dimensions):
    """Returns [images, depth, height, width] with values in [0, 1]: the numbers with which tasks read
    files of images."""
    depth = dimensions[1] if dimensions is not None and len(dimensions) == 4 else None
    if len({image.size for image in images}) > 1:
        raise DataError(f"cannot feed the stream '{stream}': its images have different sizes; fix: "
                        "resize them: image.resize((width, height))")
    width, height = images[0].size
    batch = []
    for image in images:
        planes, largest = _channels(image, stream)
        if depth == 1 and len(planes) == 3:  # the weights of BT.601 times 2^16
            planes = [_each(lambda r, g, b: (19595 * r + 38470 * g + 7471 * b + (1 << 15)) >> 16,
                            *planes)]
        if depth == 3 and len(planes) == 1:
            planes = planes * 3
        batch.append([_rows(_each(lambda v: v / largest, plane), width, height)
                      for plane in planes])
    if len({len(planes) for planes in batch}) > 1:
        raise DataError(f"cannot feed the stream '{stream}': its images are grey and colored; fix: "
                        'convert them: image.convert("RGB")')
    return numpy.array(batch, dtype=numpy.float32) if numpy is not None else batch


def _channels(image, stream):
    """Returns one plane of integers, or three, and the largest value that they can have. What is
    transparent lies on white."""
    if image.mode in ("I", "I;16", "I;16L", "I;16B", "I;16N"):
        numbers = array.array("i" if image.mode == "I" else "H", image.tobytes())
        if image.mode == "I;16B":
            numbers.byteswap()
        if numbers and not 0 <= min(numbers) <= max(numbers) <= 65535:
            raise DataError(f"cannot feed the stream '{stream}': an image of 32 bits has values "
                            "beyond 65535; fix: feed an array of values in [0, 1]")
        return [_plane(numbers)], 65535
    if image.mode == "F":
        raise DataError(f"cannot feed the stream '{stream}': an image of floats; fix: feed an array "
                        "of values in [0, 1]")
    if "transparency" in image.info or image.mode in ("RGBA", "LA", "PA", "RGBa", "La"):
        *planes, opacity = map(_plane, (p.tobytes() for p in image.convert("RGBA").split()))
        return [_each(lambda v, a: (v * a + 255 * (255 - a) + 127) // 255, plane, opacity)
                for plane in planes], 255
    one = image.convert("L" if image.mode in ("1", "L") else "RGB")
    return [_plane(plane.tobytes()) for plane in one.split()], 255


def _plane(numbers):
    return numbers if numpy is None else numpy.array(list(numbers) if isinstance(
        numbers, array.array) else numpy.frombuffer(numbers, numpy.uint8), dtype=numpy.int64)


def _each(function, *planes):
    """Computes with integers of planes, one by one or by NumPy."""
    return function(*planes) if numpy is not None else [function(*v) for v in zip(*planes)]


def _rows(plane, width, height):
    if numpy is not None:
        return plane.reshape(height, width)
    return [plane[y * width:(y + 1) * width] for y in range(height)]
