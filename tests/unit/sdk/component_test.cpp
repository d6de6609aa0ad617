// Components written with the SDK, as the host meets them.

#include <ptp/ext/samples.h>
#include <ptp/component.hpp>
#include <ptp/testing.hpp>

#include <torch/nn/modules/batchnorm.h>
#include <torch/types.h>

#include <doctest/doctest.h>

namespace component_test {

namespace {

using ptp::Data;
using ptp::testing::Slots;

enum class Failure { kNone, kConfig, kData, kLibtorch, kStandard, kStrange, kSecondOutput };

// Fails as it is told to, in create() or in forward().
class Failing {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Failing";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B", "Numbers"),
                                      ptp::output("first", PTP_FLOAT, "B", "Numbers"),
                                      ptp::output("second", PTP_FLOAT, "B", "Numbers")};

    struct Config {
        Failure in_create = Failure::kNone;
        Failure in_forward = Failure::kNone;

        static constexpr auto settings() {
            constexpr const char* kChoices =
                "none|config|data|libtorch|standard|strange|second_output";
            return std::tuple{
                ptp::setting("in_create", &Config::in_create, {.choices = kChoices}),
                ptp::setting("in_forward", &Config::in_forward, {.choices = kChoices})};
        }
    };

    explicit Failing(const Config& config) : config_(config) { fail(config.in_create); }

    std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& inputs) {
        fail(config_.in_forward);
        const bool has_second = config_.in_forward != Failure::kSecondOutput;
        return {inputs + 1, has_second ? inputs + 2 : at::Tensor()};
    }

private:
    static void fail(Failure failure) {
        switch (failure) {
            case Failure::kConfig:
                throw ptp::ConfigError("no such thing as ", 5, " of ", std::filesystem::path("/x"));
            case Failure::kData:
                throw ptp::DataError("bad data");
            case Failure::kLibtorch:
                TORCH_CHECK(false, "libtorch says no");
            case Failure::kStandard:
                throw std::out_of_range("out of range");
            case Failure::kStrange:
                throw 42;
            default:
                return;
        }
    }

    Config config_;
};

// Adds a number to each sample while training.
class Drawing {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Drawing";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B", "Numbers"),
                                      ptp::output("outputs", PTP_FLOAT, "B", "Numbers")};

    at::Tensor forward(const at::Tensor& inputs, const ptp::Samples& samples) {
        at::Tensor outputs = inputs.clone();
        for (std::size_t i = 0; samples.is_training() && i < samples.size(); ++i) {
            outputs[static_cast<int64_t>(i)] += samples.random(i).uniform();
        }
        return outputs;
    }
};

class Samplewise {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Samplewise";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B", "Numbers"),
                                      ptp::output("outputs", PTP_FLOAT, "B", "Numbers")};
    static constexpr bool is_per_sample = true;

    at::Tensor forward(const at::Tensor& inputs) { return inputs * 2; }
};

// Takes a list of streams and one that exists for some settings; returns text, tokens and a list.
class Mixed {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Mixed";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{
        ptp::input("terms", PTP_FLOAT, "B", "Summed up").streams_from("input_streams"),
        ptp::input("words", PTP_TOKENS, "B", "Words").when("use_words"),
        ptp::input("pieces", PTP_TENSOR_LIST, "B, n", "Tensors").optional(),
        ptp::output("sum", PTP_FLOAT, "B", "The sum"),
        ptp::output("joined", PTP_STRING, "B", "Words without spaces").when("use_words"),
        ptp::output("halves", PTP_TENSOR_LIST, "B, n", "Tensors")};

    struct Config {
        std::vector<std::string> input_streams;
        bool use_words = false;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("input_streams", &Config::input_streams, {}),
                              ptp::setting("use_words", &Config::use_words, {})};
        }
    };

    std::tuple<at::Tensor, std::vector<std::string>, std::vector<at::Tensor>> forward(
        const ptp::List<at::Tensor>& terms, const ptp::TokenLists* words,
        const ptp::TensorList* pieces, const ptp::Step& step) {
        at::Tensor sum = torch::full({1}, static_cast<double>(step.episode()));
        for (size_t i = 0; i < terms.size(); ++i) {
            sum = sum + terms[i];
        }
        std::vector<std::string> joined;
        for (size_t row = 0; words != nullptr && row < words->size(); ++row) {
            std::string& text = joined.emplace_back();
            for (size_t i = 0; i < (*words)[row].size(); ++i) {
                text += (*words)[row][i];
            }
        }
        std::vector<at::Tensor> halves;
        for (size_t i = 0; pieces != nullptr && i < pieces->size(); ++i) {
            halves.push_back((*pieces)[i] / 2);
        }
        return {sum, joined, halves};
    }
};

// Uses all that the host offers while it is created, and has every ability.
class Able {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Able";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B, width", "Numbers"),
                                      ptp::output("outputs", PTP_FLOAT, "B, width", "Numbers")};
    static constexpr std::array globals{ptp::reads("vocabulary", "A table"),
                                        ptp::publishes("sizes", "A list")};
    static constexpr std::array statistics{
        ptp::mean("calls", "Calls since the start"),
        ptp::computed("calls_in_set", "Calls in the set").set_only()};
    static constexpr uint32_t state_version = 3;

    explicit Able(ptp::Setup& setup) : norm_(torch::nn::BatchNorm1d(setup.size("width"))) {
        net_->register_module("norm", norm_);
        const auto vocabulary = setup.global<Data>("vocabulary");
        setup.publish("sizes", std::vector<int64_t>{vocabulary.find("cat")->as_integer()});
        setup.log_info("made " + setup.name());
        const auto inputs = setup.inputs("inputs");
        setup.log_debug(inputs.at(0).stream + " of " + std::to_string(inputs.size()));
        first_ = torch::rand({1}, setup.generator());
    }

    at::Tensor forward(const at::Tensor& inputs, const ptp::Step& step) {
        ++calls_;
        ++in_set_[step.set()];
        return norm_->forward(inputs) + first_;
    }

    torch::nn::Module& module() { return *net_; }
    std::array<double, 2> collect(uint64_t) { return {static_cast<double>(calls_), -1}; }
    std::array<double, 2> aggregate(uint64_t set) { return {-1, in_set_[set]}; }
    void reset(uint64_t set) { in_set_[set] = 0; }
    Data export_state() const { return Data::Table{{"calls", calls_}}; }
    void import_state(uint32_t version, const Data& state) {
        if (version != 3) {
            throw ptp::ConfigError("state of version ", version, " is not understood");
        }
        calls_ = state.find("calls")->as_integer();
    }

private:
    torch::nn::BatchNorm1d norm_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    at::Tensor first_;
    int64_t calls_ = 0;
    std::map<uint64_t, double> in_set_;
};

ptp::testing::Component failing(const std::string& where, const std::string& how) {
    return {ptp::component<Failing>(), where + " = \"" + how + "\"", {}};
}

ptp::testing::Component able(uint64_t seed = 1) {
    return {ptp::component<Able>(),
            "",
            {.sizes = {{"width", 2}},
             .globals = {{"vocabulary", Data::Table{{"cat", 5}}}},
             .name = "net",
             .seed = seed}};
}

Slots ones() {
    Slots inputs;
    inputs["inputs"] = torch::ones({2});
    return inputs;
}

template <class Error>
void check_failure(const std::string& how, const char* message) {
    CAPTURE(how);
    CHECK_THROWS_WITH_AS(failing("in_create", how), message, Error);
    auto component = failing("in_forward", how);
    CHECK_THROWS_WITH_AS(component.run(ones()), message, Error);
}

}  // namespace

TEST_CASE("component: every exception becomes a status and its message, and no output is touched") {
    check_failure<ptp::ConfigError>("config", "no such thing as 5 of /x");
    check_failure<ptp::DataError>("data", "bad data");
    check_failure<std::runtime_error>("libtorch", "c10::Error: libtorch says no");
    check_failure<std::runtime_error>("standard", "std::out_of_range: out of range");
    check_failure<std::runtime_error>("strange",
                                      "an exception of type int, which is not a std::exception");
}

TEST_CASE("component: an output that was not computed is an error, and no other is written") {
    auto component = failing("in_forward", "second_output");
    CHECK_THROWS_WITH_AS(component.run(ones()), "the output 'second' was not computed",
                         std::runtime_error);
}

TEST_CASE("component: several outputs are returned as a tuple") {
    const Slots outputs = failing("in_forward", "none").run(ones());
    CHECK(torch::equal(outputs.at("first").tensor(), torch::full({2}, 2.0)));
    CHECK(torch::equal(outputs.at("second").tensor(), torch::full({2}, 3.0)));
}

TEST_CASE("component: a port with streams_from() gets the streams in the setting's order") {
    ptp::testing::Component mixed(ptp::component<Mixed>(), "input_streams = [\"b\", \"a\"]", {});
    Slots inputs;
    inputs["a"] = torch::tensor({1.0f});
    inputs["b"] = torch::tensor({10.0f});
    ptp_step step = ptp::testing::Component::first_step();
    step.episode = 100;
    const Slots outputs = mixed.run(std::move(inputs), step);
    CHECK(outputs.at("sum").tensor().item<float>() == 111);
    CHECK_FALSE(outputs.contains("joined"));
    CHECK(outputs.at("halves").tensors().empty());
}

TEST_CASE("component: tokens and lists of tensors come and go") {
    ptp::testing::Component mixed(ptp::component<Mixed>(), "use_words = true",
                                  {.optional_inputs = {"pieces"}});
    Slots inputs;
    inputs["words"] = std::vector<std::vector<std::string>>{{"a", "bc"}, {}, {"d"}};
    inputs["pieces"] = std::vector<at::Tensor>{torch::ones({3}), torch::ones({1})};
    const Slots outputs = mixed.run(std::move(inputs));
    CHECK(outputs.at("joined").strings() == std::vector<std::string>{"abc", "", "d"});
    REQUIRE(outputs.at("halves").tensors().size() == 2);
    CHECK(torch::equal(outputs.at("halves").tensors()[0], torch::full({3}, 0.5)));
}

namespace {

Slots of(const at::Tensor& inputs) {
    Slots slots;
    slots["inputs"] = inputs;
    return slots;
}

}  // namespace

TEST_CASE("component: a transform of samples gets their seeds, and tells hosts that know none") {
    ptp::testing::Component drawing(ptp::component<Drawing>(), "", {});
    const Slots made = drawing.transform(of(torch::zeros({2})), {5, 6});
    const at::Tensor expected =
        torch::tensor({ptp::Random(5).uniform(), ptp::Random(6).uniform()}).to(torch::kFloat);
    CHECK(torch::equal(made.at("outputs").tensor(), expected));
    CHECK(
        torch::equal(drawing.transform(of(torch::zeros({2})), {5, 6}, false).at("outputs").tensor(),
                     torch::zeros({2})));
    CHECK_THROWS_WITH(
        drawing.run(of(torch::zeros({2}))),
        "this host does not know ptp.samples/1, which identifies the samples of a batch");
}

TEST_CASE("component: only a transform that says so treats samples for themselves") {
    CHECK(ptp::testing::Component(ptp::component<Drawing>(), "", {})
              .has_ability(PTP_EXTENSION_SAMPLES));
    CHECK(ptp::testing::Component(ptp::component<Samplewise>(), "", {})
              .has_ability(PTP_EXTENSION_SAMPLES));
    CHECK(!ptp::testing::Component(ptp::component<Failing>(), "", {})
               .has_ability(PTP_EXTENSION_SAMPLES));
}

TEST_CASE("component: one that says so without samples works by forward() too") {
    ptp::testing::Component doubling(ptp::component<Samplewise>(), "", {});
    CHECK(torch::equal(doubling.run(of(torch::ones({2}))).at("outputs").tensor(),
                       torch::ones({2}) * 2));
    CHECK(torch::equal(doubling.transform(of(torch::ones({2})), {1, 2}).at("outputs").tensor(),
                       torch::ones({2}) * 2));
}

TEST_CASE("component: the constructor reads globals and sizes, publishes and logs") {
    const auto component = able();
    CHECK(component.published().at("sizes") == Data(std::vector<int64_t>{5}));
    CHECK(component.log_lines() == std::vector<std::string>{"made net", "inputs of 1"});
}

TEST_CASE("component: a global that is missing or of another type is an error of the experiment") {
    const auto with = [](std::map<std::string, Data> globals) {
        ptp::testing::Component(ptp::component<Able>(), "",
                                {.sizes = {{"width", 2}}, .globals = std::move(globals)});
    };
    CHECK_THROWS_WITH_AS(with({}), "the global 'vocabulary' was not published", ptp::ConfigError);
    CHECK_THROWS_WITH_AS(with({{"vocabulary", 3}}), "expected a table, found an integer",
                         ptp::ConfigError);
}

TEST_CASE("component: its generator follows from the seed") {
    const auto output = [](uint64_t seed) {
        auto component = able(seed);
        component.set_training(false);
        return component.forward(torch::zeros({1, 2}));
    };
    CHECK(torch::equal(output(1), output(1)));
    CHECK_FALSE(torch::equal(output(1), output(2)));
}

TEST_CASE("component: parameters and buffers of its module are found by name") {
    auto component = able();
    const auto parameters = component.parameters();
    CHECK(parameters.size() == 2);
    CHECK(parameters.at("norm.weight").requires_grad());
    const auto buffers = component.buffers();
    CHECK(buffers.size() == 3);
    CHECK(torch::equal(buffers.at("norm.running_mean"), torch::zeros({2})));

    // They are the component's own: changing them changes what it computes.
    component.set_training(false);
    const at::Tensor before = component.forward(torch::ones({1, 2}));
    {
        const torch::NoGradGuard no_grad;
        parameters.at("norm.bias").add_(1);
    }
    CHECK(torch::allclose(component.forward(torch::ones({1, 2})), before + 1));
}

TEST_CASE("component: the mode reaches its module") {
    auto component = able();
    component.set_training(false);
    component.forward(torch::full({4, 2}, 3.0));
    CHECK(component.buffers().at("norm.running_mean").abs().sum().item<float>() == 0);
    component.set_training(true);
    component.forward(torch::full({4, 2}, 3.0));
    CHECK(component.buffers().at("norm.running_mean").abs().sum().item<float>() > 0);
}

TEST_CASE("component: statistics are collected by batch and computed by set") {
    auto component = able();
    component.forward(torch::rand({4, 2}));
    component.forward(torch::rand({4, 2}));
    CHECK(component.collect() == ptp::testing::Component::Numbers{{"calls", 2}});
    CHECK(component.aggregate() == ptp::testing::Component::Numbers{{"calls_in_set", 2}});
    component.reset();
    CHECK(component.aggregate().at("calls_in_set") == 0);
}

TEST_CASE("component: its state moves to another instance") {
    auto old_one = able();
    old_one.forward(torch::rand({4, 2}));
    auto new_one = able();
    new_one.import_state(3, old_one.export_state());
    CHECK(new_one.collect().at("calls") == 1);
    CHECK_THROWS_WITH_AS(new_one.import_state(2, old_one.export_state()),
                         "state of version 2 is not understood", ptp::ConfigError);
}

}  // namespace component_test
