#!/usr/bin/env python3
"""Writes the images of siamese.toml: triplets.py FOLDER [FOLDER-OF-FASHION-MNIST]

Each file has three images of Fashion-MNIST side by side: an anchor, another image of its class, and one
of another class. It lies in the folder of the anchor's class, as ImageFolder reads them:
FOLDER/training/2/000017.png.
"""

import gzip
import random
import struct
import sys
import zlib
from pathlib import Path

SIZE = 28
# What to write: from which file, from which images of it, how many triplets.
SECTIONS = {
    "training": ("train", range(0, 55000), 10000),
    "validation": ("train", range(55000, 60000), 1000),
    "test": ("t10k", range(0, 10000), 2000),
}


def content(path: Path) -> bytes:
    with gzip.open(path) as file:
        return file.read()


def read(folder: Path, name: str) -> tuple[bytes, bytes]:
    """The pixels and the classes of all images, without the headers of both files."""
    return (content(folder / f"{name}-images-idx3-ubyte.gz")[16:],
            content(folder / f"{name}-labels-idx1-ubyte.gz")[8:])


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(rows: list[bytes]) -> bytes:
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)  # 8 bits, grey
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def strip(pixels: bytes, images: tuple[int, int, int]) -> bytes:
    def row(image: int, y: int) -> bytes:
        start = (image * SIZE + y) * SIZE
        return pixels[start:start + SIZE]

    return png([b"".join(row(image, y) for image in images) for y in range(SIZE)])


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    target = Path(sys.argv[1])
    source = Path(sys.argv[2] if len(sys.argv) == 3 else "/usr/share/datasets/fashion-mnist")
    draw = random.Random(1)
    for section, (name, images, count) in SECTIONS.items():
        pixels, classes = read(source, name)
        by_class = {kind: [i for i in images if classes[i] == kind] for kind in range(10)}
        for number in range(count):
            kind = number % 10
            anchor, positive = draw.sample(by_class[kind], 2)
            negative = draw.choice(by_class[(kind + draw.randint(1, 9)) % 10])
            file = target / section / str(kind) / f"{number:06}.png"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(strip(pixels, (anchor, positive, negative)))


main()
