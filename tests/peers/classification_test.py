"""The numbers of a report's page equal those of scikit-learn for scores drawn here."""

import base64
import json
import pathlib
import re
import sys
import zlib

import support

numpy, _ = support.packages("numpy", "sklearn.metrics")
HERE = pathlib.Path(__file__).parent
sys.path += [str(HERE.parent / "golden"), str(HERE.parent / "tools")]
import classification  # noqa: E402
import sample_files  # noqa: E402


def data_of(page):
    packed = re.search(r'id="data">([^<]*)<', page).group(1)
    return json.loads(zlib.decompress(base64.b64decode(packed)))


class ClassificationTest(support.Case):
    def section(self, scores, targets):
        run = self.folder / "net"
        (run / "samples").mkdir(parents=True, exist_ok=True)
        (run / "experiment.toml").write_text('name = "net"\n')
        (run / "run.json").write_text("{}")
        (run / "samples" / "test_000001.safetensors").write_bytes(
            sample_files.classification(scores.tolist(), targets.tolist(), ["a"] * scores.shape[1],
                                        losses=[0.0] * len(targets)))
        file = self.folder / "net.html"
        self.ptprun("report", run, "-o", file)
        sections = data_of(file.read_text())["runs"][0]["sections"]
        return next(s for s in sections if s["kind"] == "samples")["classification"]

    def test_measures(self):
        """Matrix, classes, areas, calibration and Brier score, of 20 sets with ties, nan and missing classes."""
        random = numpy.random.default_rng(11)
        for number in range(20):
            classes = int(random.integers(2, 12))
            scores = random.normal(size=(400, classes)).astype(numpy.float32)
            if number % 4 == 1:
                # Eighths, which are probabilities already: two softmaxes differ in the last bit, and so in their ties.
                scores = (random.multinomial(8, [1 / classes] * classes, 400) / 8).astype(numpy.float32)
            if number % 4 == 2:
                scores[::9, 0] = numpy.nan
            targets = random.integers(0, 1 if number % 5 == 4 else classes, 400)
            with self.subTest(number=number):
                mine, theirs = self.section(scores, targets), classification.plain(classification.measures(scores, targets))
                self.assertEqual(mine["matrix"], theirs["matrix"])
                names = ("precision", "recall", "f1", "support", None, "specificity", "npv", "fpr", "fnr", "fdr", "roc", "average_precision")
                for row, values in enumerate(mine["table"]):
                    for name, value in zip(names, values, strict=True):
                        if name:
                            self.near(value, theirs[name][row])
                self.near(mine["accuracy"], theirs["accuracy"])
                self.near(mine["calibration"]["brier"], theirs["brier"])
                self.near(mine["calibration"]["width"]["error"], theirs["ece_width"])
                self.near(mine["calibration"]["mass"]["error"], theirs["ece_mass"])

    def near(self, mine, theirs):
        self.assertEqual(mine is None, theirs is None, (mine, theirs))
        if mine is not None:
            self.assertLessEqual(abs(mine - theirs), 1e-12)


support.main()
