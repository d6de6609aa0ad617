"""Networks for tests of exported files."""

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
