"""Images of Pillow as the numbers with which tasks read files of images."""

import array

from ._errors import DataError

try:
    import numpy
except ImportError:
    numpy = None


def are_images(value, stream):
    """Returns whether the value is an image or a list of images, which has nothing else."""
    if not isinstance(value, (list, tuple)):
        return _is_image(value)
    if value and isinstance(value[0], (list, tuple)) and any(map(_is_image, value[0])):
        raise DataError(f"cannot feed the stream '{stream}': several images for one sample; fix: predict "
                        "for a batch by a call, model(images)")
    if any(map(_is_image, value)) and not all(map(_is_image, value)):
        odd = next(one for one in value if not _is_image(one))
        raise DataError(f"cannot feed the stream '{stream}': {type(odd).__name__} is among its images; "
                        "fix: feed images alone")
    return len(value) > 0 and _is_image(value[0])


def _is_image(value):
    return type(value).__module__.split(".")[0] == "PIL"


def pixels_of(images, stream, dimensions):
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
