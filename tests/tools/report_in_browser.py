"""report_in_browser.py BIN: reports of runs, hostile ones among them, opened by a headless Chromium:
nothing is requested or executed, nothing reaches the console, and the numbers of the page are those of
`ptprun runs --json`."""

import html.parser
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import sample_files

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    print("skipped: chromium is not installed")
    sys.exit(77)

ATTACK = "<script>document.title='changed'</script><img src=\"http://localhost:9/x\" onerror=\"document.title='changed'\">\"'&\x1b[31m"


class Page(html.parser.HTMLParser):
    """The cells of the tables of runs and of origins, all texts, the title, and the elements outside of the file's own."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.origins, self.tags, self.title, self.tag, self.text = [], [], [], "", "", ""
        self.filled = None  # the rows of the table that is read
        self.is_ready = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.tag = tag
        attributes = dict(attributes)
        self.is_ready = self.is_ready or attributes.get("data-ready") == "yes"
        self.filled = {"runs": self.rows, "origins": self.origins}.get(attributes.get("id"), self.filled)
        if self.filled is not None and tag == "tr":
            self.filled.append([])
        if self.filled is not None and tag in ("td", "button"):
            self.filled[-1].append("")

    def handle_endtag(self, tag):
        self.tag = ""
        if tag == "table":
            self.filled = None

    def handle_data(self, data):
        if self.tag == "title":
            self.title += data
        if self.tag not in ("script", "style"):
            self.text += data
        if self.filled is not None and self.tag in ("td", "button"):
            self.filled[-1][-1] += data


def write_run(folder, lr, values, text=""):
    folder.mkdir(parents=True)
    (folder / "experiment.toml").write_text(f'name = "net"\nseed = 1\n[training.optimizer]\nlr = {lr}\n')
    rows = "".join(f"{i},1,{value},{lr}\n" for i, value in enumerate(values))
    (folder / "training.csv").write_text("episode,epoch,loss,learning_rate\n" + rows)
    best = {"set": "validation", "episode": 2, "epoch": 1, "statistics": {"accuracy": 1 / 3 + lr},
            "loss": None if values[0] != values[0] else values[0] / 7}
    status = {"format": 2, "state": "done", "reason": text, "episode": len(values), "epoch": 1,
              "seconds": 1.5, "best": best, "last": best | {"loss": lr / 3}}
    (folder / "status.json").write_text(json.dumps(status))
    (folder / "run.json").write_text(json.dumps(
        {"format": 2, "experiment": "net" + text, "plugins": [], "machine": {"libtorch": text}}))
    (folder / "run.log").write_text("2026-01-31 12:00:00.000 info ptp: begins " + text + "\n")
    if text:
        tables = folder / "tables" / 'a"<b>&'
        tables.mkdir(parents=True)
        names = ATTACK.replace('"', '""')
        (tables / "validation_000001.confusion_matrix.csv").write_text(f'class,"{names}"\n"{names}",1\n')
        (folder / "training.csv").write_text(f'episode,epoch,loss,"{names}"\n' + rows)


def write_checkpoint(folder, best, last, parents=()):
    """Checkpoints with weights of these hashes, of a training that began with the weights of others."""
    for name, digit in (("best", best), ("last", last)):
        checkpoint = folder / "checkpoints" / name
        checkpoint.mkdir(parents=True)
        (checkpoint / "SHA256SUMS").write_text(f"{digit * 64}  weights.safetensors\n")
        (checkpoint / "checkpoint.toml").write_text("format = 1\nseed = 1\nepoch = 1\nepisode = 2\n")
        (checkpoint / "training.toml").write_text("format = 1\n")
    process = {"began": "2026-01-31T12:00:00Z", "command_line": ["ptprun", "my net.toml"], "host": "here", "device": "cpu"}
    (folder / "run.json").write_text(json.dumps(
        {"format": 2, "experiment": "net", "experiment_sha256": "e" * 64, "seed": 1, "device": "cpu", "plugins": [], "machine": {},
         "git": None, "trial": None, "processes": [process, process],
         "lineage": {"parents": [{"weights_sha256": digit * 64, "component": component} for digit, component in parents],
                     "ancestors": [{"weights_sha256": "9" * 64, "name": "kinds.ptpm", "bundle_sha256": "8" * 64}] if len(parents) > 1 else []}
         if parents else None}))


def check_origins(reports, folder):
    """Which runs have the same bits, and which began with the weights of another or of a bundle."""
    for name, best, last, parents in (("one", "a", "b", ()), ("two", "a", "b", ()),
                                      ("tuned", "c", "c", (("a", ""),)), ("mixed", "d", "b", (("b", "pipeline.net"), ("9", "pipeline.head"))), ("longer", "b", "e", ())):
        write_run(folder / name, 0.1, [0.3, 0.2, 0.1])
        write_checkpoint(folder / name, best, last, parents)
    page, errors = reports.opened(folder)
    assert errors == "", errors
    titles, *rows = page.origins
    assert titles == ["run", "best weights", "same bits as", "last weights", "same bits as", "began with", "resumed"], titles
    assert sorted(rows) == [
        ["longer", "b" * 12, "last of mixed, last of one, last of two", "e" * 12, "", "", "1"],
        ["mixed", "d" * 12, "", "b" * 12, "one, two, best of longer", "pipeline.net: best of longer; pipeline.head of kinds.ptpm: file sha256 " + "8" * 16 +
         ", weights sha256 " + "9" * 16, "1"],
        ["one", "a" * 12, "two", "b" * 12, "mixed, two, best of longer", "", "1"],
        ["tuned", "c" * 12, "", "c" * 12, "", "best of one", "1"],
        ["two", "a" * 12, "one", "b" * 12, "mixed, one, best of longer", "", "1"]], rows
    assert "4 of 5 runs have the bits of another." in page.text
    page, errors = reports.opened(folder / "mixed")
    assert errors == "" and page.origins == [], errors
    for text in ("d" * 64, "pipeline.net of weights sha256 " + "b" * 16, "pipeline.head of kinds.ptpm: file sha256 ", "ptprun 'my net.toml'"):
        assert text in page.text, text
    text = reports.opened(folder / "one", folder / "tuned")[0].text
    assert "No two runs have the same bits." in text and "not compared" not in text
    (folder / "tuned" / "checkpoints" / "best" / "SHA256SUMS").unlink()
    text = reports.opened(folder / "one", folder / "tuned")[0].text
    assert "No two runs have the same bits. Of 1 run not all weights are listed, and so not compared." in text


class Reports:
    def __init__(self, programs, folder):
        self.ptprun, self.folder = programs / "ptprun", folder

    def run(self, *arguments):
        environment = {k: v for k, v in os.environ.items() if k != "PTP_RUNS"}
        return subprocess.run([self.ptprun, *arguments], capture_output=True, text=True, check=False,
                              env=environment)

    def opened(self, *runs):
        """Writes a report into a folder with blanks and umlauts, and returns its page as the browser has it."""
        file = self.folder / "ein Bericht, schön.html"
        result = self.run("report", *runs, "-o", file)
        assert result.returncode == 0, result.stderr
        policy = "default-src 'none'; script-src 'sha256-"
        assert policy in file.read_text(), "the policy is missing"
        browser = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
             f"--user-data-dir={self.folder / 'profile'}", "--virtual-time-budget=5000", "--dump-dom",
             file.as_uri()], capture_output=True, text=True, check=True, timeout=120)
        console = [line for line in browser.stderr.splitlines() if "CONSOLE" in line]
        assert not console, console
        page = Page(browser.stdout)
        assert page.is_ready, browser.stdout[:2000]
        assert page.title.startswith("ptp: "), page.title
        assert page.tags.count("script") == 2, page.tags
        return page, result.stderr

    def compare(self, page, runs):
        """Compares the page's table with what `ptprun runs --json` prints."""
        listed = {pathlib.Path(run["run"]).name: run
                  for run in json.loads(self.run("runs", runs, "--json").stdout)}
        titles, *rows = page.rows
        assert len(rows) == len(listed), rows
        for row in rows:
            cell = dict(zip(titles, row))
            run = listed[cell["run"]]
            for title, number in {"loss": run["best"]["loss"], "last loss": run["last"]["loss"],
                                  "accuracy": run["best"]["statistics"]["accuracy"],
                                  "epoch": run["best"]["epoch"], "seconds": run["seconds"],
                                  "training.optimizer.lr": run["settings"].get("training.optimizer.lr")}.items():
                if title in cell:
                    shown = float(cell[title]) if cell[title] else None
                    assert shown == number, (title, shown, number)
        return [row[0] for row in rows]


def check_samples(reports, folder):
    """Samples whose numbers are all nan, and 10,000 classes with hostile names, in a matrix and as scores."""
    nan = float("nan")
    for name, scores, losses in (("nan", [[nan, nan]] * 20, [nan] * 20), ("many", [[i == k for k in range(10000)] for i in range(20)], None)):
        run = folder / "samples" / name
        write_run(run, 0.1, [nan, nan])
        (run / "samples").mkdir()
        names = [f"{ATTACK} {i}" for i in range(len(scores[0]))]
        (run / "samples" / "test_000001.safetensors").write_bytes(
            sample_files.classification(scores, [i % len(names) for i in range(20)], names, losses=losses))
        (run / "layers.csv").write_text("kind,name,episode,epoch,mean,deviation,zeros,norm,gradient_norm,update_ratio\n"
                                        "operation,net.1.relu,0,1,nan,nan,nan,nan,nan,nan\n")
        (run / "tables" / "confusion").mkdir(parents=True)
        cells = ",".join('"' + name.replace('"', '""') + '"' for name in names)
        (run / "tables" / "confusion" / "test_000001.matrix.csv").write_text(f"class,{cells}\n" + ("x" + ",nan" * len(names) + "\n") * 3)
        page, errors = reports.opened(run)
        assert errors == "" and "img" not in page.tags, (errors, page.tags)
        assert "document.title='changed'" in page.text, "the names are shown"


def main(programs):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        reports = Reports(programs, folder)
        for run, lr, loss in (("a", 0.1, 0.3), ("b", 0.01, 0.1), ("c", 0.001, 0.2)):
            write_run(folder / "runs" / run, lr, [loss, loss / 3, loss / 9])
        page, errors = reports.opened(folder / "runs")
        assert errors == "", errors
        assert reports.compare(page, folder / "runs") == ["b", "c", "a"]

        check_origins(reports, folder / "origins")

        write_run(folder / "long" / "one", 0.1, [1 / (i + 1) for i in range(20000)])
        reports.compare(reports.opened(folder / "long" / "one")[0], folder / "long")

        nan = float("nan")
        write_run(folder / "nan" / "one", 0.1, [nan, nan, nan])
        reports.compare(reports.opened(folder / "nan" / "one")[0], folder / "nan")

        check_samples(reports, folder)

        hostile = folder / "hostile" / "<b onmouseover=alert(1)>\"'"
        write_run(hostile, 0.1, [0.3, 0.2, 0.1], ATTACK)
        page, _ = reports.opened(hostile)
        assert "img" not in page.tags and "b" not in page.tags, page.tags
        assert "document.title='changed'" in page.text, "the texts are shown"

        cut = folder / "cut" / "one"
        write_run(cut, 0.1, [0.3, 0.2, 0.1])
        for file in sorted(cut.iterdir()):
            if file.is_file():
                whole = file.read_bytes()
                file.write_bytes(whole[: len(whole) // 2])
                reports.opened(cut)
                file.write_bytes(whole)
    print("the pages are as `ptprun runs --json`; nothing was executed or requested")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
