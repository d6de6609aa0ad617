#!/usr/bin/env python3
"""Writes the images of several_classes.toml: make_pairs.py FOLDER [FOLDER-OF-FASHION-MNIST]

Each file has two images of Fashion-MNIST side by side. It lies in the folders of both classes, as
ImageFolder reads them with multi_label: FOLDER/training/bag/000017.png and
FOLDER/training/coat/000017.png are one file.
"""

import gzip
import os
import random
import struct
import sys
import zlib
from pathlib import Path

SIZE = 28
CLASSES = ["t_shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle_boot"]
# What to write: from which file, from which images of it, how many pairs.
SECTIONS = {
    "training": ("train", range(0, 55000), 10000),
    "validation": ("train", range(55000, 60000), 1000),
    "test": ("t10k", range(0, 10000), 2000),
}


def content(path: Path) -> bytes:
    with gzip.open(path) as file:
        return file.read()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(rows: list[bytes]) -> bytes:
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)  # 8 bits, grey
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def row(pixels: bytes, image: int, y: int) -> bytes:
    start = (image * SIZE + y) * SIZE
    return pixels[start:start + SIZE]


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    target = Path(sys.argv[1])
    source = Path(sys.argv[2] if len(sys.argv) == 3 else "/usr/share/datasets/fashion-mnist")
    draw = random.Random(1)
    for section, (name, images, count) in SECTIONS.items():
        pixels = content(source / f"{name}-images-idx3-ubyte.gz")[16:]
        labels = content(source / f"{name}-labels-idx1-ubyte.gz")[8:]
        for kind in CLASSES:
            (target / section / kind).mkdir(parents=True, exist_ok=True)
        for number in range(count):
            pair = draw.choices(images, k=2)
            rows = [b"".join(row(pixels, image, y) for image in pair) for y in range(SIZE)]
            first, *others = sorted({CLASSES[labels[image]] for image in pair})
            file = target / section / first / f"{number:06}.png"
            file.write_bytes(png(rows))
            for other in others:
                link = target / section / other / file.name
                link.unlink(missing_ok=True)
                os.link(file, link)


main()
