// An experiment with MNIST in FOLDER, and files with two images of the classes 3 and 9.

#pragma once

#include <string>

namespace ptp::test::small_mnist {

inline constexpr const char* kMnistExperiment = R"(
[training]
optimizer = { type = "SGD", lr = 0.1 }
terminal_conditions = { epoch_limit = 1 }
[training.task]
type = "MNIST"
batch_size = 8
data_folder = "FOLDER"
[pipeline.reshape]
type = "ReshapeTensor"
input_dims = [-1, 1, 28, 28]
output_dims = [-1, 784]
streams = { outputs = "features" }
[pipeline.net]
type = "FeedForwardNetwork"
streams = { inputs = "features" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)";

// train-images-idx3-ubyte
inline std::string images_of_mnist() {
    return std::string("\0\0\10\3\0\0\0\2\0\0\0\34\0\0\0\34", 16) + std::string(2 * 28 * 28, '\3');
}

// train-labels-idx1-ubyte
inline std::string labels_of_mnist() {
    return std::string("\0\0\10\1\0\0\0\2\3\11", 10);
}

}  // namespace ptp::test::small_mnist
