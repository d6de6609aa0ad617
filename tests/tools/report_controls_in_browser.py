"""report_controls_in_browser.py BIN: the curves of one run and of several in a headless Chromium: each axis, smoothing, zoom by the
keyboard, the marks of the best and the last, what was done to the training, seeds as a mean with a band, what differs, and many runs."""

import json
import pathlib
import subprocess
import sys
import tempfile

import browser

if browser.CHROMIUM is None:
    print("skipped: chromium is not installed")
    sys.exit(77)

EPISODES, EPOCHS, BATCH = 12, 3, 8


def write_run(folder, lr, seed, losses, size, extra=False):
    """Three epochs of four episodes in 30 seconds; the best weights are those of the second epoch."""
    folder.mkdir(parents=True)
    (folder / "experiment.toml").write_text(
        f'name = "net"\nseed = {seed}\n[training.task]\nbatch_size = {BATCH}\n[training.optimizer]\nlr = {lr}\n[pipeline.net]\nsize = {size}\n')
    (folder / "training.csv").write_text(
        "episode,epoch,loss\n" + "".join(f"{i},{i // 4 + 1},{losses[i // 4] * (1 + i % 4)}\n" for i in range(EPISODES)))
    epochs = "".join(f"{4 * e + 3},{e + 1},{loss}\n" for e, loss in enumerate(losses))
    (folder / "training_epochs.csv").write_text("episode,epoch,loss\n" + epochs)
    (folder / "validation.csv").write_text("episode,epoch,loss\n" + epochs)
    best = {"set": "validation", "episode": 7, "epoch": 2, "loss": losses[1], "statistics": {}}
    (folder / "status.json").write_text(json.dumps(
        {"format": 2, "state": "done", "episode": EPISODES, "epoch": EPOCHS, "seconds": 30, "best": best, "last": best | {"loss": losses[2]}}))
    (folder / "run.json").write_text(json.dumps({"format": 2, "experiment": "net", "plugins": []}))
    (folder / "run.log").write_text("2026-01-31 12:00:00.000 info ptp: begins\n" + "".join(
        f"2026-01-31 12:00:{10 * e:02}.000 info ptp: epoch {e}/3  training    loss 1\n" for e in (1, 2, 3)))
    (folder / "events.jsonl").write_text(
        '{"format":1,"event":"skip","episode":6,"epoch":2,"details":{},"time":"2026-01-31T12:00:15Z"}\n')
    component = {"type": "Net", "kind": "model", "plugin": "nets 1.0", "layers": [], "tensors": [], "operations": [], "operation_count": 0,
                 "multiply_adds": 0, "inputs": [{"port": "inputs", "stream": "a"}], "outputs": [{"port": "outputs", "stream": "b"}]}
    (folder / "model.json").write_text(json.dumps(
        {"format": 1, "samples": BATCH, "streams": {}, "components": [component | {"name": n} for n in ["net"] + ["added"] * extra]}))


class Page:
    """A report with the chart of the statistic `loss` in view."""

    CARD = "[...document.querySelectorAll('.card')].find(c => c.querySelector('h3').textContent === 'loss')"

    def __init__(self, page):
        self.page, self.value = page, page.value

    def open(self, programs, runs, file):
        done = subprocess.run([programs / "ptprun", "report", runs, "-o", file], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        self.page.open(file)
        self.value(self.CARD + ".scrollIntoView({block: 'center'})")
        self.wait()

    def wait(self):
        self.value("new Promise(done => setTimeout(done, 100))")

    def check_silent(self):
        assert self.page.console == [] and self.page.requests == [], (self.page.console, self.page.requests)

    def control(self, label, value):
        """Sets the control beside a label as a user does."""
        self.value(f"""(l => {{ const c = l.querySelector('input, select'); if (c.type === 'checkbox') {{ if (c.checked !== {json.dumps(value)}) c.click(); }}
            else {{ c.value = {json.dumps(value)}; c.dispatchEvent(new Event(c.type === 'range' ? 'input' : 'change')); }} }})(
            [...document.querySelectorAll('.controls label')].find(l => l.textContent.startsWith({json.dumps(label)}) && l.querySelector('input, select')))""")
        self.wait()

    def ticks(self, axis):
        return self.value(f"[...{self.CARD}.querySelectorAll('.dygraph-axis-label-{axis}')].map(t => parseFloat(t.textContent))")

    def picture(self):
        return self.value(f"[...{self.CARD}.querySelectorAll('.plot canvas')].map(c => c.toDataURL()).join()")

    def key(self):
        return self.value(f"[...{self.CARD}.querySelectorAll('.key span')].map(s => s.textContent.trim())")

    def columns(self, canvas, color, least):
        """The columns of a canvas, as shares of its width, where at least this share of the pixels has the color."""
        return self.value(f"""(canvas => {{ const c = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d'); c.drawImage(canvas, 0, 0);
            const probe = new OffscreenCanvas(1, 1).getContext('2d'); probe.fillStyle = {color}; probe.fillRect(0, 0, 1, 1);
            const [r, g, b] = probe.getImageData(0, 0, 1, 1).data, {{width, height}} = canvas, p = c.getImageData(0, 0, width, height).data, found = [];
            for (let x = 0; x < width; ++x) {{ let n = 0;
              for (let y = 0; y < height; ++y) {{ const i = 4 * (y * width + x); if (p[i + 3] > 100 && Math.abs(p[i] - r) + Math.abs(p[i + 1] - g) + Math.abs(p[i + 2] - b) < 40) ++n; }}
              if (n >= {least} * height) found.push(x / width); }}
            return found; }})({canvas})""")


def look_at_one(page):
    """Where the numbers of each axis end; what is marked at the best weights and in the strip."""
    for axis, low, high in (("episodes", 8, 12), ("samples", 64, 100), ("epochs", 2, 3.2), ("seconds", 20, 32)):
        page.control("x", axis)
        assert page.value(page.CARD + ".querySelector('.axis').textContent") == axis
        last = max(page.ticks("x"))
        assert low <= last <= high, (axis, page.ticks("x"))
    page.control("x", "episodes")
    assert page.key() == ["training, each batch", "training, each epoch", "validation"], page.key()
    plots = f"[...{page.CARD}.querySelectorAll('.plot canvas')]"
    best = [x for i in (0, 1) for x in page.columns(f"{plots}[{i}]", "PTP.css('--faint')", 0.3)]
    assert any(0.55 < x < 0.75 for x in best), best  # episode 7 of 0 to 11, beside the labels of the other axis
    signs = page.columns(page.CARD + ".querySelector('canvas.strip')", "PTP.css('--accent')", 0.2)
    assert any(0.5 < x < 0.65 for x in signs) and not any(x < 0.4 or x > 0.75 for x in signs), signs  # episode 6

    whole = page.picture()
    page.control("smoothing", "0.9")
    assert page.picture() != whole and page.key() == ["training, each batch", "training, each epoch", "validation"]
    page.control("smoothing", "0")
    assert page.picture() == whole
    ticks = page.ticks("y")
    page.control("logarithmic", True)
    assert page.ticks("y") != ticks
    page.control("logarithmic", False)
    page.control("logarithmic x", True)
    assert page.picture() != whole
    page.control("logarithmic x", False)

    page.value(page.CARD + ".querySelector('.plot').focus()")
    page.page.press("+", number=187)
    page.wait()
    zoomed = page.ticks("x")
    assert min(zoomed) >= 2 and max(zoomed) <= 9, zoomed
    page.page.press("ArrowRight", number=39)
    page.wait()
    assert min(page.ticks("x")) > min(zoomed), (page.ticks("x"), zoomed)
    page.page.press("0", number=48)
    page.wait()
    assert min(page.ticks("x")) == 0, page.ticks("x")
    page.check_silent()


def look_at_several(page):
    """Three seeds of one rate are one curve: the mean of 4, 2 and 0.5 is 2.1667, their deviation 1.7559; another run is another pipeline."""
    rows = page.value("[...document.querySelectorAll('#runs tr')].map(r => [...r.cells].map(c => c.textContent))")
    titles, *rows = rows
    assert [t for t in titles if t.startswith(("training.", "pipeline.", "seed"))] == ["seed", "training.optimizer.lr", "pipeline.net.size"], titles
    assert [row[0] for row in rows] == ["third", "other", "second", "first"], rows  # by the best loss
    group = titles.index("group")
    assert [row[group] for row in rows] == ["1", "2", "1", "1"], rows
    page.value("[...document.querySelectorAll('#runs th button')].find(b => b.textContent.startsWith('last loss')).click()")
    sorted_by = page.value("[...document.querySelectorAll('#runs tbody tr')].map(r => r.cells[0].textContent)")
    assert sorted_by in (["third", "second", "first", "other"], ["other", "first", "second", "third"]), sorted_by

    mean = "group 1  validation (mean of 3, band: deviation)"
    assert mean in page.key() and not any(k.startswith(("first", "second", "third")) for k in page.key()), page.key()
    left, top, width, height = page.value(f"(r => [r.left, r.top, r.width, r.height])({page.CARD}.querySelector('.plot').getBoundingClientRect())")
    page.page.call("Input.dispatchMouseEvent", type="mouseMoved", x=left + width * .35, y=top + height / 2)
    page.wait()
    text = page.value(page.CARD + ".querySelector('.axis').textContent")
    assert text.startswith("episodes 3: ") and mean + " 2.1667" in text, text
    with_bands = page.picture()
    page.control("seeds and folds", False)
    assert page.picture() != with_bands and "first  validation" in page.key(), page.key()
    page.control("seeds and folds", True)

    painted = page.value("(c => { const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < p.length; i += 4) n += p[i] > 0; return n; })"
                         "(document.querySelector('canvas.parallel'))")
    assert painted > 1000, painted
    pipelines = page.value("[...document.querySelectorAll('.pipelines .card')].map(c => c.textContent)")
    assert len(pipelines) == 2 and pipelines[0].startswith("third, second, first"), pipelines
    assert "size = 32" in pipelines[1] and "only here" in pipelines[1] and "added" not in pipelines[0], pipelines
    page.check_silent()


def write_wide(folder, runs, points):
    """Runs with places of their own, each with a peak and a dip in the middle of its points."""
    for number in range(runs):
        write_run(folder / str(number), 0.001 * (number + 1), 1, [1, 1, 1], 16)
        values = [1] * points
        values[points // 2], values[points // 2 + 1] = 1000 + number, -number
        (folder / str(number) / "training.csv").write_text(
            "episode,epoch,loss\n" + "".join(f"{i * runs + number},1,{value}\n" for i, value in enumerate(values)))
        for file in ("training_epochs.csv", "validation.csv"):
            (folder / str(number) / file).unlink()


def look_at_wide(page, runs, points):
    """Of so many places few rows are drawn, those of a window anew, with the largest and the smallest number of each curve."""
    ends = f"""(g => {{ const [a, b] = g.xAxisRange(), found = [];
        for (let c = 1; c < g.numColumns(); ++c) {{ let low = 1e9, high = -1e9;
          for (let r = 0; r < g.numRows(); ++r) if (g.getValue(r, 0) >= a && g.getValue(r, 0) <= b && g.getValue(r, c)) {{
            low = Math.min(low, g.getValue(r, c)[1]); high = Math.max(high, g.getValue(r, c)[1]); }}
          found.push([low, high]); }}
        return [g.numRows(), b - a, found.sort((x, y) => x[1] - y[1])]; }})(graphs.at(-1))"""
    page.value("window.graphs = []; (f => { Dygraph.prototype.updateOptions = function () { graphs.push(this); return f.apply(this, arguments); }; })"
               "(Dygraph.prototype.updateOptions)")
    expected = [[-number, 1000 + number] for number in range(runs)]
    width = runs * points
    for _ in range(3):
        page.value(page.CARD + ".querySelector('.plot').dispatchEvent(new KeyboardEvent('keydown', {key: '+'}))")
        page.wait()
        rows, shown, found = page.value(ends)
        assert rows <= 2 * (50 + 40000 // runs + 50) and shown < width * 0.6, (rows, shown)
        assert found == expected, found
        width = shown
    page.control("logarithmic x", True)
    page.value(page.CARD + ".querySelector('.plot').dispatchEvent(new KeyboardEvent('keydown', {key: '+'}))")
    page.wait()
    assert page.value(ends)[0] <= 2 * (50 + 40000 // runs + 50)
    page.check_silent()


def main(programs):
    with tempfile.TemporaryDirectory() as name, browser.Browser() as opened:
        folder, page = pathlib.Path(name), Page(opened)
        for run, seed, losses in (("first", 1, [4, 1, 2]), ("second", 2, [2, 0.75, 1]), ("third", 3, [0.5, 0.25, 0.75])):
            write_run(folder / "runs" / run, 0.1, seed, losses, 16)
        write_run(folder / "runs" / "other", 0.01, 1, [3, 0.5, 3], 32, extra=True)
        page.open(programs, folder / "runs" / "first", folder / "one.html")
        look_at_one(page)
        page.open(programs, folder / "runs", folder / "several.html")
        look_at_several(page)
        write_wide(folder / "wide", 60, 300)
        page.open(programs, folder / "wide", folder / "wide.html")
        look_at_wide(page, 60, 300)
        print("the controls of curves show what they state")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
