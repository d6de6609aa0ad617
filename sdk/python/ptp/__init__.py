"""ptp in Python: train an experiment step by step, and use a trained model.

    import ptp

    model = ptp.load("runs/first")
    scores = model({"inputs": images})["predictions"]

    with ptp.Experiment("net.toml", set={"training.task.batch_size": 64}) as experiment:
        for step in experiment:
            print(step.episode, step.statistics["loss"])

    ptp.runs("runs")  # a table of runs

The package calls libptp, the C library of ptp; docs/python.md is the guide. Arrays are shared by
DLPack: predictions are NumPy arrays, PyTorch tensors where PyTorch tensors were fed, and ptp.Tensor
where NumPy is not installed.
"""

from ._errors import (ConfigurationError, DataError, Diverged, Error, MisuseError, PluginError,
                      Problem, Stopped, TrainingError)
from ._experiment import Experiment, Step
from ._model import Model, Stream, load
from ._runs import runs
from ._tensors import Tensor

__all__ = ["ConfigurationError", "DataError", "Diverged", "Error", "Experiment", "MisuseError",
           "Model", "PluginError", "Problem", "Step", "Stopped", "Stream", "Tensor",
           "TrainingError", "load", "runs"]
