#!/usr/bin/env python3
"""Writes images of one shape each, and a table of questions about them: make_questions.py FOLDER"""
import csv, random, struct, sys, zlib
from pathlib import Path

SIZE = 32
COLORS = {"red": (220, 40, 40), "green": (40, 180, 60), "blue": (50, 70, 220), "yellow": (230, 210, 40)}
SHAPES = {
    "circle": lambda x, y, r: x * x + y * y <= r * r,
    "square": lambda x, y, r: max(abs(x), abs(y)) <= 0.85 * r,
    "triangle": lambda x, y, r: -r <= y <= 0.8 * r and abs(x) <= (y + r) * 0.55,
}


def png(rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = b"".join(b"\0" + bytes(value for pixel in row for value in pixel) for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))


def main():
    folder = Path(sys.argv[1])
    (folder / "images").mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    with open(folder / "questions.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["image", "question", "answer"])
        for number in range(600):
            color, shape = draw.choice(list(COLORS)), draw.choice(list(SHAPES))
            x0, y0, r = draw.uniform(12, 20), draw.uniform(12, 20), draw.uniform(6, 10)
            inside = SHAPES[shape]
            rows = [[COLORS[color] if inside(x - x0, y - y0, r) else (235, 235, 235) for x in range(SIZE)]
                    for y in range(SIZE)]
            name = f"images/{number:03}.png"
            (folder / name).write_bytes(png(rows))
            table.writerow([name, draw.choice(["which color is it", "what color has the shape"]), color])
            table.writerow([name, draw.choice(["which shape is it", "what shape is in the image"]), shape])


if __name__ == "__main__":
    main()
