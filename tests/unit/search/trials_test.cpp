#include "ptp-search/trials.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace trials_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::search;

namespace {

SearchRange range_of(Distribution distribution, std::vector<Value> values) {
    return {.key = "a.lr", .distribution = distribution, .values = std::move(values)};
}

}  // namespace

TEST_CASE("trials: the values are those of tests/golden/search_trials.py") {
    struct Row {
        double uniform, log_uniform;
        std::int64_t integer, log_integer, choice;
    };
    const Row rows[] = {{0.299783, 0.00079314, 4, 2, 2},
                        {0.699857, 0.0125768, 4, 15, 1},
                        {0.305275, 0.000823804, 4, 2, 1},
                        {0.0575608, 0.000148827, 7, 1, 2}};
    const std::uint64_t seed = 7;
    for (std::size_t i = 0; i < std::size(rows); ++i) {
        CAPTURE(i);
        const Row& row = rows[i];
        CHECK(drawn(range_of(Distribution::kUniform, {0.0, 1.0}), seed, i) == Value(row.uniform));
        CHECK(drawn(range_of(Distribution::kLogUniform, {1e-4, 0.1}), seed, i) ==
              Value(row.log_uniform));
        CHECK(drawn(range_of(Distribution::kInteger, {3, 7}), seed, i) == Value(row.integer));
        CHECK(drawn(range_of(Distribution::kLogInteger, {1, 64}), seed, i) ==
              Value(row.log_integer));
        CHECK(drawn(range_of(Distribution::kChoice, {0, 1, 2}), seed, i) == Value(row.choice));
    }
}

TEST_CASE("trials: narrow ranges have as many values, by tests/golden/search_trials.py") {
    struct Row {
        double beta, large, negative;
    };
    const Row rows[] = {{0.99999269805, 1000002.9978, -0.1070022},
                        {0.99999629871, 1000006.9986, -0.1030014},
                        {0.99999274747, 1000003.0527, -0.1069473},
                        {0.99999051805, 1000000.5756, -0.1094244}};
    for (std::size_t i = 0; i < std::size(rows); ++i) {
        CAPTURE(i);
        CHECK(drawn(range_of(Distribution::kUniform, {0.99999, 0.999999}), 7, i) ==
              Value(rows[i].beta));
        CHECK(drawn(range_of(Distribution::kUniform, {1e6, 1000010.0}), 7, i) ==
              Value(rows[i].large));
        CHECK(drawn(range_of(Distribution::kUniform, {-0.11, -0.1}), 7, i) ==
              Value(rows[i].negative));
    }
}

TEST_CASE("trials: ranges have both of their ends, and nothing else is drawn") {
    std::set<std::int64_t> integers;
    std::set<std::int64_t> logs;
    for (std::size_t i = 0; i < 200; ++i) {
        integers.insert(drawn(range_of(Distribution::kInteger, {-1, 1}), 1, i).as_integer());
        logs.insert(drawn(range_of(Distribution::kLogInteger, {1, 4}), 1, i).as_integer());
        const double narrow =
            drawn(range_of(Distribution::kUniform, {1.0000001, 1.0000002}), 1, i).as_real();
        CHECK(narrow >= 1.0000001);
        CHECK(narrow <= 1.0000002);
    }
    CHECK(integers == std::set<std::int64_t>{-1, 0, 1});
    CHECK(logs == std::set<std::int64_t>{1, 2, 3, 4});
    const auto all = range_of(Distribution::kInteger, {INT64_MIN, INT64_MAX});
    CHECK(drawn(all, 1, 0) != drawn(all, 1, 1));
}

TEST_CASE("trials: the decades of a logarithmic range are equally likely") {
    std::size_t counts[3] = {};
    for (std::size_t i = 0; i < 3000; ++i) {
        const double lr = drawn(range_of(Distribution::kLogUniform, {1e-4, 0.1}), 5, i).as_real();
        ++counts[lr < 1e-3 ? 0 : lr < 1e-2 ? 1 : 2];
    }
    for (const std::size_t count : counts) {  // 1000 +- 26; five deviations
        CHECK(count > 870);
        CHECK(count < 1130);
    }
}

TEST_CASE("trials: neither other keys nor more trials change a trial") {
    const SearchRange lr = {.key = "training.optimizer.lr",
                            .distribution = Distribution::kLogUniform,
                            .values = {1e-4, 0.1}};
    const SearchRange type = {.key = "training.optimizer.type",
                              .distribution = Distribution::kChoice,
                              .values = {"SGD", "Adam"}};
    const auto few = trials_of({.trials = 3, .space = {lr}}, 1);
    const auto many = trials_of({.trials = 5, .space = {type, lr}}, 1);
    REQUIRE(few.size() == 3);
    REQUIRE(many.size() == 5);
    for (std::size_t i = 0; i < few.size(); ++i) {
        CHECK(few[i].overrides[0] == many[i].overrides[1]);
    }
    CHECK(trials_of({.trials = 3, .space = {lr}}, 2)[0].overrides != few[0].overrides);
}

TEST_CASE("trials: overrides are TOML, labels are short") {
    const Searching search = {
        .trials = 1,
        .space = {{"a.x", Distribution::kChoice, {"with space"}},
                  {"b.x", Distribution::kChoice, {Value::list({1, 2})}},
                  {"c.only", Distribution::kChoice, {Value::table({{"type", "SGD"}})}}}};
    const auto trials = trials_of(search, 1);
    CHECK(trials[0].overrides == std::vector<std::string>{"a.x=\"with space\"", "b.x=[1, 2]",
                                                          "c.only={ type = \"SGD\" }"});
    CHECK(trials[0].label == "a.x=with space b.x=[1, 2] only={ type = \"SGD\" }");
}

}  // namespace trials_test
