#include "engine/optim/optimizer_state.hpp"

#include "base/error.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "engine/optim/optimizer.hpp"
#include "support/temp_folder.hpp"

#include "base/toml_writer.hpp"
#include "experiment/load/load.hpp"

#include <ATen/Context.h>
#include <doctest/doctest.h>
#include <torch/types.h>

using ptp::RunError;
using ptp::engine::NamedParameter;
using ptp::engine::Optimizer;
using ptp::engine::SavedState;

namespace {

// A small regression: targets = tanh(inputs * weight + bias), with a parameter that is never used.
struct Net {
    Net() {
        at::manual_seed(3);
        weight = torch::randn({4, 3}).requires_grad_();
        bias = torch::randn({3}).requires_grad_();
        unused = torch::randn({2}).requires_grad_();
    }
    Net(const Net& other)
        : weight(copy(other.weight)), bias(copy(other.bias)), unused(copy(other.unused)) {}

    static at::Tensor copy(const at::Tensor& tensor) {
        return tensor.detach().clone().requires_grad_();
    }
    [[nodiscard]] std::vector<NamedParameter> parameters() const {
        return {{"net.0.weight", weight}, {"net.0.bias", bias}, {"other.unused", unused}};
    }
    [[nodiscard]] bool has_bits_of(const Net& other) const {
        return torch::equal(weight, other.weight) && torch::equal(bias, other.bias) &&
               torch::equal(unused, other.unused);
    }

    at::Tensor weight;
    at::Tensor bias;
    at::Tensor unused;
};

void train(Net& net, Optimizer& optimizer, int first, int last) {
    for (int step = first; step < last; ++step) {
        at::manual_seed(100 + static_cast<std::uint64_t>(step));
        const at::Tensor inputs = torch::randn({8, 4});
        const at::Tensor targets = torch::randn({8, 3});
        const auto loss = [&] {
            optimizer.forget_gradients();
            const at::Tensor made = torch::tanh(inputs.matmul(net.weight) + net.bias);
            at::Tensor value = (made - targets).square().mean();
            value.backward();
            return value;
        };
        if (optimizer.is_lbfgs()) {
            optimizer.step(loss);
        } else {
            loss();
            optimizer.step();
        }
    }
}

// As a checkpoint keeps it: through the text of the record and the file of the tensors.
SavedState through_files(const SavedState& saved) {
    const ptp::test::TempFolder folder;
    ptp::engine::write_safetensors(folder.path() / "state.safetensors", saved.tensors, {});
    const auto record = folder.write("state.toml", ptp::to_toml(saved.record));
    ptp::Diagnostics problems;
    const auto tree = ptp::experiment::load_experiment({.file = record}, problems);
    REQUIRE_MESSAGE(tree, problems.text());
    return {*tree, ptp::engine::read_safetensors(folder.path() / "state.safetensors").tensors};
}

const ptp::experiment::Optimizer kAll[] = {
    {.type = "SGD", .lr = 0.1},
    {.type = "SGD", .lr = 0.1, .weight_decay = 0.01, .momentum = 0.9, .dampening = 0.1},
    {.type = "SGD", .lr = 0.1, .momentum = 0.9, .nesterov = true},
    {.type = "Adam", .lr = 0.1},
    {.type = "Adam", .lr = 1.0 / 3, .weight_decay = 0.1, .betas = {0.8, 0.95}, .amsgrad = true},
    {.type = "AdamW", .lr = 0.1, .weight_decay = 0.1},
    {.type = "AdamW", .lr = 0.1, .weight_decay = 0.1, .amsgrad = true},
    {.type = "RMSprop", .lr = 0.1},
    {.type = "RMSprop", .lr = 0.1, .momentum = 0.9, .centered = true},
    {.type = "Adagrad", .lr = 0.1, .eps = 1e-10, .lr_decay = 0.1, .initial_accumulator_value = 0.1},
    {.type = "LBFGS", .lr = 0.5, .max_iter = 3},
    {.type = "LBFGS", .lr = 0.5, .history_size = 2},
    {.type = "LBFGS", .lr = 1.0, .max_iter = 4, .line_search_fn = "strong_wolfe"},
    // The gradient is small enough at once: libtorch leaves most of the state without values.
    {.type = "LBFGS", .lr = 1.0, .tolerance_grad = 1e9},
};

}  // namespace

TEST_CASE("optimizer: a saved one continues with the same bits") {
    for (const ptp::experiment::Optimizer& options : kAll) {
        for (const int steps_before : {0, 1, 3}) {
            CAPTURE(options.type);
            CAPTURE(options.momentum);
            CAPTURE(steps_before);
            Net net;
            Optimizer optimizer({{"", options, net.parameters()}});
            train(net, optimizer, 0, steps_before);
            Net copy = net;
            const SavedState saved = through_files(optimizer.save());
            train(net, optimizer, steps_before, 6);

            Optimizer other({{"", options, copy.parameters()}});
            other.restore(saved);
            train(copy, other, steps_before, 6);
            CHECK(net.has_bits_of(copy));
        }
    }
}

TEST_CASE("optimizer: an optimizer that is not restored goes another way") {
    Net net;
    Optimizer optimizer({{"", {.type = "Adam", .lr = 0.1}, net.parameters()}});
    train(net, optimizer, 0, 3);
    Net copy = net;
    train(net, optimizer, 3, 6);
    Optimizer other({{"", {.type = "Adam", .lr = 0.1}, copy.parameters()}});
    train(copy, other, 3, 6);
    CHECK_FALSE(net.has_bits_of(copy));
}

TEST_CASE("optimizer: options are restored, not only what was learnt") {
    Net net;
    Optimizer optimizer(
        {{"", {.type = "SGD", .lr = 0.025, .weight_decay = 0.5}, net.parameters()}});
    Net copy = net;
    Optimizer other({{"", {.type = "SGD", .lr = 0.9}, copy.parameters()}});
    other.restore(optimizer.save());
    train(net, optimizer, 0, 2);
    train(copy, other, 0, 2);
    CHECK(net.has_bits_of(copy));
}

TEST_CASE("optimizer: what is saved is what was there, not what became of it") {
    Net net;
    Optimizer optimizer({{"", {.type = "Adam", .lr = 0.1}, net.parameters()}});
    train(net, optimizer, 0, 1);
    const SavedState saved = optimizer.save();
    REQUIRE(saved.tensors.front().first == "net.0.weight/exp_avg");
    const at::Tensor before = saved.tensors.front().second.clone();
    train(net, optimizer, 1, 3);
    CHECK(torch::equal(saved.tensors.front().second, before));
    CHECK(saved.record.find("parameters")->find("net.0.weight")->find("step")->as_integer() == 1);
    CHECK(saved.record.find("parameters")->find("other.unused")->members().empty());
}

TEST_CASE("optimizer: everything that does not fit is said at once, and nothing is changed") {
    Net net;
    Optimizer optimizer({{"", {.type = "Adam", .lr = 0.1}, net.parameters()}});
    train(net, optimizer, 0, 2);
    SavedState saved = optimizer.save();

    Net changed = net;
    changed.weight = torch::ones({4, 5}).requires_grad_();
    changed.bias = torch::ones({3}, at::kDouble).requires_grad_();
    std::vector<NamedParameter> parameters = changed.parameters();
    parameters[2].name = "other.used";
    std::erase_if(saved.tensors, [](const auto& one) { return one.first == "net.0.bias/exp_avg"; });
    saved.record.find("parameters")->find("net.0.bias")->erase("step");
    saved.tensors.emplace_back("net.0.bias/more", torch::ones({1}));
    saved.record.find("groups")->items()[0].set("lr", "fast");

    Optimizer other({{"", {.type = "Adam", .lr = 0.2}, parameters}});
    const auto text_of = [](const SavedState& state) { return ptp::to_toml(state.record); };
    const std::string before = text_of(other.save());
    CHECK_THROWS_WITH_AS(
        other.restore(saved),
        "the saved state does not fit the optimizer:\n"
        "  the parameters' options: lr: must be a real, not a string\n"
        "  net.0.weight/exp_avg: is saved as Float [4, 3], must be Float [4, 5]\n"
        "  net.0.weight/exp_avg_sq: is saved as Float [4, 3], must be Float [4, 5]\n"
        "  net.0.bias/step: is missing\n"
        "  net.0.bias/exp_avg: is missing\n"
        "  net.0.bias/exp_avg_sq: is saved as Float [3], must be Double [3]\n"
        "  other.used: is missing\n"
        "  other.unused: is not trained\n"
        "  net.0.bias/more: belongs to nothing that is trained",
        RunError);
    CHECK(text_of(other.save()) == before);
}

TEST_CASE("optimizer: the state of another type is refused") {
    Net net;
    Optimizer adam({{"", {.type = "Adam", .lr = 0.1}, net.parameters()}});
    Optimizer sgd({{"", {.type = "SGD", .lr = 0.1}, net.parameters()}});
    CHECK_THROWS_WITH_AS(adam.restore(sgd.save()),
                         "the saved state does not fit the optimizer:\n"
                         "  it is of 'SGD', must be of 'Adam'",
                         RunError);
}
