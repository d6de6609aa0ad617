#include "engine/optimizer/saved_optimizer.hpp"

#include "base/error.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "engine/optimizer/optimizer.hpp"
#include "support/golden.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include "base/toml_writer.hpp"
#include "experiment/load/load.hpp"
#include "schema/one_of.hpp"

#include <ATen/Context.h>
#include <doctest/doctest.h>
#include <torch/types.h>

namespace saved_optimizer_test {

using ptp::RunError;
using namespace ptp::engine;

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
    Net& operator=(const Net&) = delete;
    ~Net() = default;

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
        if (optimizer.needs_closure()) {
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

using namespace ptp::optimizer;

const Any kAll[] = {
    Sgd{.lr = 0.1},
    Sgd{.lr = 0.1, .weight_decay = 0.01, .momentum = 0.9, .dampening = 0.1},
    Sgd{.lr = 0.1, .momentum = 0.9, .nesterov = true},
    Adam{.lr = 0.1},
    Adam{.lr = 1.0 / 3, .weight_decay = 0.1, .betas = {0.8, 0.95}, .amsgrad = true},
    AdamW{.lr = 0.1, .weight_decay = 0.1},
    AdamW{.lr = 0.1, .weight_decay = 0.1, .amsgrad = true},
    RmsProp{.lr = 0.1},
    RmsProp{.lr = 0.1, .momentum = 0.9, .centered = true},
    Adagrad{.lr = 0.1, .lr_decay = 0.1, .initial_accumulator_value = 0.1},
    Adadelta{.lr = 0.5, .weight_decay = 0.1},
    Adamax{.lr = 0.1, .weight_decay = 0.1},
    NAdam{.lr = 0.1, .momentum_decay = 0.1},
    RAdam{.lr = 0.1, .betas = {0.9, 0.95}},
    Rprop{.lr = 0.1},
    Asgd{.lr = 0.1, .lambd = 0.1, .t0 = 1},
    Lbfgs{.lr = 0.5, .max_iter = 3},
    Lbfgs{.lr = 0.5, .history_size = 2},
    Lbfgs{.lr = 1.0, .max_iter = 4, .line_search_fn = "strong_wolfe"},
    // The gradient is small enough at once: most of the state has no values.
    Lbfgs{.lr = 1.0, .tolerance_grad = 1e9},
};

std::unique_ptr<Optimizer> optimizer_of(const Any& options, const Net& net) {
    return ptp::engine::make_optimizer({{"", options, net.parameters()}});
}

}  // namespace

TEST_CASE("optimizer: a saved one continues with the same bits") {
    for (const Any& options : kAll) {
        for (const int steps_before : {0, 1, 3}) {
            const std::string written = ptp::inline_toml(ptp::schema::write_one_of(options));
            CAPTURE(written);
            CAPTURE(steps_before);
            Net net;
            const auto optimizer = optimizer_of(options, net);
            train(net, *optimizer, 0, steps_before);
            Net copy = net;
            const SavedState saved = through_files(optimizer->save());
            train(net, *optimizer, steps_before, 6);

            const auto other = optimizer_of(options, copy);
            other->restore(saved);
            train(copy, *other, steps_before, 6);
            CHECK(net.has_bits_of(copy));
        }
    }
}

TEST_CASE("optimizer: an optimizer that is not restored goes another way") {
    Net net;
    const auto optimizer = optimizer_of(Adam{.lr = 0.1}, net);
    train(net, *optimizer, 0, 3);
    Net copy = net;
    train(net, *optimizer, 3, 6);
    const auto other = optimizer_of(Adam{.lr = 0.1}, copy);
    train(copy, *other, 3, 6);
    CHECK_FALSE(net.has_bits_of(copy));
}

TEST_CASE("optimizer: options are restored, not only the state") {
    Net net;
    const auto optimizer = optimizer_of(Sgd{.lr = 0.025, .weight_decay = 0.5}, net);
    Net copy = net;
    const auto other = optimizer_of(Sgd{.lr = 0.9}, copy);
    other->restore(optimizer->save());
    train(net, *optimizer, 0, 2);
    train(copy, *other, 0, 2);
    CHECK(net.has_bits_of(copy));
}

TEST_CASE("optimizer: what is saved does not follow later steps") {
    Net net;
    const auto optimizer = optimizer_of(Adam{.lr = 0.1}, net);
    train(net, *optimizer, 0, 1);
    const SavedState saved = optimizer->save();
    REQUIRE(saved.tensors.front().first == "net.0.weight/exp_avg");
    const at::Tensor before = saved.tensors.front().second.clone();
    train(net, *optimizer, 1, 3);
    CHECK(torch::equal(saved.tensors.front().second, before));
    CHECK(saved.record.find("parameters")->find("net.0.weight")->find("step")->as_integer() == 1);
    CHECK(saved.record.find("parameters")->find("other.unused")->members().empty());
}

TEST_CASE("optimizer: everything that does not fit is said at once, and nothing is changed") {
    Net net;
    const auto optimizer = optimizer_of(Adam{.lr = 0.1}, net);
    train(net, *optimizer, 0, 2);
    SavedState saved = optimizer->save();

    Net changed = net;
    changed.weight = torch::ones({4, 5}).requires_grad_();
    changed.bias = torch::ones({3}, at::kDouble).requires_grad_();
    std::vector<NamedParameter> parameters = changed.parameters();
    parameters[2].name = "other.used";
    std::erase_if(saved.tensors, [](const auto& one) { return one.first == "net.0.bias/exp_avg"; });
    saved.record.find("parameters")->find("net.0.bias")->erase("step");
    saved.tensors.emplace_back("net.0.bias/more", torch::ones({1}));
    saved.record.find("groups")->items()[0].set("lr", "fast");

    const auto other = ptp::engine::make_optimizer({{"", Adam{.lr = 0.2}, parameters}});
    const auto text_of = [](const SavedState& state) { return ptp::to_toml(state.record); };
    const std::string before = text_of(other->save());
    CHECK_THROWS_WITH_AS(
        other->restore(saved),
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
    CHECK(text_of(other->save()) == before);
}

TEST_CASE("optimizer: the state of another type is refused") {
    Net net;
    const auto adam = optimizer_of(Adam{.lr = 0.1}, net);
    const auto sgd = optimizer_of(Sgd{.lr = 0.1}, net);
    CHECK_THROWS_WITH_AS(adam->restore(sgd->save()),
                         "the saved state does not fit the optimizer:\n"
                         "  it is of 'SGD', must be of 'Adam'",
                         RunError);
}

// tests/golden/old_optimizers has what ptp 0.1 saved after three steps, when it used libtorch's
// optimizers; old_optimizers.txt has the weights then, and after three more.
TEST_CASE("optimizer: what an earlier version has saved continues, and is saved alike") {
    struct Case {
        const char* name;
        Any options;
        Any of_head;
    };
    const Case cases[] = {
        {"SGD", Sgd{}, Sgd{}},
        {"Adam", Adam{}, Adam{}},
        {"AdamW", AdamW{}, AdamW{}},
        {"RMSprop", RmsProp{}, RmsProp{}},
        {"Adagrad", Adagrad{}, Adagrad{}},
        {"LBFGS", Lbfgs{}, {}},
    };
    const auto folder = ptp::test::source_dir() / "tests/golden/old_optimizers";
    for (const Case& c : cases) {
        CAPTURE(c.name);
        const std::string name = c.name;
        const auto leaf = [](const std::vector<double>& values) {
            return torch::tensor(values, at::kDouble).requires_grad_();
        };
        const auto before = ptp::test::golden("old_optimizers", name + "_before");
        const at::Tensor w = leaf({before[0], before[1], before[2]});
        const at::Tensor b = leaf({before[3], before[4]});
        const at::Tensor unused = leaf({before[5]});
        const bool has_groups = name != "LBFGS";
        const auto optimizer =
            has_groups
                ? ptp::engine::make_optimizer(
                      {{"", c.options, {{"net.w", w}, {"net.unused", unused}}},
                       {"head", c.of_head, {{"head.b", b}}}})
                : ptp::engine::make_optimizer(
                      {{"", c.options, {{"net.w", w}, {"net.b", b}, {"net.unused", unused}}}});

        ptp::Diagnostics problems;
        const auto record =
            ptp::experiment::load_experiment({.file = folder / (name + ".toml")}, problems);
        REQUIRE_MESSAGE(record, problems.text());
        const auto tensors =
            ptp::engine::read_safetensors(folder / (name + ".safetensors")).tensors;
        optimizer->restore({*record, tensors});

        const SavedState again = optimizer->save();
        CHECK(again.record == *record);
        REQUIRE(again.tensors.size() == tensors.size());
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            const std::string& tensor = tensors[i].first;
            const auto found =
                std::ranges::find(again.tensors, tensor, [](const auto& one) { return one.first; });
            CAPTURE(tensor);
            REQUIRE(found != again.tensors.end());
            CHECK(torch::equal(found->second, tensors[i].second));
        }

        for (int step = 0; step < 3; ++step) {
            const auto closure = [&] {
                optimizer->forget_gradients();
                at::Tensor loss =
                    (w - 1.5).pow(4).sum() + (b.square() * w[0]).sum() + b.exp().sum();
                loss.backward();
                return loss;
            };
            if (optimizer->needs_closure()) {
                optimizer->step(closure);
            } else {
                closure();
                optimizer->step();
            }
        }
        const auto after = ptp::test::golden("old_optimizers", name + "_after");
        const at::Tensor reached = torch::cat({w, b, unused});
        for (std::size_t i = 0; i < after.size(); ++i) {
            CAPTURE(i);
            CHECK(reached[static_cast<std::int64_t>(i)].item<double>() ==
                  doctest::Approx(after[i]).epsilon(1e-12));
        }
    }
}

}  // namespace saved_optimizer_test
