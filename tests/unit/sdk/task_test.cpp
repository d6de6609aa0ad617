// Tasks written with the SDK: batches of samples, and whole batches.

#include <ptp/ext/draft/sampling.h>
#include <ptp/ext/task.h>
#include <ptp/component.hpp>
#include <ptp/testing.hpp>

#include <torch/types.h>

#include <doctest/doctest.h>

namespace task_test {

namespace {

using ptp::testing::Slots;

// One sample at a time, of every kind that the SDK can put together.
class Samples {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Samples";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::output("tensors", PTP_FLOAT, "B, 2", "Tensors"),
                                      ptp::output("reals", PTP_FLOAT, "B", "Numbers"),
                                      ptp::output("flags", PTP_BOOL, "B", "Flags"),
                                      ptp::output("tokens", PTP_TOKENS, "B", "Tokens"),
                                      ptp::output("noise", PTP_INTEGER, "B", "Random")};

    int64_t size() const { return 4; }

    std::tuple<at::Tensor, float, bool, std::vector<std::string>, int64_t> sample(
        int64_t index, ptp::Random& random) {
        return {torch::full({2}, static_cast<double>(index)), 0.5f * static_cast<float>(index),
                index % 2 == 1, std::vector<std::string>(static_cast<size_t>(index), "x"),
                random.below(1000000)};
    }
};

class Weighted : public Samples {
public:
    std::vector<double> sample_weights() const { return {0.5, 1, 0, 2}; }
};

class Classed : public Samples {
public:
    std::vector<std::int64_t> sample_classes() const { return {3, 3, 1}; }
};

class Failing {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Failing";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::output("first", PTP_FLOAT, "B", "Numbers"),
                                      ptp::output("second", PTP_FLOAT, "B", "Never computed")};
    static constexpr bool is_concurrent = true;

    int64_t size() const { return 1; }

    std::tuple<at::Tensor, at::Tensor> fetch(const ptp::Fetch& fetch) const {
        if (fetch.indices()[0] == 1) {
            throw ptp::DataError("sample ", 1, " is damaged");
        }
        return {torch::ones({1}), at::Tensor()};
    }
};

template <class T>
ptp::testing::Component make() {
    return {ptp::component<T>(), "", {}};
}

const ptp_task& task_of(const ptp_component_info& info) {
    return *static_cast<const ptp_task*>(info.extension(PTP_EXTENSION_TASK));
}

// The weights and the classes, or the error's text.
std::string sampling_text(const ptp_component_info& info) {
    const ptp::testing::Component task(info, "", {});
    const auto* sampling = static_cast<const ptp_sampling*>(info.extension(PTP_EXTENSION_SAMPLING));
    if (sampling == nullptr) {
        return "none";
    }
    return std::string(sampling->weights != nullptr ? "weights" : "") +
           (sampling->classes != nullptr ? "classes" : "");
}

}  // namespace

TEST_CASE("task: its weights and classes of samples are an ability") {
    CHECK(sampling_text(ptp::component<Samples>()) == "none");
    CHECK(sampling_text(ptp::component<Weighted>()) == "weights");
    CHECK(sampling_text(ptp::component<Classed>()) == "classes");
}

TEST_CASE("task: samples of every kind are put together in the order asked for") {
    auto task = make<Samples>();
    const Slots batch = task.fetch({2, 0, 1});
    CHECK(torch::equal(batch.at("tensors").tensor(),
                       torch::tensor({{2.0f, 2.0f}, {0.0f, 0.0f}, {1.0f, 1.0f}})));
    CHECK(torch::equal(batch.at("reals").tensor(), torch::tensor({1.0f, 0.0f, 0.5f})));
    CHECK(torch::equal(batch.at("flags").tensor(), torch::tensor({0, 0, 1}).to(torch::kBool)));
    CHECK(batch.at("tokens").tokens() ==
          std::vector<std::vector<std::string>>{{"x", "x"}, {}, {"x"}});
}

TEST_CASE("task: a sample's randomness is a function of its seed") {
    auto task = make<Samples>();
    const at::Tensor all = task.fetch({0, 1, 2, 3}, 7).at("noise").tensor();
    CHECK(torch::equal(task.fetch({3, 1}, 7).at("noise").tensor(), torch::stack({all[3], all[1]})));
    CHECK_FALSE(torch::equal(task.fetch({0, 1, 2, 3}, 8).at("noise").tensor(), all));
}

TEST_CASE("task: says whether several threads may fetch") {
    CHECK(task_of(ptp::component<Samples>()).flags == 0);
    CHECK(task_of(ptp::component<Failing>()).flags == PTP_TASK_CONCURRENT);
    CHECK((ptp::component<Failing>().forward == nullptr));
}

TEST_CASE("task: when it fails no output is written") {
    // The test's host checks the outputs.
    auto task = make<Failing>();
    CHECK_THROWS_WITH_AS(task.fetch({1}), "sample 1 is damaged", ptp::DataError);
    CHECK_THROWS_WITH_AS(task.fetch({0}), "the output 'second' was not computed",
                         std::runtime_error);
}

namespace {

class Parsing {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Parsing";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::output("numbers", PTP_FLOAT, "B", "Numbers")};

    int64_t size() const { return 20; }

    at::Tensor sample(int64_t index, ptp::Random&) {
        if (index == 19) {
            throw ptp::DataError("line 20 is empty");
        }
        return torch::full({index < 5 ? 1 : 2}, std::stof(index == 17 ? "seventeen" : "1"));
    }
};

}  // namespace

TEST_CASE("task: an exception in sample() says which sample it was") {
    auto task = make<Parsing>();
    CHECK_THROWS_WITH_AS(task.fetch({3, 17, 2}), "sample 17: std::invalid_argument: stof",
                         std::runtime_error);
    CHECK_THROWS_WITH_AS(task.fetch({0, 19}), "sample 19: line 20 is empty", ptp::DataError);
    // Of several that do not fit together none is to blame.
    CHECK_THROWS_AS(task.fetch({0, 7}), std::runtime_error);
    try {
        task.fetch({0, 7});
    } catch (const std::runtime_error& error) {
        CHECK(std::string(error.what()).starts_with("c10::Error: stack expects each tensor"));
    }
}

}  // namespace task_test
