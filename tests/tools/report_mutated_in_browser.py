"""report_mutated_in_browser.py BIN [FILE]: reports of a run of which each file, or this one, is cut off, changed in some bytes,
missing, empty or something else than a file. Each gives an error, or a report that a headless Chromium shows without a message;
PTP_MUTATIONS is their number for each file. The pages are alike but for their data, of which many are shown by one page, and
equal ones once."""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import browser
import report_samples_in_browser as samples

KEPT = pathlib.Path(__file__).resolve().parents[1] / "runs/kept_runs/changed_schedules"
MUTATIONS = int(os.environ.get("PTP_MUTATIONS", "12"))
FIXED = ("model", "data", "find_lr")  # JSON of formats that report their fix, as files of samples do


def write_run(folder):
    """A run with all files that a report reads: of a training that ptprun has kept, and of one with samples of each kind."""
    samples.write_run(folder)
    for file in ("journal.jsonl", "plugins.lock", "summary.txt", "tags.json", "training_epochs.csv"):
        shutil.copy(KEPT / file, folder)
    shutil.copytree(KEPT / "checkpoints/episode_0000000006", folder / "checkpoints/last")
    events = [f'{{"format":1,"event":"{event}","episode":{episode},"epoch":1,"details":{details},"time":"2026-01-31T12:00:0{episode}Z"}}\n'
              for event, episode, details in (("skip", 0, "{}"), ("rollback", 1, '{"to_episode":0}'), ("resume", 2, "{}"))]
    (folder / "events.jsonl").write_text("".join(events))
    (folder / "tables/confusion").mkdir(parents=True)
    (folder / "tables/confusion/validation_000001.matrix.csv").write_text('class,cat,"d,og"\ncat,1,2\n"d,og",3,4\n')
    (folder / "images").mkdir()
    (folder / "images/first.png").write_bytes(samples.dot())
    for pattern in ("episode_0000000002*", "*.new"):  # like the first one: hundreds of reports of nothing new
        for other in list((folder / "explanations").glob(pattern)):
            shutil.rmtree(other)


def changed(file, whole, number):
    """The bytes with this number: a part of the whole, or one with up to four other bytes, of a header or anywhere."""
    draw = random.Random(f"{file.name} {number}")
    now = bytearray(whole)
    header = min(len(whole), 8 + int.from_bytes(whole[:8], "little")) if file.suffix == ".safetensors" else len(whole)
    if number % 3 == 0:
        del now[draw.randrange(len(whole)):]
    else:
        for _ in range(draw.randrange(1, 5)):
            now[draw.randrange(header if number % 3 == 1 else len(whole))] = draw.randrange(256)
    return now


def replacements(file, whole):
    """Puts one thing after the other in the place of the file, and names it."""
    for number in range(MUTATIONS):
        file.write_bytes(changed(file, whole, number))
        yield number
    file.write_bytes(b"")
    yield "empty"
    file.unlink()
    yield "missing"
    file.mkdir()
    yield "a folder"
    file.rmdir()
    file.symlink_to(file.name)
    yield "a link to itself"
    file.unlink()
    os.mkfifo(file)
    yield "a pipe"
    file.unlink()
    file.write_bytes(whole)


# Builds a page of each of these data, and returns what is wrong, if anything is.
SHOW = """(async () => { for (const [what, data] of Object.entries(%s)) {
    document.getElementById('data').textContent = data;
    delete document.documentElement.dataset.ready;
    try { PTP.build(await PTP.unpack()); PTP.drawAll(); } catch (error) { return what + ': ' + error.stack; }
    if (document.documentElement.dataset.ready !== 'yes') return what + ' is not built';
    if (document.title !== title) return what + ' has changed the title';
  } return ''; })()"""


class Reports:
    AT_ONCE, IN_A_PAGE = 10, 200

    def __init__(self, programs, run, page):
        self.program, self.run, self.page = programs / "ptp-report", run, page
        self.file = run.parent / "mutated.html"
        self.seen, self.waiting, self.count = set(), {}, 0

    def check(self, what, is_fixed):
        self.count += 1
        result = subprocess.run([self.program, "report", self.run, "-o", self.file], capture_output=True, text=True, check=False, timeout=60)
        assert result.returncode in (0, 2, 4), (what, result.returncode, result.stderr)
        is_clear = re.match(r"ptprun: (warning|error): ", result.stderr) and "terminate" not in result.stderr
        assert not result.stderr or is_clear, (what, result.stderr)
        assert not is_fixed or not result.stderr or re.search(r"\n +fix: ", result.stderr), (what, result.stderr)
        if result.returncode != 0:
            return
        data = re.search("id=.data.>([^<]*)<", self.file.read_text())[1]
        if hash(data) in self.seen:
            return
        if len(self.seen) % self.IN_A_PAGE == 0:  # a page keeps a little of each
            self.show()
            self.page.open(self.file)
            self.page.value("var title = document.title; 0")
        self.seen.add(hash(data))
        self.waiting[str(what)] = data
        if len(self.waiting) == self.AT_ONCE:
            self.show()

    def show(self):
        if self.waiting:
            problem = self.page.value(SHOW % json.dumps(self.waiting))
            assert not problem, problem
        assert self.page.console == [] and self.page.requests == [], (list(self.waiting), self.page.console, self.page.requests)
        self.waiting = {}


def main(programs, only=""):
    with tempfile.TemporaryDirectory() as name, browser.Browser() as page:
        run = pathlib.Path(name) / "net"
        write_run(run)
        reports = Reports(programs, run, page)
        reports.check("unchanged", True)
        for file in sorted(f for f in run.rglob("*") if f.is_file() and only in str(f)):
            whole = file.read_bytes()
            for what in replacements(file, whole):
                reports.check((str(file.relative_to(run)), what), file.suffix == ".safetensors" or file.stem in FIXED)
            print(file.relative_to(run), reports.count, len(reports.seen), flush=True)
        reports.show()
        print(f"{reports.count} reports, {len(reports.seen)} of them different, are shown without a message")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), *sys.argv[2:3])
