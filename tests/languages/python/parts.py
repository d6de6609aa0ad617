"""Components of every kind, for the tests of plugins in Python."""

import math
import random

import ptp

__version__ = "1.2.0"
__author__ = "Jane Doe <jane@example.org>"


class Rings(ptp.Task):
    """Points on two rings."""

    settings = [ptp.setting("size", int, default=64, range="[1, 10000]", help="Number of points"),
                ptp.setting("noise", float, default=0.05, range="[0, 1]", help="Deviation of the radius")]
    ports = [ptp.output("inputs", ptp.FLOAT, "B, 2", "x and y"),
             ptp.output("targets", ptp.INTEGER, "B", "1 for the outer ring", purpose="targets"),
             ptp.output("names", ptp.STRING, "B", "Of the rings")]
    globals = [ptp.publishes("num_classes", "Number of classes", value="2",
                             purpose="class_count")]
    sample_count = "$size"

    def __init__(self, settings, setup):
        self.size, self.noise = settings.size, settings.noise

    def __len__(self):
        return self.size

    def sample(self, index, random):
        target = index % 2
        angle = 2 * math.pi * index / self.size
        radius = 1 + target + random.gauss(0, self.noise)
        return ([radius * math.cos(angle), radius * math.sin(angle)], target, "outer" if target else "inner")


class Squares(ptp.SampleTransform):
    """The inputs and their squares."""

    ports = [ptp.input("inputs", ptp.FLOAT, "B, width", "Numbers"),
             ptp.output("outputs", ptp.FLOAT, "B, (2 * width)", "The numbers, then their squares")]

    def transform(self, inputs, samples):
        rows = [row + [x * x for x in row] for row in inputs.tolist()]
        assert len(samples.indices) == len(rows) == len(samples.seeds)
        return rows


class Jitter(ptp.Transform):
    """Adds noise, and the mean of all that it has seen: both are state."""

    settings = [ptp.setting("amount", float, default=0.01, range="[0, 1]", help="Of the noise")]
    ports = [ptp.input("inputs", ptp.FLOAT, "B, width", "Numbers"),
             ptp.output("outputs", ptp.FLOAT, "B, width", "The numbers with noise")]

    def __init__(self, settings, setup):
        self.amount, self.setup = settings.amount, setup
        self.sum, self.count = 0.0, 0

    def forward(self, inputs, step):
        rows = inputs.tolist()
        draw = random.Random(self.setup.random_seed())
        if step.is_training:
            self.sum += sum(map(sum, rows))
            self.count += sum(map(len, rows))
        mean = self.sum / max(self.count, 1)
        return [[x + mean * 0.01 + draw.gauss(0, self.amount) for x in row] for row in rows]

    def getstate(self):
        return {"sum": self.sum, "count": self.count, "packed": bytes([1, 0, 255])}

    def setstate(self, state, version):
        assert state["packed"] == bytes([1, 0, 255]) and version == 1
        self.sum, self.count = state["sum"], state["count"]


class Spread(ptp.Statistic):
    """Median and mean of a stream."""

    ports = [ptp.input("values", ptp.FLOAT, "...", "Numbers")]
    statistics = [ptp.mean("mean_value", "Mean of the batch"),
                  ptp.computed("median", "Median of the set", set_only=True)]

    def __init__(self, settings, setup):
        self.values = {}
        self.last = 0.0

    def forward(self, values, step):
        flat = [x for row in values.tolist() for x in row]
        self.last = sum(flat) / max(len(flat), 1)
        self.values.setdefault(step.set, []).extend(flat)

    def collect(self, set):
        return {"mean_value": self.last}

    def reset(self, set):
        self.values[set] = []

    def aggregate(self, set):
        values = sorted(self.values.get(set, [])) or [0.0]
        middle = len(values) // 2
        return {"median": values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2}

    def getstate(self):
        return self.values

    def setstate(self, state, version):
        self.values = state


class Names(ptp.Viewer):
    """Shows what any streams carry."""

    settings = [ptp.setting("input_streams", list[str], required=True, list_or_one=True, help="Streams")]
    ports = [ptp.input("inputs", ptp.ANY, "", "The streams", streams_from="input_streams")]

    def __init__(self, settings, setup):
        self.setup = setup

    def forward(self, inputs, step):
        if step.episode == 0 and step.is_training:
            for binding, value in zip(self.setup.inputs, inputs):
                self.setup.show_result(f"{binding.stream}: {value!r} of {binding.shape}"[:60])
