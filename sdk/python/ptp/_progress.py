"""How far a training is, in a notebook: a bar, and the last numbers, which are shown anew once in a while; and
what it warns of, everywhere."""

import html
import json
import re
import sys
import time
import warnings
from pathlib import Path

from ._words import in_python

_SECONDS = 0.5  # between two pictures


def is_notebook():
    """Returns whether this program is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and "IPKernelApp" in shell.config


class Progress:
    """Shows a training in a notebook while it is iterated, and nothing elsewhere."""

    def __init__(self, handle):
        self._handle = handle
        self._began = time.monotonic()
        self._shown = self._began - _SECONDS
        self._display = None
        self._is_shown = is_notebook()

    def show(self, is_last=False):
        """Shows the numbers as they are, unless that was a moment ago. The display ends no training:
        where it fails, nothing is shown from there on."""
        now = time.monotonic()
        if not self._is_shown or (now - self._shown < _SECONDS and not is_last):
            return
        self._shown = now
        try:
            self._draw(is_last)
        except Exception:  # pylint: disable=broad-except
            self._is_shown = False

    def _draw(self, is_last):
        from IPython.display import display
        text = self._text(is_last)
        shown = {"text/plain": "\n".join(text[1:]), "text/html": "<div>" + text[0] + "<br>".join(
            html.escape(line) for line in text[1:]) + "</div>"}
        if self._display is None:
            self._display = display(shown, raw=True, display_id=True)
        else:
            self._display.update(shown, raw=True)

    def _text(self, is_last):
        """Returns the bar, which may be empty, and lines of text."""
        run = Path(self._handle.run_folder())
        status = _read_status(run)
        episode, epoch = self._handle.episodes(), status.get("epoch", 0)
        bar, of_epochs, of_episodes = "", "", ""
        limits = _limits(run)
        if limits["epoch"]:
            of_epochs = f"/{limits['epoch']}"
            bar = f'<progress value="{epoch}" max="{limits["epoch"]}"></progress> '
        if limits["episode"]:
            of_episodes = f"/{limits['episode']}"
            bar = bar or f'<progress value="{episode}" max="{limits["episode"]}"></progress> '
        end = f", {status.get('reason') or status.get('state', '')}" if is_last else ""
        # Its status is written with each checkpoint alone.
        since = "" if is_last or not status else " at the last checkpoint"
        lines = [f"epoch {epoch}{of_epochs}{since}, episode {episode}{of_episodes}, "
                 f"{time.monotonic() - self._began:.0f} s{end}",
                 f"batch: {_numbers(self._handle.statistics())}"]
        last, best = status.get("last"), status.get("best")
        if last:
            lines.append(f"{last['set']}: {_numbers(last['statistics'])}")
        if best:
            lines.append(f"best, of epoch {best['epoch']}: {_numbers(best['statistics'])}")
        return [bar, *lines]


class Log:
    """Shows the warnings that a training writes into the log of its run as those of Python."""

    def __init__(self, handle, path):
        self._handle = handle
        self._read = len(self._text(handle.run_folder() or path))  # of a run that is continued

    def warn(self):
        """Shows those since the last call."""
        text = self._text(self._handle.run_folder())
        new, self._read = text[self._read:], len(text)
        for found in re.finditer(r"^\S+ \S+ warning \S+: (.*(?:\n +.*)*)", new, re.M):
            warnings.warn(in_python(found[1]), stacklevel=3)

    @staticmethod
    def _text(run):
        try:
            return (Path(run) / "run.log").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""


def _read_status(run):
    try:
        return json.loads((run / "status.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _limits(run):
    """Returns the limits of epochs and episodes; 0 for none. A run writes each key on a line of its own."""
    try:
        text = (run / "experiment.toml").read_text(encoding="utf-8")
    except OSError:
        text = ""
    table = re.search(r"^\[training\.terminal_conditions\]\n((?:[^\[\n].*\n)*)", text, re.M)
    found = dict(re.findall(r"^(epoch|episode)_limit = (\d+)$", table.group(1), re.M)) if table else {}
    return {name: int(found.get(name, 0)) for name in ("epoch", "episode")}


def _numbers(statistics):
    """Returns "loss 0.5  r2 nan"; a file of JSON has null for what is no number."""
    return "  ".join(f"{name} {'nan' if value is None else format(value, '.4g')}"
                     for name, value in (statistics or {}).items())
