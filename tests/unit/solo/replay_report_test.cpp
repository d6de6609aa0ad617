#include "solo/replay_report.hpp"

#include <doctest/doctest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace replay_report_test {

using ptp::engine::ReplayTolerance;
using ptp::solo::difference_of;
using ptp::solo::ValueDifference;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::optional<ValueDifference> compare(const at::Tensor& recorded, const at::Tensor& now,
                                       std::optional<ReplayTolerance> tolerance = std::nullopt) {
    return difference_of(recorded, now, tolerance);
}

}  // namespace

TEST_CASE("comparison: the first element, both values, how many differ and by how much") {
    const auto found = compare(torch::tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}),
                               torch::tensor({{1.0, 2.0, 3.5}, {4.0, 7.0, 6.0}}));
    REQUIRE(found);
    CHECK(found->element == std::vector<std::int64_t>{0, 2});
    CHECK(found->recorded == "3");
    CHECK(found->now == "3.5");
    CHECK(found->differing == 2);
    CHECK(found->elements == 6);
    CHECK(found->largest == 2.0);
}

TEST_CASE("comparison: bit for bit, 0 and -0 differ, and not-a-number equals its own bits") {
    CHECK_FALSE(compare(torch::tensor({kNan, 1.0}), torch::tensor({kNan, 1.0})));
    const auto found = compare(torch::tensor({0.0}), torch::tensor({-0.0}));
    REQUIRE(found);
    CHECK(found->recorded == "0");
    CHECK(found->now == "-0");
    CHECK(found->largest == 0);
}

TEST_CASE("comparison: within a tolerance, |now - recorded| <= absolute + relative |recorded|") {
    struct Case {
        double recorded;
        double now;
        bool is_equal;
    };
    // 0.25 + 0.5 * |recorded|: 1.25 for 2, 0.25 for 0
    const ReplayTolerance tolerance{.relative = 0.5, .absolute = 0.25};
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const Case& c : std::vector<Case>{{2, 3.25, true},
                                           {2, 3.26, false},
                                           {2, 0.75, true},
                                           {2, 0.74, false},
                                           {0, 0.25, true},
                                           {0, 0.26, false},
                                           {-2, -3.25, true},
                                           {kNan, kNan, true},
                                           {kNan, 1, false},
                                           {1, kNan, false},
                                           {kInfinity, kInfinity, true},
                                           {kInfinity, -kInfinity, false},
                                           {kInfinity, 1, false}}) {
        CAPTURE(c.recorded);
        CAPTURE(c.now);
        CHECK(!compare(torch::tensor({c.recorded}), torch::tensor({c.now}), tolerance) ==
              c.is_equal);
    }
}

TEST_CASE("comparison: a tolerance is for numbers with a point alone") {
    const ReplayTolerance tolerance{.relative = 1, .absolute = 100};
    CHECK(compare(torch::tensor({1, 2}), torch::tensor({1, 3}), tolerance)->differing == 1);
    const auto found = compare(torch::tensor({true}), torch::tensor({false}), tolerance);
    CHECK(found->recorded == "true");
    CHECK(found->now == "false");
}

TEST_CASE("comparison: another type, another shape and nothing at all differ as a whole") {
    struct Case {
        at::Tensor recorded;
        at::Tensor now;
        const char* texts;
    };
    const at::Tensor two = torch::tensor({1.5F, 2.5F});
    for (const Case& c : std::vector<Case>{{two, two.to(at::kDouble), "Float [2], Double [2]"},
                                           {two, two.view({2, 1}), "Float [2], Float [2, 1]"},
                                           {two, {}, "Float [2], none"},
                                           {{}, two, "none, Float [2]"}}) {
        const auto found = compare(c.recorded, c.now, ReplayTolerance{1, 1});
        REQUIRE(found);
        CHECK(found->recorded + ", " + found->now == c.texts);
        CHECK(found->element.empty());
    }
    CHECK_FALSE(compare({}, {}));
    CHECK_FALSE(compare(two.slice(0, 0, 0), two.slice(0, 0, 0)));
}

TEST_CASE("comparison: numbers are printed with the digits that tell them apart") {
    const float next = std::nextafter(0.1F, 1.0F);
    const auto found = compare(torch::tensor({0.1F}), torch::tensor({next}));
    CHECK(found->recorded == "0.1");
    CHECK(found->now == "0.10000001");
    CHECK(compare(torch::tensor({0.0F}), torch::tensor({-std::nanf("")}))->now == "nan");
}

TEST_CASE("comparison: texts differ by their place, or in their number") {
    using Texts = std::vector<std::string>;
    CHECK_FALSE(difference_of(Texts{"a", "b"}, Texts{"a", "b"}));
    const auto found = difference_of(Texts{"a", "b", "c"}, Texts{"a", "x", "y"});
    REQUIRE(found);
    CHECK(found->element == std::vector<std::int64_t>{1});
    CHECK(found->recorded == "\"b\"");
    CHECK(found->now == "\"x\"");
    CHECK(found->differing == 2);
    CHECK(found->elements == 3);
    const auto counts = difference_of(Texts{"a"}, Texts{"a", "b"});
    CHECK(counts->recorded == "1 strings");
    CHECK(counts->now == "2 strings");
}

}  // namespace replay_report_test
