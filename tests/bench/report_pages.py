#!/usr/bin/env python3
"""How long reports of long and of many runs take: to be written, and to be shown by a headless Chromium.

    ./dev bench pages [ROUNDS]

One run with 100 curves of 100,000 points; a comparison of 100 runs with one such curve, which are one chart; and one of 1,000 runs. Prints
medians of the seconds of `ptprun report`, of its CPU time, of its memory and the size of the file; with Chromium the milliseconds of the
page's clock until something is shown and until the page is built, and of a zoom of its first chart.
"""

import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import browser  # noqa: E402

CURVES, POINTS, RUNS = 100, 100000, 1000
ZOOM = """(() => { const began = performance.now();
    document.querySelector('.plot').dispatchEvent(new KeyboardEvent('keydown', {key: '+'})); return performance.now() - began; })()"""


def write_run(folder, number, table):
    folder.mkdir(parents=True)
    (folder / "experiment.toml").write_text(f'name = "net"\nseed = 1\n[training.optimizer]\nlr = {0.001 * (number + 1)}\n')
    best = {"set": "validation", "episode": 1, "epoch": 1, "loss": 1 / (1 + number), "statistics": {"accuracy": number / RUNS}}
    (folder / "status.json").write_text(json.dumps(
        {"format": 2, "state": "done", "episode": 2, "epoch": 1, "seconds": 1.5, "best": best, "last": best}))
    (folder / "run.json").write_text(json.dumps({"format": 2, "experiment": "net", "plugins": []}))
    (folder / "training.csv").write_text(table)


def curves():
    draw = random.Random(1)
    noise = [f"{draw.random():.6f}" for _ in range(POINTS + CURVES)]
    head = "episode,epoch," + ",".join(f"curve_{c}" for c in range(CURVES)) + "\n"
    return head + "".join(f"{i},1," + ",".join(noise[i:i + CURVES]) + "\n" for i in range(POINTS))


def one_curve(seed):
    draw = random.Random(seed)
    return "episode,epoch,loss\n" + "".join(f"{i},1,{draw.random():.6f}\n" for i in range(POINTS))


# A process of its own: a child begins with the memory of the one that has made it.
MEASURE = """import os, subprocess, sys, time
begin = time.monotonic()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
assert os.waitstatus_to_exitcode(status) == 0
print(time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6)"""


def written(ptprun, runs, page):
    """Seconds, seconds of CPU and megabytes of the process."""
    command = [sys.executable, "-c", MEASURE, ptprun, "report", runs, "-o", page]
    return [float(number) for number in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()]


def shown(page):
    """Milliseconds until something is painted, until the page is built, and of a zoom."""
    with browser.Browser() as opened:
        opened.open(page)
        built = opened.value("performance.now()")
        opened.value("document.querySelector('.plot').scrollIntoView(); new Promise(done => setTimeout(done, 500))")
        painted = opened.value("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        return painted, built, opened.value(ZOOM)


def main(ptprun, rounds=5):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_run(folder / "long", 0, curves())
        for number in range(CURVES):
            write_run(folder / "wide" / str(number), number, one_curve(number))
        for number in range(RUNS):
            write_run(folder / "many" / str(number), number, "episode,epoch,loss\n0,1,1\n1,1,0.5\n")
        for case in ("long", "wide", "many"):
            page = folder / (case + ".html")
            measured = [written(ptprun, folder / case, page) for _ in range(rounds)]
            seconds, cpu, memory = (statistics.median(column) for column in zip(*measured))
            line = f"{case}: {seconds:.2f} s, {cpu:.2f} s of CPU, {memory:.0f} MB of memory, {page.stat().st_size / 1e6:.1f} MB"
            if browser.CHROMIUM:
                painted, built, zoom = (statistics.median(column) for column in zip(*(shown(page) for _ in range(rounds))))
                line += f", shown after {painted:.0f} ms, built after {built:.0f} ms, zoomed in {zoom:.0f} ms"
            print(line)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
