// The testing kit itself: what an author writes without thinking works, or says what is wrong.

#include <ptp/component.hpp>
#include <ptp/testing.hpp>

#include <torch/types.h>

#include <doctest/doctest.h>

#include <stdexcept>

namespace testing_kit_test {

namespace {

class Hits {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "Hits";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::input("predictions", PTP_FLOAT, "B", "Numbers"),
                                      ptp::input("targets", PTP_FLOAT, "B", "Numbers")};
    static constexpr std::array statistics{ptp::sum("hits", "How many are equal")};

    void forward(const at::Tensor& predictions, const at::Tensor& targets) {
        hits_ = predictions.eq(targets).sum().item<double>();
    }
    std::array<double, 1> collect(uint64_t) const { return {hits_}; }

private:
    double hits_ = 0;
};

class Split {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Split";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::input("values", PTP_FLOAT, "B", "Numbers"),
                                      ptp::output("upper", PTP_FLOAT, "B", "Numbers"),
                                      ptp::output("lower", PTP_FLOAT, "B", "Numbers")};

    std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& values) {
        return {values.clamp_min(0), values.clamp_max(0)};
    }
};

class Names {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Names";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::input("values", PTP_FLOAT, "B", "Numbers"),
                                      ptp::output("names", PTP_STRING, "B", "Their names")};

    std::vector<std::string> forward(const at::Tensor& values) {
        return std::vector<std::string>(static_cast<size_t>(values.size(0)), "x");
    }
};

template <class T>
ptp::testing::Component make() {
    return {ptp::component<T>(), "", {}};
}

const at::Tensor kPredictions = torch::tensor({1.0f, 2.0f, 3.0f});
const at::Tensor kTargets = torch::tensor({1.0f, 0.0f, 3.0f});

}  // namespace

TEST_CASE("testing kit: forward() of a component without outputs gives no tensor") {
    auto hits = make<Hits>();
    CHECK(!hits.forward(kPredictions, kTargets).defined());
    CHECK(hits.collect().at("hits") == 2);
}

TEST_CASE("testing kit: run() takes its streams in braces") {
    auto hits = make<Hits>();
    CHECK(hits.run({{"predictions", kPredictions}, {"targets", kTargets}}).empty());
    CHECK(hits.collect().at("hits") == 2);
    const auto outputs = make<Split>().run({{"values", kPredictions - 2}});
    CHECK(torch::equal(outputs.at("upper").tensor(), torch::tensor({0.0f, 0.0f, 1.0f})));
}

TEST_CASE("testing kit: the same streams can be given twice") {
    auto hits = make<Hits>();
    const ptp::testing::Slots streams{{"predictions", kPredictions}, {"targets", kTargets}};
    hits.run(streams);
    hits.run(streams);
    CHECK(hits.collect().at("hits") == 2);
}

TEST_CASE("testing kit: forward() refuses what it cannot do, and says what is there") {
    auto hits = make<Hits>();
    CHECK_THROWS_WITH_AS(hits.forward(kPredictions),
                         "Hits has 2 inputs ('predictions', 'targets'), the test passes 1",
                         std::logic_error);
    CHECK_THROWS_WITH_AS(hits.forward(kPredictions, kPredictions, kPredictions),
                         "Hits has 2 inputs ('predictions', 'targets'), the test passes 3",
                         std::logic_error);
    CHECK_THROWS_WITH_AS(make<Split>().forward(kPredictions),
                         "Split has the outputs 'upper', 'lower': use run(), because forward() "
                         "returns one tensor",
                         std::logic_error);
    CHECK_THROWS_WITH_AS(
        make<Names>().forward(kPredictions),
        "Names has the outputs 'names': use run(), because forward() returns one tensor",
        std::logic_error);
}

TEST_CASE("testing kit: run() names a missing input and an unknown one") {
    auto hits = make<Hits>();
    CHECK_THROWS_WITH_AS(hits.run({{"predictions", kPredictions}}),
                         "the test passes no input 'targets'", std::logic_error);
    CHECK_THROWS_WITH_AS(
        hits.run({{"predictions", kPredictions}, {"targets", kTargets}, {"masks", kTargets}}),
        "Hits has no input 'masks'; it has 'predictions', 'targets'", std::logic_error);
}

}  // namespace testing_kit_test
