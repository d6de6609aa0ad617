#!/usr/bin/env python3
"""Writes pairs of images of one shape each, and a table of questions about both: make_pairs.py FOLDER"""
import csv, random, sys
from pathlib import Path

from make_questions import COLORS, SHAPES, SIZE, png


def image(draw, color, shape):
    x0, y0, r = draw.uniform(12, 20), draw.uniform(12, 20), draw.uniform(6, 10)
    return png([[COLORS[color] if SHAPES[shape](x - x0, y - y0, r) else (235, 235, 235) for x in range(SIZE)]
                for y in range(SIZE)])


def main():
    folder = Path(sys.argv[1])
    (folder / "images").mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    with open(folder / "pairs.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["left", "right", "kilograms", "question", "answer"])
        for number in range(1000):
            colors = draw.choices(list(COLORS), k=2)
            shapes = draw.choices(list(SHAPES), k=2)
            if draw.random() < 0.4:  # else most pairs would differ
                colors[1] = colors[0]
            names = [f"images/{number:04}_{side}.png" for side in ("left", "right")]
            for name, color, shape in zip(names, colors, shapes):
                (folder / name).write_bytes(image(draw, color, shape))
            kilograms = [round(draw.uniform(0.1, 2), 2) for _ in names]
            for question, answer in (("have they one color", "yes" if colors[0] == colors[1] else "no"),
                                     ("which is heavier", "left" if kilograms[0] > kilograms[1] else "right")):
                table.writerow([*names, "{} {}".format(*kilograms), question, answer])


main()
