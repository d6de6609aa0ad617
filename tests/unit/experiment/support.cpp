#include "support.hpp"

#include <doctest/doctest.h>

namespace ptp::experiment::test {

std::optional<Value> Loader::load(const std::vector<std::string>& overrides) {
    return load_experiment({.file = folder_.path() / "x.toml",
                            .overrides = overrides,
                            .home = folder_.path() / "home"},
                           problems_);
}

Experiment Loader::read(const std::vector<std::string>& overrides) {
    const std::optional<Value> root = load(overrides);
    if (!root) {
        return {};
    }
    return read_experiment(*root, {.default_name = "x", .home = folder_.path() / "home"},
                           problems_);
}

std::string Loader::problems() const {
    std::string text = problems_.text();
    const std::string prefix = (folder_.path() / "").string();
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
        text.erase(at, prefix.size());
    }
    return text;
}

std::string problems_of_loading(const std::string& text,
                                const std::vector<std::string>& overrides) {
    Loader loader(text);
    loader.load(overrides);
    return loader.problems();
}

std::string problems_of(const std::string& text, const std::vector<std::string>& overrides) {
    Loader loader(text);
    loader.read(overrides);
    return loader.problems();
}

Value tree(const std::string& text, const std::vector<std::string>& overrides) {
    Loader loader(text);
    const std::optional<Value> root = loader.load(overrides);
    REQUIRE(loader.problems() == "");
    REQUIRE(root);
    return *root;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    REQUIRE_MESSAGE(at != std::string::npos, what);
    REQUIRE_MESSAGE(text.find(what, at + 1) == std::string::npos, what);
    return text.replace(at, what.size(), by);
}

Experiment read_valid(const std::string& text) {
    Loader loader(text);
    Experiment experiment = loader.read();
    REQUIRE(loader.problems() == "");
    return experiment;
}

void check_changes(const std::vector<Change>& changes) {
    for (const auto& [what, by, message] : changes) {
        CHECK_MESSAGE(problems_of(replaced(kExample, what, by)) == message, by);
    }
}

const char* const kExample = R"(name = "digits"
seed = 7
device = "cuda:1"

[plugins]
path = ["plugins", "/opt/ptp"]

[training]
gradient_clipping = 0.5

[training.task]
type = "FashionMNIST"
batch_size = 64
resize_image = [32, 32]
streams = { inputs = "images" }

[training.dataloader]
num_workers = 2

[training.sampler]
type = "SubsetRandomSampler"
indices = [0, 55000]

[training.optimizer]
type = "Adam"
lr = 0.002

[training.terminal_conditions]
epoch_limit = 5

[validation.task]
type = "FashionMNIST"
batch_size = 100

[pipeline]
disable = []

[pipeline.lenet5]
type = "LeNet5"
priority = 1
globals = { prediction_size = "num_classes" }
freeze = false

[pipeline.loss]
type = "basic/NLLLoss"
streams = { targets = "digits", predictions = "scores" }
)";

}  // namespace ptp::experiment::test
