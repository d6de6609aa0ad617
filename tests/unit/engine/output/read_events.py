"""Prints what is in TensorBoard's event files, read with nothing but the standard library.

    read_events.py FOLDER

One line for each event, or value of one. Written from TensorFlow's record format and its .proto
files, not from ptp's writer. Every checksum is compared; a wrong one is an error, and so is a file
that ends within a record.
"""

import pathlib
import struct
import sys
import zlib


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def checked(data, crc):
    if masked(data) != struct.unpack("<I", crc)[0]:
        sys.exit("a checksum is wrong")
    return data


def records(data):
    at = 0
    while at < len(data):
        size = struct.unpack("<Q", checked(data[at:at + 8], data[at + 8:at + 12]))[0]
        yield checked(data[at + 12:at + 12 + size], data[at + 12 + size:at + 16 + size])
        at += 16 + size


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def fields(data):
    """The fields of a message: their numbers and values; raw bytes where they have a length."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = struct.unpack("<d", data[at:at + 8])[0], at + 8
        elif key & 7 == 5:
            value, at = struct.unpack("<f", data[at:at + 4])[0], at + 4
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            sys.exit("an unknown wire type")
        yield key >> 3, value


def first(data, number, absent=None):
    return next((value for field, value in fields(data) if field == number), absent)


def doubles(data):
    return list(struct.unpack(f"<{len(data) // 8}d", data))


def histogram(data):
    smallest, largest, count, total, squares = (first(data, i, 0.0) for i in range(1, 6))
    counts = doubles(first(data, 7, b""))
    if len(counts) != len(doubles(first(data, 6, b""))) or sum(counts) != count:
        sys.exit("the buckets of a histogram do not fit its count")
    return f"{count:g} numbers from {smallest:g} to {largest:g}, sum {total:g}, squares {squares:g}"


def pixels(png):
    """The filtered lines of a PNG file: of all chunks IDAT, after a look at each checksum."""
    compressed, start = b"", 8
    while start < len(png):
        size, kind = struct.unpack(">I4s", png[start:start + 8])
        end = start + 8 + size
        if struct.unpack(">I", png[end:end + 4])[0] != zlib.crc32(png[start + 4:end]):
            sys.exit("the checksum of a PNG is wrong")
        compressed += png[start + 8:end] if kind == b"IDAT" else b""
        start = end + 4
    return zlib.decompress(compressed)


def paeth(left, above, corner):
    estimate = left + above - corner
    return min((left, above, corner), key=lambda near: abs(estimate - near))


def unfiltered(lines, height, width, step):
    """The bytes of the pixels (PNG 1.2, section 6): a line begins with the number of its filter."""
    image, above = b"", bytes(width)
    for y in range(height):
        kind, *line = lines[y * (width + 1):(y + 1) * (width + 1)]
        for x in range(width):
            left, corner = (line[x - step], above[x - step]) if x >= step else (0, 0)
            add = (0, left, above[x], (left + above[x]) // 2, paeth(left, above[x], corner))[kind]
            line[x] = (line[x] + add) % 256
        above = bytes(line)
        image += above
    return image


def image(data):
    height, width, channels, png = (first(data, i) for i in range(1, 5))
    if png[:8] != b"\x89PNG\r\n\x1a\n" or struct.unpack(">II", png[16:24]) != (width, height):
        sys.exit("an image is not a PNG, or of another size")
    return f"{height} x {width} x {channels}: {unfiltered(pixels(png), height, width * channels, channels).hex()}"


def value(data):
    tag = first(data, 1).decode()
    for number, content in fields(data):
        if number == 2:
            return f"{tag} = {content:g}"
        if number == 4:
            return f"{tag}: {image(content)}"
        if number == 5:
            return f"{tag}: {histogram(content)}"
        if number == 8:
            plugin = first(first(first(data, 9), 1), 1).decode()
            return f"{tag} ({plugin}): {first(content, 8).decode()!r}"
    sys.exit("a value without content")


def node(data):
    text = f"{first(data, 1).decode()} ({first(data, 2).decode()})"
    inputs = [content.decode() for number, content in fields(data) if number == 3]
    for entry in (content for number, content in fields(data) if number == 5):
        text += f" {first(entry, 1).decode()}={first(first(entry, 2), 2).decode()}"
    return text + (" <- " + ", ".join(inputs) if inputs else "")


def main():
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*tfevents*")):
        print(path.name)
        for event in records(path.read_bytes()):
            step = first(event, 2, 0)
            for number, content in fields(event):
                if number == 3:
                    print(" ", content.decode())
                elif number == 4:
                    print("".join(f"  node {node(n)}\n" for f, n in fields(content) if f == 1), end="")
                elif number == 5:
                    print("".join(f"  {step} {value(v)}\n" for _, v in fields(content)), end="")


main()
