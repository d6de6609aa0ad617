"""A tokenizer, hashed counts of words, and Cohen's kappa."""

import re
import zlib

import ptp

__version__ = "0.1.0"
__license__ = "Apache-2.0"


class RegexTokenizer(ptp.SampleTransform):
    """Splits sentences by a regular expression of Python.

    What the expression matches is a token: "\\w+" are words in any script."""

    settings = [
        ptp.setting("pattern", str, default=r"\w+", help="Regular expression of a token"),
        ptp.setting("lower_case", bool, default=True, help="Whether letters become lower-case first"),
    ]
    ports = [
        ptp.input("inputs", ptp.STRING, "B", "Sentences"),
        ptp.output("outputs", ptp.TOKENS, "B", "The tokens of each"),
    ]

    def __init__(self, settings, setup):
        try:
            self.pattern = re.compile(settings.pattern)
        except re.error as error:
            raise ptp.SettingError("pattern", f"is not a regular expression: {error}")
        self.lower_case = settings.lower_case

    def transform(self, inputs):
        return [self.pattern.findall(text.lower() if self.lower_case else text) for text in inputs]


class HashedCounts(ptp.SampleTransform):
    """Counts words without a vocabulary, by a hash of each (CRC-32).

    Two words may have one place; with ten times as many places as words few do."""

    settings = [ptp.setting("size", int, default=1000, range="[1, 1000000]", help="Number of places")]
    ports = [
        ptp.input("inputs", ptp.TOKENS, "B", "Words of each sample"),
        ptp.output("outputs", ptp.FLOAT, "B, $size", "How often each place was hit"),
    ]

    def __init__(self, settings, setup):
        self.size = settings.size

    def transform(self, inputs):
        rows = []
        for words in inputs:
            row = [0.0] * self.size
            for word in words:
                row[zlib.crc32(word.encode()) % self.size] += 1
            rows.append(row)
        return rows


class CohenKappa(ptp.Statistic):
    """Agreement of predicted and right classes beyond chance (Cohen, 1960).

    kappa = (o - e) / (1 - e), where o is the accuracy, and e the accuracy that predictions would have
    that are as frequent and independent of the targets."""

    ports = [
        ptp.input("predictions", ptp.FLOAT, "B, classes", "Score of each class"),
        ptp.input("targets", ptp.INTEGER, "B", "The right classes", purpose="targets"),
    ]
    statistics = [ptp.computed("kappa", "1: all right, 0: as by chance", set_only=True,
                               better="larger")]

    def __init__(self, settings, setup):
        self.pairs = {}  # for each set, the count of each pair of classes

    def forward(self, predictions, targets, step):
        pairs = self.pairs.setdefault(step.set, {})
        for scores, target in zip(predictions.tolist(), targets.tolist()):
            pair = (scores.index(max(scores)), target)
            pairs[pair] = pairs.get(pair, 0) + 1

    def reset(self, set):
        self.pairs.pop(set, None)

    def aggregate(self, set):
        pairs = self.pairs.get(set, {})
        total = sum(pairs.values())
        if total == 0:
            return {"kappa": 0}
        classes = {c for pair in pairs for c in pair}
        right = sum(pairs.get((c, c), 0) for c in classes) / total
        chance = sum(sum(n for (p, _), n in pairs.items() if p == c)
                     * sum(n for (_, t), n in pairs.items() if t == c) for c in classes) / total ** 2
        return {"kappa": 1.0 if chance == 1 else (right - chance) / (1 - chance)}

    def getstate(self):
        return self.pairs

    def setstate(self, state, version):
        self.pairs = state
