// Networks as lists of layers train with the bits of the same layers in C++.

#include "runs/support.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace layer_list_test {

using ptp::test::ExperimentFolder;
using ptp::test::ProcessResult;
using ptp::test::without_excerpts;

namespace {

using Tensors = std::map<std::string, std::string>;  // the bytes of each

Tensors weights_of(const ExperimentFolder& folder, const std::string& name) {
    const std::string bytes = folder.read(name + "/checkpoints/last/weights.safetensors");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof(length));
    const auto header = nlohmann::json::parse(bytes.substr(sizeof(length), length));
    Tensors tensors;
    for (const auto& [tensor, info] : header.items()) {
        if (tensor != "__metadata__") {
            const auto begin = info["data_offsets"][0].get<std::size_t>();
            const auto end = info["data_offsets"][1].get<std::size_t>();
            tensors[tensor] = bytes.substr(sizeof(length) + length + begin, end - begin);
        }
    }
    return tensors;
}

using Names = std::vector<std::pair<std::string, std::string>>;

// Returns the weights after an epoch of the test's experiment with another net, whose layers have
// the first names; under the second ones.
Tensors trained(const ExperimentFolder& folder, const std::string& name, const std::string& net,
                const Names& names, const std::string& size = "[2, 2]") {
    const bool has_images = size != "[2, 2]";
    std::string text = folder.read(folder.write({.source = has_images ? "inputs" : "features"}));
    const auto replace = [&](const std::string& from, const std::string& to) {
        for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
            text.replace(at, from.size(), to);
        }
    };
    const std::size_t begin = text.find("[pipeline.net]");
    text.replace(begin, text.find("[pipeline.nll]") - begin, "[pipeline.net]\n" + net);
    replace("resize_image = [2, 2]", "resize_image = " + size);
    std::ofstream(folder.path() / "experiment.toml") << text;
    const ProcessResult result =
        folder.run(name, {"--set", "training.terminal_conditions.epoch_limit=1"});
    CHECK(without_excerpts(result.errors) == "");
    REQUIRE(result.status == 0);
    Tensors weights = weights_of(folder, name);
    Tensors renamed;
    for (const auto& [layer, wanted] : names) {
        for (const char* tensor : {".weight", ".bias"}) {
            REQUIRE(weights.contains("net." + layer + tensor));
            renamed[wanted + tensor] = weights.at("net." + layer + tensor);
        }
    }
    CHECK(weights.size() == renamed.size());
    return renamed;
}

}  // namespace

TEST_CASE("layer list: dropout and linear layers have the bits of torch::nn::Sequential") {
    const ExperimentFolder folder;
    const Tensors written =
        trained(folder, "written",
                "type = \"FeedForwardNetwork\"\nhidden_sizes = [16]\ndropout_rate = 0.1\n"
                "streams = { inputs = \"features\" }\n"
                "globals = { prediction_size = \"num_classes\" }\n",
                {{"layers.0", "first"}, {"layers.3", "second"}});
    const Tensors listed = trained(
        folder, "listed",
        "type = \"LayerStack\"\n"
        "layers = [{ type = \"Linear\", out = 16 }, \"ReLU\", { type = \"Dropout\", p = 0.1 "
        "}, { type = \"Linear\", out = \"num_classes\" }, \"LogSoftmax\"]\n"
        "streams = { inputs = \"features\", outputs = \"predictions\" }\n",
        {{"0", "first"}, {"3", "second"}});
    CHECK(listed == written);
}

TEST_CASE("layer list: convolutions and poolings have the bits of LeNet5") {
    const ExperimentFolder folder;
    const Tensors written = trained(
        folder, "written", "type = \"LeNet5\"\nglobals = { prediction_size = \"num_classes\" }\n",
        {{"conv1", "1"}, {"conv2", "2"}, {"conv3", "3"}, {"linear1", "4"}, {"linear2", "5"}},
        "[32, 32]");
    const Tensors listed = trained(
        folder, "listed",
        R"(type = "LayerStack"
layers = [
    { type = "Conv2d", out = 6, kernel = 5 }, "ReLU", { type = "MaxPool2d", kernel = 2 },
    [{ type = "Conv2d", out = 16, kernel = 5 }, "ReLU", { type = "MaxPool2d", kernel = 2 }],
    { type = "Conv2d", out = 120, kernel = 5, name = "third" }, "ReLU", "Flatten",
    { name = "head", layers = [{ type = "Linear", out = 84 }, "ReLU", { type = "Linear", out = "num_classes" }] },
    "LogSoftmax",
]
streams = { outputs = "predictions" }
)",
        {{"0", "1"}, {"3.0", "2"}, {"third", "3"}, {"head.0", "4"}, {"head.2", "5"}}, "[32, 32]");
    CHECK(listed == written);
}

}  // namespace layer_list_test
