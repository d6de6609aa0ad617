"""report_samples_in_browser.py BIN: the samples of a report in a headless Chromium. A click and the keyboard select
the samples behind a number; hostile names are texts; dark, print and axe-core, if PTP_AXE names its axe.min.js.
Files of samples that are cut off or changed give a report, or a warning with a fix."""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import browser
import sample_files

if browser.CHROMIUM is None:
    print("skipped: chromium is not installed")
    sys.exit(77)

ATTACK = "<img src=\"http://localhost:9/x\" onerror=\"document.title='changed'\"><script>document.title='changed'</script>\x1b[31m"
NAMES = [ATTACK, "cat", "dog"]
MUTATIONS = 60
AXE_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}


def write_run(folder):
    (folder / "samples").mkdir(parents=True)
    (folder / "experiment.toml").write_text('name = "net"\nseed = 1\n')
    (folder / "training.csv").write_text("episode,epoch,loss\n0,1,0.5\n1,1,0.25\n2,1,0.125\n")
    (folder / "status.json").write_text(json.dumps({"format": 2, "state": "done", "episode": 3, "epoch": 1, "seconds": 1.5}))
    (folder / "run.json").write_text(json.dumps({"format": 2, "experiment": "net", "plugins": []}))
    draw = random.Random(1)
    targets = [i % 3 for i in range(300)]
    for epoch in (1, 2):
        scores = []
        for target in targets:
            row = [draw.random() + (target == c) * .3 for c in range(3)]
            scores.append([value / sum(row) for value in row])
        file = folder / "samples" / f"validation_{epoch:06}.safetensors"
        file.write_bytes(sample_files.classification(scores, targets, NAMES, epoch))
    numbers = [round(8 * draw.gauss(0, 1)) / 8 for _ in range(100)]
    (folder / "samples" / "test_000003.safetensors").write_bytes(
        sample_files.regression([n + .5 for n in numbers], numbers))
    predicted = [max(range(3), key=row.__getitem__) for row in scores]
    return sum(t == 1 and p == 2 for t, p in zip(targets, predicted)), sum(t == p for t, p in zip(targets, predicted))


def report(programs, run, file):
    result = subprocess.run([programs / "ptprun", "report", run, "-o", file], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stderr


def look(page, file, cat_as_dog, right):
    page.open(file)
    assert page.requests == [] and page.console == [], (page.requests, page.console)
    assert page.value("document.title").startswith("ptp: ")
    assert page.value("document.querySelectorAll('img, main script, iframe').length") == 0
    assert page.value("document.querySelector('.matrix th[scope=col]').textContent").startswith("<img src")
    assert float(page.value("document.querySelector('.accuracy').textContent")) == right / 300
    bars = page.value("document.querySelectorAll('svg.figure .bar').length")
    assert bars > 10 and page.value("document.querySelectorAll('svg.figure polyline').length") == 6, bars

    cell = "document.querySelector('.matrix button[aria-label^=\"true cat, predicted dog\"]')"
    page.value(cell + ".click()")
    heading = page.value("document.activeElement.textContent")
    assert heading == f"true cat, predicted dog: {cat_as_dog} samples", heading
    assert page.value("document.querySelectorAll('.grid .sample').length") >= cat_as_dog

    page.value(cell + ".focus()")  # then by the keyboard alone
    page.press("Tab", number=9)
    assert page.value("document.activeElement.tagName") == "BUTTON"
    label = page.value("document.activeElement.getAttribute('aria-label') || document.activeElement.textContent")
    page.press("Enter", number=13)
    picked = page.value("document.activeElement.textContent")
    assert picked.endswith(label.split(": ")[1] + " samples"), (label, picked)

    page.value("[...document.querySelectorAll('button')].find(b => b.textContent === 'label may be wrong').click()")
    assert page.value("document.activeElement.textContent").startswith("label may be wrong: ")
    assert page.value("document.querySelectorAll('.worst tbody tr').length") == 2
    assert "mean residual 0.5" in page.value("document.body.textContent")

    light = page.value("getComputedStyle(document.body).backgroundColor")
    page.media("dark")
    assert page.value("getComputedStyle(document.body).backgroundColor") != light
    page.media("light", "print")
    assert page.value("[...document.querySelectorAll('.controls')].every(c => getComputedStyle(c).display === 'none')")
    page.media("light")
    assert page.requests == [] and page.console == [], (page.requests, page.console)


def accessible(page):
    axe = os.environ.get("PTP_AXE", "/usr/share/nodejs/axe-core/axe.min.js")
    if not pathlib.Path(axe).is_file():
        return "axe-core was not there: PTP_AXE names its axe.min.js"
    for scheme in ("light", "dark"):
        page.media(scheme)
        page.value(pathlib.Path(axe).read_text() + "; 0")
        found = page.value("axe.run(document, " + json.dumps(AXE_RULES) + ").then(r => JSON.stringify(r.violations.map("
                           "v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200), v.nodes[0].failureSummary])))")
        assert found == "[]", (scheme, found)
    page.media("light")
    return "axe-core found nothing"


def mutated(programs, run, folder):
    """Each file of samples, cut off and changed: a report, and a warning with a fix where nothing can be read."""
    draw = random.Random(2)
    for file in sorted((run / "samples").iterdir()):
        whole = file.read_bytes()
        header = int.from_bytes(whole[:8], "little")
        for i in range(MUTATIONS):
            bytes_now = bytearray(whole)
            if i % 3 == 0:
                del bytes_now[draw.randrange(len(whole)):]
            else:
                for _ in range(draw.randrange(1, 5)):
                    bytes_now[draw.randrange(8 + header if i % 3 == 1 else len(whole))] = draw.randrange(256)
            file.write_bytes(bytes_now)
            errors = report(programs, run, folder / "mutated.html")
            assert not errors or re.search(r"warning: .*safetensors: .*\n +fix: delete it; ", errors), errors
        file.write_bytes(whole)


def main(programs):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cat_as_dog, right = write_run(folder / "net")
        errors = report(programs, folder / "net", folder / "net.html")
        assert errors == "", errors
        mutated(programs, folder / "net", folder)
        with browser.Browser() as page:
            look(page, folder / "net.html", cat_as_dog, right)
            print("numbers lead to their samples; " + accessible(page))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
