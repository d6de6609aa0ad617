// Networks as lists of layers train with the bits of the same layers in C++.

#include "runs/support.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace layer_list_test {

using namespace ptp::test;

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

// The net of the tests of weights: two linear layers by number, one in a block, one by name.
constexpr const char* kNamed = R"(type = "LayerStack"
layers = [
    { type = "Linear", out = 8 }, "ReLU",
    [{ type = "Linear", out = 6 }, "ReLU"],
    { name = "head", layers = [{ type = "Linear", out = 5 }, "ReLU", { type = "Linear", out = "num_classes" }] },
    "LogSoftmax",
]
streams = { inputs = "features", outputs = "predictions" }
)";

// Shapes as torch.nn.Sequential(Linear(4, 8), ReLU(), Sequential(Linear(8, 6), ReLU()), ...) has
// them; its child `head` is added by add_module().
struct Shape {
    const char* name;
    std::vector<std::int64_t> sizes;
};
const std::vector<Shape> kShapes = {
    {"0.weight", {8, 4}},       {"0.bias", {8}},           {"2.0.weight", {6, 8}},
    {"2.0.bias", {6}},          {"head.0.weight", {5, 6}}, {"head.0.bias", {5}},
    {"head.2.weight", {10, 5}}, {"head.2.bias", {10}},
};

// Returns a state_dict as safetensors.torch.save_file() writes it, with numbers by a formula.
std::string state_dict(Tensors& tensors) {
    auto header = nlohmann::json::object();
    std::string data;
    float number = 0.0F;
    for (const Shape& shape : kShapes) {
        std::size_t count = 1;
        for (const std::int64_t size : shape.sizes) {
            count *= static_cast<std::size_t>(size);
        }
        std::vector<float> values(count);
        for (float& value : values) {
            number = number > 0.9F ? -0.9F : number + 0.0625F;
            value = number;
        }
        const std::string bytes(reinterpret_cast<const char*>(values.data()), 4 * count);
        header[shape.name] = {{"dtype", "F32"},
                              {"shape", shape.sizes},
                              {"data_offsets", {data.size(), data.size() + bytes.size()}}};
        tensors["net." + std::string(shape.name)] = bytes;
        data += bytes;
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = text.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + text + data;
}

// An experiment with that net, and runs of one epoch; without training the weights stay as loaded.
class NamedLayers {
public:
    NamedLayers() {
        std::string text = folder_.read(folder_.write());
        const std::size_t begin = text.find("[pipeline.net]");
        text.replace(begin, text.find("[pipeline.nll]") - begin,
                     std::string("[pipeline.net]\n") + kNamed);
        std::ofstream(folder_.path() / "experiment.toml") << text;
        std::ofstream(folder_.path() / "net.safetensors", std::ios::binary) << state_dict(in_file_);
    }

    const Tensors& in_file() const { return in_file_; }
    std::string file() const { return (folder_.path() / "net.safetensors").string(); }
    std::filesystem::path path() const { return folder_.path(); }

    ProcessResult run(const std::string& name, const std::string& setting,
                      bool is_trained = false) const {
        std::vector<std::string> options = {"--set", "training.terminal_conditions.epoch_limit=1"};
        if (!is_trained) {
            options.insert(options.end(), {"--set", "training.optimizer.lr=0.0"});
        }
        if (!setting.empty()) {
            options.insert(options.end(), {"--set", "pipeline.net." + setting});
        }
        return folder_.run(name, options);
    }

    Tensors weights(const std::string& name, const std::string& setting,
                    bool is_trained = false) const {
        const ProcessResult result = run(name, setting, is_trained);
        const std::string errors =
            ptp::test::without_warnings(result.errors, "which are usually random");
        CHECK(without_excerpts(
                  ptp::test::without_warnings(errors, "is 0, so that no weight changes")) == "");
        REQUIRE(result.status == 0);
        return weights_of(folder_, name);
    }

private:
    ExperimentFolder folder_;
    Tensors in_file_;
};

// The layers whose weight and bias are both the same.
std::vector<std::string> same_layers(const Tensors& first, const Tensors& second) {
    std::vector<std::string> layers;
    for (const auto& [name, bytes] : first) {
        const std::size_t end = name.rfind(".weight");
        if (end == name.npos) {
            continue;
        }
        const std::string layer = name.substr(0, end);
        const bool has_weight = second.at(name) == bytes;
        CHECK((second.at(layer + ".bias") == first.at(layer + ".bias")) == has_weight);
        if (has_weight) {
            layers.push_back(layer.substr(layer.find('.') + 1));
        }
    }
    return layers;
}

using Layers = std::vector<std::string>;

}  // namespace

TEST_CASE("layer list: a state_dict of torch.nn.Sequential loads as it is") {
    const NamedLayers net;
    CHECK(net.weights("whole", "load={ from = \"" + net.file() + "\", component = \"\" }") ==
          net.in_file());
    CHECK(
        ptp::test::without_folder(net.run("short", "load=\"" + net.file() + "\"", true).errors,
                                  net.path()) ==
        "--set: error: pipeline.net.load: FOLDER/net.safetensors: has no tensors of 'net'; it has "
        "them with component = \"\"\n");
}

TEST_CASE("layer list: load takes some layers by number, by name, or but for some") {
    const NamedLayers net;
    const Tensors created = net.weights("created", "");
    const auto loaded = [&](const std::string& name, const std::string& which) {
        const Tensors weights = net.weights(
            name, "load={ from = \"" + net.file() + "\", component = \"\", " + which + " }");
        const Layers kept = same_layers(weights, created);
        const Layers taken = same_layers(weights, net.in_file());
        CHECK(kept.size() + taken.size() == 4);
        return taken;
    };
    CHECK(loaded("number", "only = [\"0\"]") == Layers{"0"});
    CHECK(loaded("block", "only = [\"2\"]") == Layers{"2.0"});
    CHECK(loaded("name", "only = [\"head\"]") == Layers{"head.0", "head.2"});
    CHECK(loaded("except", "except = [\"head.2\"]") == Layers{"0", "2.0", "head.0"});
}

TEST_CASE("layer list: freeze takes layers by number and by name, and trains the others") {
    const NamedLayers net;
    const Tensors created = net.weights("created", "");
    const auto frozen = [&](const std::string& name, const std::string& which) {
        return same_layers(net.weights(name, "freeze=" + which, true), created);
    };
    CHECK(frozen("number", "[\"0\"]") == Layers{"0"});
    CHECK(frozen("name", "[\"2\", \"head.0\"]") == Layers{"2.0", "head.0"});
    CHECK(frozen("head", "[\"head\"]") == Layers{"head.0", "head.2"});
}

TEST_CASE("layer list: a layer without weights has nothing to freeze or to load") {
    const NamedLayers net;
    CHECK(
        without_excerpts(ptp::test::without_warnings(
            net.run("freeze", "freeze=[\"1\"]", true).errors, "which are usually random")) ==
        "--set: error: pipeline.net.freeze: 'net' (LayerStack) has no parameter or layer '1'; known: 0, 2\n");
    const ProcessResult load = net.run(
        "load", "load={ from = \"" + net.file() + "\", component = \"\", only = [\"hed\"] }", true);
    CHECK(load.status == 4);
    CHECK(ptp::test::without_folder(without_excerpts(load.errors), net.path()) ==
          "--set: error: pipeline.net.load: FOLDER/net.safetensors: the tensors of '' do not fit "
          "'net' (LayerStack):\n    only: unknown name 'hed'; did you mean 'head'?\n");
}

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
