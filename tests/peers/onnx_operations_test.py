"""Each row of the tables of operations in tools/ptp-export computes in ONNX Runtime what libtorch does.

tests/tools/plugins/operations.cpp has the cases; each is a component of one pipeline, and an output of one file.
"""

import os
import pathlib
import re
import sys

import support

numpy, onnx, onnxruntime = support.packages("numpy", "onnx", "onnxruntime")

PLUGIN = pathlib.Path(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parents[2]

# Names of an operation that traces have under another one, or of several forms of one.
SAME = {"_cast_Float": "to", "_cast_Long": "to", "type_as": "to", "_log_softmax": "log_softmax", "_softmax": "softmax",
        "_convolution": "conv2d", "convolution": "conv2d", "_convolution_mode": "conv2d",
        "alias": "contiguous", "clone": "contiguous",
        "detach": "contiguous", "concat": "cat", "pad": "constant_pad_nd", "unsqueeze": "squeeze", "ones_like": "ones",
        "new_ones": "ones", "zeros_like": "zeros", "new_zeros": "zeros", "zero": "fill", "full_like": "full",
        "new_full": "full"}

# Those of sentences with lengths, dropout and components that write themselves have tests of their own.
ELSEWHERE = {"_pack_padded_sequence", "_pad_packed_sequence", "dropout", "feature_dropout", "onnx()",
             "scaled_dot_product_attention"}


def rows():
    """The operations that can be written."""
    found = set()
    for file in (ROOT / "tools/ptp-export").glob("*_rows.cpp"):
        table = re.search(r"constexpr Row k\w+\[\] = (.*?)\};", file.read_text(), re.S).group(1)
        found.update(re.findall(r'\{"([^"]+)"', table))
    return found


def cases():
    return re.findall(r'^    \{"([^"]+)",', (ROOT / "tests/tools/plugins/operations.cpp").read_text(), re.M)


class OperationsTest(support.Case):
    def test_all_rows(self):
        """Every operation that can be written has a case."""
        names = {case.split()[0] for case in cases()}
        self.assertEqual({row for row in rows() if SAME.get(row, row) not in names} - ELSEWHERE, set())

    def test_numbers(self):
        """The largest difference of each is that of the last digits."""
        os.environ["PTP_PYTHON"] = sys.executable
        data = self.folder / "pictures"
        for label in ("first", "second"):
            (data / label).mkdir(parents=True)
        pillow, = support.packages("PIL.Image")
        random = numpy.random.default_rng(1)
        for number in range(12):
            image = random.integers(0, 256, (4, 4, 3), numpy.uint8)
            pillow.fromarray(image).save(data / ("first", "second")[number % 2] / f"{number}.png")
        streams = {case: "of_" + re.sub(r"\W+", "_", case).strip("_") for case in cases()}
        parts = "".join(f'[pipeline.{name}]\ntype = "Operation"\noperation = "{case}"\nstreams = {{ outputs = "{name}_out" }}\n'
                        for case, name in streams.items())
        task = f'type = "ImageFolder"\nbatch_size = 4\ndata_folder = "{data}"\nresize_image = [4, 4]\n'
        experiment = self.folder / "operations.toml"
        experiment.write_text(f'[training]\noptimizer = {{ type = "SGD", lr = 0.1 }}\nterminal_conditions = {{ epoch_limit = 1 }}\n'
                              f'[training.task]\n{task}[validation.task]\n{task}{parts}', encoding="utf-8")
        file = self.folder / "operations.onnx"
        output = self.ptprun("export", experiment, "--plugins", PLUGIN.parent, "-o", file, "--verify", "--samples", 100,
                             *[word for name in streams.values() for word in ("--stream", f"{name}_out")])
        onnx.checker.check_model(str(file), full_check=True)
        found = dict(re.findall(r"^  (\w+)_out: largest difference (\S+?)(?:,.*)?$", output, re.M))
        self.assertEqual(found.keys(), set(streams.values()))
        for name, difference in found.items():
            print(name, difference)


support.main()
