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

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    print("skipped: chromium is not installed")
    sys.exit(77)

ATTACK = "<script>document.title='changed'</script><img src=\"http://localhost:9/x\" onerror=\"document.title='changed'\">\"'&\x1b[31m"


class Page(html.parser.HTMLParser):
    """The cells of the table of runs, all texts, the title, and the elements outside of the file's own."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tags, self.title, self.depth, self.tag, self.text = [], [], "", 0, "", ""
        self.is_ready = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.tag = tag
        attributes = dict(attributes)
        self.is_ready = self.is_ready or attributes.get("data-ready") == "yes"
        if attributes.get("id") == "runs":
            self.depth = 1
        if self.depth and tag == "tr":
            self.rows.append([])
        if self.depth and tag in ("td", "button"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.tag = ""
        if tag == "table":
            self.depth = 0

    def handle_data(self, data):
        if self.tag == "title":
            self.title += data
        if self.tag not in ("script", "style"):
            self.text += data
        if self.depth and self.tag in ("td", "button"):
            self.rows[-1][-1] += data


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


def main(programs):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        reports = Reports(programs, folder)
        for run, lr, loss in (("a", 0.1, 0.3), ("b", 0.01, 0.1), ("c", 0.001, 0.2)):
            write_run(folder / "runs" / run, lr, [loss, loss / 3, loss / 9])
        page, errors = reports.opened(folder / "runs")
        assert errors == "", errors
        assert reports.compare(page, folder / "runs") == ["b", "c", "a"]

        write_run(folder / "long" / "one", 0.1, [1 / (i + 1) for i in range(20000)])
        reports.compare(reports.opened(folder / "long" / "one")[0], folder / "long")

        nan = float("nan")
        write_run(folder / "nan" / "one", 0.1, [nan, nan, nan])
        reports.compare(reports.opened(folder / "nan" / "one")[0], folder / "nan")

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
