"""The package onnx finds nothing wrong in what ptp exports; ONNX Runtime and OpenCV compute what ptp does."""

import os
import sys

import support

numpy, onnx, onnxruntime = support.packages("numpy", "onnx", "onnxruntime")

LENET = """[pipeline.net]
type = "LeNet5"
globals = { prediction_size = "num_classes" }
"""

# Each layer whose border or weights ONNX defines in another way than libtorch.
LAYERS = """[pipeline.net]
type = "LayerStack"
layers = [
    { type = "Conv2d", out = 8, kernel = 3, stride = 2, padding = 1 },
    { type = "BatchNorm2d" },
    { type = "GELU" },
    { type = "MaxPool2d", kernel = 3, stride = 2 },
    { type = "Conv2d", out = 8, kernel = 3, padding = 2, dilation = 2, groups = 2 },
    { type = "GroupNorm", num_groups = 4 },
    { type = "SiLU" },
    { type = "AvgPool2d", kernel = 2 },
    { type = "Flatten" },
    { type = "LayerNorm" },
    { type = "Linear", out = "num_classes" },
    { type = "LogSoftmax" },
]
streams = { outputs = "predictions" }
"""

# The rows of an image are the steps of a sequence.
RECURRENT = """[pipeline.reshape]
type = "ReshapeTensor"
input_dims = [-1, 1, 28, 28]
output_dims = [-1, 28, 28]
streams = { outputs = "rows" }
[pipeline.rnn]
type = "RecurrentNeuralNetwork"
cell_type = "CELL"
hidden_size = 7
num_layers = 2
bidirectional = true
prediction_mode = "Last"
streams = { inputs = "rows" }
globals = { prediction_size = "num_classes" }
"""


class OnnxTest(support.Case):
    def export(self, name, pipeline, task=None):
        """The file of a trained pipeline, compared by --verify on 1,000 samples."""
        os.environ["PTP_PYTHON"] = sys.executable
        self.write_experiment(pipeline, task)
        file = self.folder / f"{name}.onnx"
        output = self.ptprun("export", self.train(name), "--checkpoint", "last", "-o", file, "--verify", "--samples", 1000)
        self.assertIn("verified in ONNX Runtime", output)
        self.assertIn("another largest score in 0 of 1", output)
        onnx.checker.check_model(str(file), full_check=True)
        return file

    def test_convolutions(self):
        """OpenCV reads a convolutional network, and computes the scores of ONNX Runtime."""
        cv2, = support.packages("cv2")
        resized = f'type = "FashionMNIST"\nbatch_size = 8\ndata_folder = "{self.folder}/data"\nresize_image = [32, 32]\n'
        file = self.export("lenet", LENET, resized)
        images = numpy.random.default_rng(3).random((5, 1, 32, 32), numpy.float32)
        expected, = onnxruntime.InferenceSession(file).run(None, {"inputs": images})
        net = cv2.dnn.readNetFromONNX(str(file))
        net.setInput(images)
        self.assert_near(net.forward(), expected, 1e-5)

    def test_layers(self):
        """Norms, grouped and dilated convolutions, pooling and activations compute the same."""
        self.export("layers", LAYERS)

    def test_recurrent(self):
        """LSTM and GRU have the gates in ONNX's order, in two layers and both directions."""
        for cell in ("LSTM", "GRU"):
            self.export(cell.lower(), RECURRENT.replace("CELL", cell))


support.main()
