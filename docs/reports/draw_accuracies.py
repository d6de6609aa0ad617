#!/usr/bin/env python3
"""Draws validation accuracies of runs over the samples seen, as an SVG on stdout.

Usage: draw_accuracies.py "LABEL=RUN-FOLDER" ... > picture.svg

Of each run the columns relational_accuracy and non_relational_accuracy of validation.csv.
"""

import csv
import html
import pathlib
import sys
import tomllib

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 60, 16, 16, 92
LOWEST = 0.2
COLORS = ["#1f5fa8", "#c2571a", "#3a7d34", "#7b4b9e"]
COLUMNS = {"relational_accuracy": ("relations", ""), "non_relational_accuracy": ("one object", "5 4")}


def curves(label, folder):
    """Yields (text, dash, points): points are (millions of samples, accuracy)."""
    with open(folder / "experiment.toml", "rb") as file:
        batch_size = tomllib.load(file)["training"]["task"]["batch_size"]
    with open(folder / "validation.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for column, (text, dash) in COLUMNS.items():
        points = [((int(r["episode"]) + 1) * batch_size / 1e6, float(r[column])) for r in rows]
        yield f"{label}: {text}", dash, points


def main(arguments):
    drawn = []
    for i, argument in enumerate(arguments):
        label, _, folder = argument.partition("=")
        for text, dash, points in curves(label, pathlib.Path(folder)):
            drawn.append((text, dash, points, COLORS[i % len(COLORS)]))
    end = max(x for _, _, points, _ in drawn for x, _ in points)

    def place(x, y):
        across = LEFT + (WIDTH - LEFT - RIGHT) * x / end
        down = TOP + (HEIGHT - TOP - BOTTOM) * (1 - y) / (1 - LOWEST)
        return f"{across:.1f}", f"{down:.1f}"

    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
          'font-family="sans-serif" font-size="13" fill="#222">')
    print(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>')
    for tenth in range(round(LOWEST * 10), 11):
        (x1, y), (x2, _) = place(0, tenth / 10), place(end, tenth / 10)
        print(f'<path d="M{x1} {y}H{x2}" stroke="#ddd"/>'
              f'<text x="{LEFT - 8}" y="{y}" dy="4" text-anchor="end">{tenth / 10:.1f}</text>')
    half_millions = int(end * 2)
    for i in range(half_millions + 1):
        x, y = place(i / 2, LOWEST)
        print(f'<path d="M{x} {y}v5" stroke="#222"/>'
              f'<text x="{x}" y="{float(y) + 19:.1f}" text-anchor="middle">{i / 2:.1f}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    floor = HEIGHT - BOTTOM
    print(f'<text x="{middle}" y="{floor + 36}" text-anchor="middle">training samples seen, '
          'in millions</text>')
    print(f'<text transform="translate(16 {(TOP + floor) / 2}) rotate(-90)" text-anchor="middle">'
          'validation accuracy</text>')
    for i, (text, dash, points, color) in enumerate(drawn):
        style = f'stroke="{color}" stroke-width="1.8" stroke-dasharray="{dash}" fill="none"'
        path = "L".join(" ".join(place(x, max(y, LOWEST))) for x, y in points)
        print(f'<path d="M{path}" {style}/>')
        x, y = LEFT + (i // 2) * (WIDTH - LEFT) / 2, floor + 58 + (i % 2) * 20
        print(f'<path d="M{x:.0f} {y - 4}h28" {style}/>'
              f'<text x="{x + 36:.0f}" y="{y}">{html.escape(text)}</text>')
    print("</svg>")


main(sys.argv[1:])
