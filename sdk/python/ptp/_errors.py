"""The exceptions, each of which is a result code of libptp with the text that ptprun prints."""

from collections import namedtuple

# What is wrong with an experiment, or may be: `is_warning`, `file`, `line` and `column` (from 1; 0:
# unknown), `key` and `value` as TOML, `message` and `fix`.
Problem = namedtuple("Problem", "is_warning file line column key value message fix")


class Error(Exception):
    """The base of all errors of ptp. `code` is the exit code that ptprun would have, and
    `problems` lists what is wrong with the experiment, if that is the reason."""

    code = 5

    def __init__(self, text, problems=()):
        super().__init__(text)
        self.problems = list(problems)


class ConfigurationError(Error):
    """The experiment has an error, or a call names something that does not exist."""

    code = 2


class PluginError(Error):
    """A plugin cannot be loaded, or violates the contract."""

    code = 3


class DataError(Error):
    """A file, a sample or an array is not as declared."""

    code = 4


class TrainingError(Error):
    """Something else went wrong."""

    code = 5


class Diverged(Error):
    """The loss is NaN, infinite or far too large."""

    code = 6


class MisuseError(Error):
    """The call is not allowed now; it had no effect."""

    code = 64


class Stopped(Error):
    """The training was stopped before its end."""

    code = 130


_BY_CODE = {kind.code: kind for kind in (ConfigurationError, PluginError, DataError, TrainingError,
                                         Diverged, MisuseError, Stopped)}


def error_of(code, text, problems=()):
    """Returns the exception for a result code."""
    return _BY_CODE.get(code, TrainingError)(text, problems)
