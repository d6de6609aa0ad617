"""report_of_killed_in_browser.py BIN: a training that is stopped, and then killed, at 20 moments has a report each time, of what is in its
folder; a headless Chromium opens it without a message."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

import browser

if browser.CHROMIUM is None:
    print("skipped: chromium is not installed")
    sys.exit(77)

EXPERIMENT = pathlib.Path(__file__).resolve().parents[2] / "configs/tables/houses.toml"
EPOCHS, KILLS = 12, 20
SETTINGS = [f"training.terminal_conditions.epoch_limit={EPOCHS}", "checkpoint.every_epochs=1", "records.sample_values.every_epochs=1",
            "records.layer_values.every_episodes=5", "records.probe.every_epochs=2", "records.json_lines.every_episodes=1"]


def checked(programs, run, file, page):
    """The state that the page of a run has."""
    done = subprocess.run([programs / "ptprun", "report", run, "-o", file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page.open(file)
    assert page.value("document.documentElement.dataset.ready") == "yes", done.stderr
    assert page.console == [] and page.requests == [], (page.console, page.requests)
    titles, row = page.value("[...document.querySelectorAll('#runs tr')].map(r => [...r.cells].map(c => c.textContent))")
    return dict(zip(titles, row))["state"]


def main(programs):
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as name, browser.Browser() as page:
        states = []
        for number in range(KILLS):
            run = pathlib.Path(name) / str(number)
            command = [programs / "ptprun", EXPERIMENT, "--run-dir", run, "--json"]
            for setting in SETTINGS:
                command += ["--set", setting]
            last_event = draw.randrange(1, 3 * EPOCHS)
            with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"OMP_NUM_THREADS": "1"}) as training:
                for event, _ in enumerate(training.stdout, 1):  # also to a training that has ended
                    if event >= last_event:
                        break
                training.send_signal(signal.SIGSTOP)
                stopped = checked(programs, run, run.parent / "stopped.html", page)
                training.kill()
            killed = checked(programs, run, run.parent / "killed.html", page)
            assert (stopped, killed) in (("running", "died"), ("done", "done")), (number, last_event, stopped, killed)
            states.append(killed)
        assert states.count("died") > KILLS / 2, states
        print(f"{states.count('died')} of {KILLS} trainings were killed, and each has a report")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
