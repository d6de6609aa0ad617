"""report_samples_in_browser.py BIN: the samples of a report in a headless Chromium. A click and the keyboard select
the samples behind a number; hostile names are texts; dark, print and axe-core, if PTP_AXE names its axe.min.js."""

import base64
import json
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import zlib

import browser
import sample_files

if browser.CHROMIUM is None:
    print("skipped: chromium is not installed")
    sys.exit(77)

ATTACK = "<img src=\"http://localhost:9/x\" onerror=\"document.title='changed'\"><script>document.title='changed'</script>\x1b[31m"
NAMES = [ATTACK, "cat", "dog"]
AXE_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}


def write_run(folder):
    (folder / "samples").mkdir(parents=True)
    (folder / "experiment.toml").write_text('name = "net"\nseed = 1\n')
    (folder / "training.csv").write_text("episode,epoch,loss\n0,1,0.5\n1,1,0.25\n2,1,0.125\n")
    (folder / "validation.csv").write_text("episode,epoch,loss\n1,1,0.5\n2,2,0.25\n")
    (folder / "status.json").write_text(json.dumps({"format": 2, "state": "done", "episode": 3, "epoch": 1, "seconds": 1.5}))
    (folder / "run.json").write_text(json.dumps({"format": 2, "experiment": "net", "plugins": []}))
    (folder / "run.log").write_text("2026-01-31 12:00:00.000 info ptp: begins\n2026-01-31 12:00:01.000 warning ptp: " + ATTACK +
                                    "\n    fix: none\nnet.toml:3:1: pipeline.net is unknown\n2026-01-31 12:00:02.000 error ptp: ends\n")
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
    (folder / "samples" / "test.easy_000003.safetensors").write_bytes(sample_files.segmentation())
    (folder / "layers.csv").write_text(
        "kind,name,episode,epoch,mean,deviation,zeros,norm,gradient_norm,update_ratio\n" +
        "".join(f'{kind},"{name}",{episode},1,0.5,1,{zeros},2,nan,nan\n' for episode, zeros in ((0, 0.25), (2, 0.75))
                for kind, name in (("operation", ATTACK.replace('"', '""')), ("parameter", "net.weight"))))
    write_model(folder)
    write_explanations(folder)
    predicted = [max(range(3), key=row.__getitem__) for row in scores]
    return sum(t == 1 and p == 2 for t, p in zip(targets, predicted)), sum(t == p for t, p in zip(targets, predicted))


def npy(shape, *numbers):
    """A file of NumPy with numbers in float32."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(numbers)}f", *numbers)


def write_explanations(folder):
    """Attention: two heads of two words, and others whose numbers are of another size; maps, and those of other checkpoints."""
    maps = folder / "explanations" / "episode_0000000003"
    maps.mkdir(parents=True)
    (maps / "a.npy").write_bytes(npy((2, 2, 2), 0.75, 0.25, 1, 0, 0.25, 0.75, float("nan"), 2))
    attention = {"component": ATTACK, "number": 1, "numbers": "a.npy", "heads": 2, "is_to_itself": True,
                 "rows": [ATTACK, "b"], "columns": [ATTACK, "b"]}
    (maps / "b.npy").write_bytes(npy((1, 2, 4), 3, -1, 0, 0, 0, 0, 0, 4))
    (maps / "c.npy").write_bytes(npy((2, 1, 4), 2, -1, 0, 0, -2, 0, 0, 5))
    mapped = {"method": "input_x_gradient", "numbers": "b.npy", "picture": "", "smallest": -1, "largest": 4, "settings": {}}
    magnitudes = mapped | {"method": "saliency", "numbers": "c.npy", "smallest": 0, "largest": 5}
    (maps / "explanations.json").write_text(json.dumps(
        {"format": 1, "section": "test", "data": "test", "options": "", "samples": [{"index": 7, "attention": [
            attention, attention | {"number": 2, "heads": 3}, attention | {"heads": -1}, attention | {"numbers": "../run.json"}]},
            {"index": 8, "predicted": "cat", "true": ATTACK, "target": "cat", "maps": [
                mapped | {"target": "cat"}, mapped | {"target": ATTACK, "numbers": "../run.json"},
                magnitudes | {"target": "cat"}]}]}))
    sample = {"index": 8, "predicted": ATTACK, "maps": [mapped | {"picture": "8.png"}]}
    # One of the same samples; of files, with another option, of another section, and a sample of another file; and what a
    # program left behind that was ended.
    for name, data, options, section, more in (
            ("episode_0000000001", "test", "", "test", {}), ("episode_0000000002.new", "test", "", "test", {}),
            ("episode_0000000002", "new/8.png", "", "test", {}), ("episode_00000000021", "test", "--target cat", "test", {}),
            ("episode_00000000022", "test", "", "test.easy", {}), ("episode_00000000023", "test", "", "test", {"file": "8.png"}),
            ("episode_0000000003.new", "test", "", "test", {})):
        earlier = folder / "explanations" / name
        earlier.mkdir()
        (earlier / "8.png").write_bytes(dot())
        (earlier / "explanations.json").write_text(json.dumps(
            {"format": 1, "section": section, "data": data, "options": options, "samples": [sample | more]}))


def dot():
    """A PNG of one grey pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(b"\0\x80")) + chunk(b"IEND", b""))


def picture(red):
    """One row of two pixels: a red one, and a black one."""
    return {"height": 1, "width": 2, "pixels": base64.b64encode(bytes([red, 0, 0, 0, 0, 0])).decode()}


def write_model(folder):
    """What the engine, `ptprun data --record` and `ptprun find-lr` write: a convolution of 1 x 2 x 3 x 3 on 4 samples."""
    component = {"name": ATTACK, "type": "Net", "kind": "model", "plugin": "nets 1.0",
                 "inputs": [{"port": "inputs", "stream": "images"}], "outputs": [{"port": "outputs", "stream": ATTACK}]}
    tensors = [{"name": "conv.weight", "sizes": [2, 1, 3, 3], "bytes": 72, "is_parameter": True, "is_trained": True},
               {"name": "norm.mean", "sizes": [2], "bytes": 8, "is_parameter": False, "is_trained": False}]
    operations = [{"name": "conv2d", "sizes": [4, 2, 6, 6], "bytes": 1152, "multiply_adds": 4 * 2 * 36 * 9, "tensors": ["conv.weight"]},
                  {"name": "conv2d", "sizes": [4, 2, 6, 6], "bytes": 1152, "multiply_adds": 4 * 2 * 36 * 9, "tensors": ["conv.weight"]},
                  {"name": "embedding", "sizes": [4, 2], "bytes": 0, "multiply_adds": 0, "tensors": ["words.weight"]}]
    (folder / "model.json").write_text(json.dumps(
        {"format": 1, "samples": 4, "streams": {"images": [4, 1, 8, 8], ATTACK: [4, 2]},
         "components": [component | {"layers": [], "tensors": tensors, "operations": operations, "operation_count": 3,
                                     "multiply_adds": 2 * 4 * 2 * 36 * 9}]}))
    stream = {"name": "images", "type": "float32", "shape": "[1, 8, 8]", "not_finite": 0}
    sections = [{"section": name, "task": ATTACK, "samples": 1234567, "read": 100,
                 "streams": [stream | {"numbers": {"count": 100, "min": 0, "max": 1, "mean": mean, "deviation": 0.2}}]}
                for name, mean in (("training", 0.25), ("test", 0.75))]
    sections[0]["versions"] = {"index": [5, 7], "streams": [
        {"name": ATTACK, "epochs": 1, "texts": [ATTACK, "cat"]},
        {"name": "flipped", "epochs": 2, "pictures": [picture(red) for red in (10, 20, 30, 40)]},
        {"name": "damaged", "epochs": 1, "pictures": [picture(1), picture(1) | {"height": 3}]}]}
    (folder / "data.json").write_text(json.dumps(
        {"format": 1, "sections": sections, "equal": [],
         "compared": [{"stream": "targets", "sections": ["training", "test"], "shares": {ATTACK: [0.5, 0.25]}}]}))
    rates = [10 ** (i / 10 - 5) for i in range(50)]
    losses = [1 + abs(i - 30) / 10 for i in range(50)]
    (folder / "find_lr.json").write_text(json.dumps(
        {"format": 1, "suggestion": 0.001, "lowest": 0.01, "diverged": None, "learning_rates": rates, "losses": losses,
         "smoothed": losses}))
    (folder / "checkpoints" / "best").mkdir(parents=True)
    (folder / "checkpoints" / "best" / "weights.safetensors").write_bytes(sample_files.safetensors(
        {"net.conv.weight": ("F32", [2, 1, 3, 3], [i / 9 - 1 for i in range(18)]),
         "net.second.weight": ("F32", [1, 2, 3, 3], range(18)),
         ATTACK + ".words.weight": ("F32", [3, 2], [0, 0, 3, 4, 6, 8])}, {}))
    (folder / "checkpoints" / "best" / "checkpoint.toml").write_text('format = 1\n[globals.words]\n"<b>one" = 0\ntwo = 1\n')


def report(programs, run, file):
    return subprocess.run([programs / "ptprun", "report", run, "-o", file], capture_output=True, text=True, check=False)


def look_at_model(page):
    """What is computed in the report by hand: 18 weights, 2 * 36 * 9 multiply-adds in each of two convolutions."""
    text = page.value("document.querySelector('.model p').textContent")
    assert text.startswith("18 parameters (18 trained), 1\xa0296 multiply-adds a sample, weights 80 B"), text
    rows = page.value("[...document.querySelectorAll('.model details tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    assert ["1", "conv2d", "[B, 2, 6, 6]", "18", "648", "1.1 KiB"] in rows, rows
    assert ["2", "conv2d", "[B, 2, 6, 6]", "0", "648", "1.1 KiB"] in rows, rows  # the same weights again
    assert page.value("document.querySelectorAll('.kernel canvas').length") == 2
    vectors = page.value("[...document.querySelectorAll('[aria-label^=vectors] tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    assert vectors == [["0", "<b>one", "-5", "0"], ["1", "two", "0", "0"], ["2", "2", "5", "0"]], vectors  # 3, 4 is 5 long
    warnings = page.value("[...document.querySelectorAll('.warnings li')].map(w => w.textContent)")
    assert warnings == ["⚠ test, images: the mean is 0.75, in training 0.25 (deviation 0.2)"], warnings
    assert "Suggestion: 0.001" in page.value("document.body.textContent")


def look_at_versions(page):
    """Two samples in two epochs; a text that is the same in both; a stream whose pixels are too few is left out."""
    table = "document.querySelector('.versions')"
    heads = page.value(f"[...{table}.querySelectorAll('thead th')].map(h => h.textContent)")
    assert heads[0] == "sample" and heads[1].startswith("<img src") and heads[2:] == ["flipped, epoch 1", "flipped, epoch 2"], heads
    rows = page.value(f"[...{table}.querySelectorAll('tbody tr')].map(r => [r.cells[0].textContent, r.cells[1].textContent])")
    assert [row[0] for row in rows] == ["№ 5", "№ 7"] and rows[0][1].startswith("<img src") and rows[1][1] == "cat", rows
    reds = page.value(f"[...{table}.querySelectorAll('canvas')].map(c => c.getContext('2d').getImageData(0, 0, 1, 1).data[0])")
    assert reds == [10, 20, 30, 40], reds
    label = page.value(f"{table}.querySelectorAll('canvas')[3].getAttribute('aria-label')")
    assert label == "flipped, epoch 2 of sample 7", label


def look_at_attention(page):
    """The mean of two heads, then the second one."""
    cells = "[...document.querySelectorAll('.attention tbody td')].map(c => c.textContent)"
    assert page.value(cells) == ["0.50", "0.50", "0.50", "0.50"], page.value(cells)
    page.value("(s => { s.value = 1; s.dispatchEvent(new Event('change')); })("
               "document.querySelector('select[aria-label=\"head of sample 7\"]'))")
    assert page.value(cells) == ["0.25", "0.75", "", "1.00"], page.value(cells)  # nan is 0, and 2 is 1
    assert page.value("document.querySelector('.attention thead th').textContent").startswith("<img src")


def opened(page, details):
    """The rows of the table that a closed element has once it is open."""
    page.value(f"new Promise(done => {{ const d = {details}; d.addEventListener('toggle', () => setTimeout(done)); d.open = true; }})")
    return page.value(f"[...{details}.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.textContent))")


def look_at_numbers(page):
    """The tables behind pictures: of a kernel from -1 to 8/9, and of a map of two rows and four columns."""
    rows = opened(page, "document.querySelector('.kernels').parentElement.querySelector('details')")
    assert len(rows) == 6 and rows[0][:3] == ["0", "0", "0"] and rows[5][:3] == ["1", "0", "2"], rows
    numbers = [float(cell) for row in rows for cell in row[3:]]
    assert all(abs(number - (i / 9 - 1)) < 1 / 100 for i, number in enumerate(numbers)), numbers
    section = "[...document.querySelectorAll('h3')].find(h => h.textContent.startsWith('Sample 8')).parentElement"
    title = page.value(section + ".querySelector('h3').textContent")
    assert title.startswith("Sample 8: predicted cat, true <img src") and title.count("<img src") == 2, title
    assert page.value(f"[...{section}.querySelectorAll('figcaption')].map(c => c.textContent)")[1] == "input_x_gradient, for cat"
    rows = opened(page, f"[...{section}.querySelectorAll('details')].at(-1)")
    assert rows == [["0 to 0", "+37.5 %", "-12.5 %", "0.0 %", "0.0 %"], ["1 to 1", "0.0 %", "0.0 %", "0.0 %", "+50.0 %"],
                    ["0 to 0", "+25.0 %", "+12.5 %", "0.0 %", "+62.5 %"]], rows  # of 2, 1, 0 and 5, whose signs do not count
    captions = page.value(f"[...{section}.querySelectorAll('caption')].map(c => c.textContent)")
    about = " for cat of sample 8, as shares of its magnitude; smallest "
    assert captions == ["input_x_gradient," + about + "-1, largest 4, strongest in row 1, column 3",
                        "saliency," + about + "0, largest 5, strongest in row 0, column 3"], captions
    opened(page, section + ".querySelector('details')")
    heads = page.value(f"[...{section}.querySelectorAll('table.maps thead th')].map(h => h.textContent)")
    assert heads[0] == "method" and heads[1].startswith("episode 1, predicted <img src") and heads[2] == "episode 3, predicted cat", heads
    assert page.value(f"{section}.querySelectorAll('table.maps img').length") == 1


def look_at_log(page):
    """Lines by their level; one without a level belongs to that before it."""
    pre = "[...document.querySelectorAll('details > div > pre')].at(-1)"
    choose = f"(v => {{ const s = {pre}.parentElement.querySelector('select'); s.value = v; s.dispatchEvent(new Event('change')); }})"
    options = page.value(f"[...{pre}.parentElement.querySelectorAll('option')].map(o => o.textContent)")
    assert options == ["all", "warnings and errors (2)", "errors (1)"], options
    assert page.value(pre + ".textContent").startswith("2026-01-31 12:00:00.000 info ptp: begins\n")
    page.value(choose + "('warnings')")
    text = page.value(pre + ".textContent")
    assert "begins" not in text and "    fix: none\nnet.toml:3:1: pipeline.net is unknown\n" in text and text.strip().endswith("error ptp: ends"), text
    page.value(choose + "('errors')")
    assert page.value(pre + ".textContent").split() == "2026-01-31 12:00:02.000 error ptp: ends".split()
    page.value(choose + "('all')")


def check_projector(programs, run, folder):
    """The vectors of the model's embedding, with the words of the vocabulary, and those of the samples that have an image."""
    done = subprocess.run([programs / "ptprun", "report", run, "-o", folder / "projected.html", "--projector",
                           folder / "vectors"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    vectors = folder / "vectors"
    assert done.stdout.startswith(f"vectors in {vectors}; to look: tensorboard --logdir {vectors}\n"), done.stdout
    lines = (vectors / "projector_config.pbtxt").read_text().splitlines()
    assert lines[2:5] == ['  tensor_path: "embedding_1_tensors.tsv"', '  metadata_path: "embedding_1_metadata.tsv"', "}"], lines
    assert lines[5:] == ["embeddings {", '  tensor_name: "validation: embedded"', '  tensor_path: "embedding_2_tensors.tsv"',
                         '  metadata_path: "embedding_2_metadata.tsv"', "  sprite {", '    image_path: "embedding_2_sprite.png"',
                         "    single_image_dim: 8", "    single_image_dim: 8", "  }", "}"], lines
    assert (vectors / "embedding_1_metadata.tsv").read_text() == "<b>one\ntwo\n2\n"
    rows = (vectors / "embedding_1_tensors.tsv").read_text().splitlines()
    numbers = [[float(number) for number in row.split("\t")] for row in rows]
    assert len(numbers) == 3 and {len(row) for row in numbers} == {2}, numbers
    assert math.dist(numbers[0], numbers[1]) == math.dist(numbers[1], numbers[2]) == 5, numbers
    assert (vectors / "embedding_2_tensors.tsv").read_text() == "".join(f"{i}\t{i * i}\n" for i in range(0, 300, 10))
    labels = (vectors / "embedding_2_metadata.tsv").read_text().splitlines()
    assert labels[0] == "true\tpredicted\tloss\tsample" and len(labels) == 31, labels
    assert labels[1].startswith("<img") and [label.split("\t")[3] for label in labels[1:]] == [str(i) for i in range(0, 300, 10)]
    assert [label.split("\t")[0] for label in labels[2:4]] == ["cat", "dog"], labels  # of samples 10 and 20


def look_at_layers(page):
    """The numbers behind the picture: the share of zeros of the one operation, first and last."""
    page.value("document.querySelector('canvas.layers').scrollIntoView({block: 'center'})")
    page.value("new Promise(done => setTimeout(done, 300))")
    table = "document.querySelector('canvas.layers').parentElement.querySelector('details')"
    page.value(f"new Promise(done => {{ {table}.addEventListener('toggle', () => setTimeout(done)); {table}.open = true; }})")
    rows = page.value(f"[...{table}.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    assert len(rows) == 1 and rows[0][0].startswith("<img src") and rows[0][1:] == ["0.25", "0.25", "0.75", "0.75"], rows
    # Darker where more is 0: the first episode is in the left half of the picture, the last in the right one.
    alpha = ("(c => { const copy = new OffscreenCanvas(c.width, c.height).getContext('2d', {willReadFrequently: true}); copy.drawImage(c, 0, 0);"
             "const left = Math.min(220, c.width / 3); return [0.25, 0.75].map(at => copy.getImageData(left + at * (c.width - left), 9, 1, 1)"
             ".data[3]); })(document.querySelector('canvas.layers'))")
    first, last = page.value(alpha)
    assert 0 < first < last, (first, last)
    choose = ("(s => { s.value = '%s'; s.dispatchEvent(new Event('change')); })([...document.querySelectorAll('select')].find("
              "s => [...s.options].some(o => o.value === '%s')))")
    page.value(choose % ("norm", "norm"))
    first, last = page.value(alpha)
    assert first == last > 200, (first, last)  # the norm is 2 in both
    assert "norm of operations" in page.value("document.querySelector('canvas.layers').getAttribute('aria-label')")
    page.value(choose % ("parameter", "parameter"))
    assert page.value(f"{table}.querySelector('tbody td').textContent") == "net.weight"
    page.value(choose % ("operation", "operation") + ";" + choose % ("zeros", "zeros"))


def look_at_rates(page, targets):
    """A class alone has thresholds, which select the samples on both sides of them."""
    page.value("(s => { s.value = 1; s.dispatchEvent(new Event('change')); })([...document.querySelectorAll('select')].find("
               "s => s.options[0].textContent === 'all classes'))")
    table = "document.querySelector('[aria-label^=\"points of the curves\"]')"
    rows = page.value(f"[...{table}.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => +c.textContent))")
    assert 20 < len(rows) < 60 and rows[-1][1:3] == [1, 1], rows
    assert all(a[0] > b[0] and a[1] <= b[1] and a[2] <= b[2] for a, b in zip(rows, rows[1:])), rows
    assert page.value("document.querySelectorAll('svg[aria-label^=ROC] .point').length") == len(rows)
    share = targets.count(1) / len(targets)  # at the last threshold everything counts as the class
    assert abs(rows[-1][3] - share) < 1e-6, rows[-1]
    page.value(f"{table}.querySelectorAll('tbody button')[4].click()")
    heading = page.value("document.activeElement.textContent")
    assert heading.startswith("score of cat near ") and heading.endswith(": 12 samples"), heading


def look_at_vectors(page):
    """300 numbers and their squares: a point and a row of the table for each, which select a sample."""
    assert page.value("document.querySelectorAll('svg[aria-label=\"principal components of embedded\"] .mark').length") == 300
    assert page.value("document.querySelectorAll('ul.key svg.sign').length") == 3  # classes
    page.value("document.querySelector('[aria-label=\"samples along embedded\"] tbody button').click()")
    assert re.fullmatch("sample [0-9]+: 1 sample", page.value("document.activeElement.textContent"))


def look_at_losses(page):
    """The samples with the largest sums of both passes, the largest first, with their loss in each."""
    table = "document.querySelector('table.losses')"
    rows = page.value(f"[...{table}.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => +c.textContent))")
    assert [row[0] for row in rows] == [1, 2] and len(rows[0]) == 41, rows
    sums = [a + b for a, b in zip(rows[0][1:], rows[1][1:])]
    assert all(a >= b - .02 for a, b in zip(sums, sums[1:])), sums
    page.value(f"{table}.querySelector('thead button').click()")
    assert page.value("document.activeElement.textContent").startswith("sample ")


def look_at_curves(page):
    """A click on the first validation, and the keyboard in its numbers, select the samples of its epoch."""
    plot = "[...document.querySelectorAll('.card')].find(c => c.querySelector('h3').textContent === 'loss').querySelector('.plot')"
    page.value(plot + ".scrollIntoView({block: 'center'})")
    left, top, width, height = page.value(f"(r => [r.left, r.top, r.width, r.height])({plot}.getBoundingClientRect())")
    page.value("new Promise(done => setTimeout(done, 300))")
    page.click(left + width / 2, top + height / 2)
    heading = page.value("document.activeElement.textContent")
    assert heading.startswith("highest loss in epoch "), heading


def look(page, file, cat_as_dog, right):
    page.open(file)
    assert page.requests == [] and page.console == [], (page.requests, page.console)
    assert page.value("document.title").startswith("ptp: ")
    assert page.value("document.querySelectorAll('img, main script, iframe').length") == 0
    assert page.value("document.querySelector('.matrix th[scope=col]').textContent").startswith("<img src")
    assert float(page.value("document.querySelector('.accuracy').textContent")) == right / 300
    bars = page.value("document.querySelectorAll('svg.figure .bar').length")
    assert bars > 10 and page.value("document.querySelectorAll('svg.figure polyline').length") == 8, bars  # six rates, the range test

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

    page.value("[...document.querySelectorAll('button')].find(b => b.textContent === 'highest bleu').click()")
    assert page.value("document.activeElement.parentElement.querySelector('.sample figcaption').textContent").endswith("bleu 0.99")

    look_at_model(page)
    look_at_versions(page)
    look_at_attention(page)
    look_at_layers(page)
    look_at_numbers(page)
    look_at_log(page)
    look_at_losses(page)
    look_at_vectors(page)
    look_at_rates(page, [i % 3 for i in range(300)])
    look_at_curves(page)
    assert page.value("[...document.querySelectorAll('.sample p.faint')].some(p => p.textContent === 'segments')")
    assert page.value("[...document.querySelectorAll('p.key span')].map(s => s.textContent)") == [" cat", " 2"]

    light = page.value("getComputedStyle(document.body).backgroundColor")
    page.media("dark")
    assert page.value("getComputedStyle(document.body).backgroundColor") != light
    page.media("light", "print")
    assert page.value("[...document.querySelectorAll('.controls')].every(c => getComputedStyle(c).display === 'none')")
    assert page.value("[...document.querySelectorAll('th button, td button')].every(b => getComputedStyle(b).display !== 'none')")
    # Nothing is cut off, or lies over what follows.
    assert page.value("[...document.querySelectorAll('.scroll')].every(s => s.scrollHeight <= s.clientHeight + 1)")
    assert page.value("[...document.querySelectorAll('thead th')].every(t => getComputedStyle(t).position === 'static')")
    page.value("document.documentElement.dataset.theme = 'dark'")
    assert page.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", "paper is white"
    page.value("delete document.documentElement.dataset.theme")
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


def main(programs):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cat_as_dog, right = write_run(folder / "net")
        result = report(programs, folder / "net", folder / "net.html")
        assert (result.returncode, result.stderr) == (0, ""), result.stderr
        check_projector(programs, folder / "net", folder)
        with browser.Browser() as page:
            look(page, folder / "net.html", cat_as_dog, right)
            print("numbers lead to their samples; " + accessible(page))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
