#!/usr/bin/env python3
"""Writes images with up to three shapes, and a table of what is in them: make_tags.py FOLDER"""
import csv, random, sys
from pathlib import Path

from make_questions import COLORS, SHAPES, SIZE, png


def main():
    folder = Path(sys.argv[1])
    (folder / "images").mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    with open(folder / "tags.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["image", "tags"])
        for number in range(2000):
            rows = [[(235, 235, 235)] * SIZE for _ in range(SIZE)]
            tags = set()
            for x0, y0 in draw.sample([(8, 8), (24, 8), (8, 24), (24, 24)], draw.randint(0, 3)):
                color, shape, r = draw.choice(list(COLORS)), draw.choice(list(SHAPES)), draw.uniform(4, 7)
                tags |= {color, shape}
                for y in range(SIZE):
                    for x in range(SIZE):
                        if SHAPES[shape](x - x0, y - y0, r):
                            rows[y][x] = COLORS[color]
            name = f"images/{number:04}.png"
            (folder / name).write_bytes(png(rows))
            table.writerow([name, ";".join(sorted(tags))])


main()
