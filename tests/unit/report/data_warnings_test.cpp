// Sections of data that differ, with counts for which the limits are computed by hand.

#include "ptp-report/sections.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace data_warnings_test {

using ptp::Json;
using ptp::report::data_warnings;

namespace {

Json section(const char* name, int read, const Json& stream) {
    return {{"section", name}, {"read", read}, {"streams", Json::array({stream})}};
}

Json reals(double mean, double deviation, const char* shape = "[4]", int not_finite = 0) {
    return {{"name", "inputs"},
            {"type", "float32"},
            {"shape", shape},
            {"numbers", {{"mean", mean}, {"deviation", deviation}}},
            {"not_finite", not_finite}};
}

Json classes(const Json& values) {
    return {{"name", "targets"}, {"type", "int64"}, {"shape", "[]"}, {"values", values}};
}

std::vector<std::string> between(const Json& training, const Json& test) {
    return data_warnings(
        {{"sections", {section("training", 100, training), section("test", 100, test)}}});
}

}  // namespace

TEST_CASE(
    "data: a mean that is more than a tenth of a deviation and three errors away is warned of") {
    // The limit is 0.1 * 2 + 3 * sqrt(4 / 100 + 4 / 100) = 1.0485.
    CHECK(between(reals(0, 2), reals(1.04, 2)).empty());
    CHECK(between(reals(0, 2), reals(1.05, 2)) ==
          std::vector<std::string>{"test, inputs: the mean is 1.05, in training 0 (deviation 2)"});
}

TEST_CASE("data: without the training the first section is what others are compared with") {
    CHECK(data_warnings({{"sections",
                          {section("test", 100, classes({{"a", 90}, {"b", 10}})),
                           section("validation", 100, classes({{"a", 99}, {"c", 1}}))}}}) ==
          std::vector<std::string>{"validation, targets: has no b, which is 10.0 % of test",
                                   "validation, targets: c is not in test"});
    CHECK(
        data_warnings({{"sections",
                        {section("test", 100, reals(0, 2)),
                         section("validation", 100, reals(1.05, 2, "[5]"))}}}) ==
        std::vector<std::string>{"validation, inputs: the shape is [5], in test [4]",
                                 "validation, inputs: the mean is 1.05, in test 0 (deviation 2)"});
}

TEST_CASE("data: another shape and numbers that are not finite are warned of") {
    CHECK(between(reals(0, 1), reals(0, 1, "[5]", 3)) ==
          std::vector<std::string>{"test, inputs: 3 numbers are not finite",
                                   "test, inputs: the shape is [5], in training [4]"});
}

TEST_CASE("data: shares of classes are compared with what 100 samples explain") {
    // With 50 and 70 in 100 each: 0.2 > 0.02 + 3 * sqrt(0.6 * 0.4 * 0.02) = 0.2278 is false; of 50
    // and 74: 0.24 > 0.02 + 3 * sqrt(0.62 * 0.38 * 0.02) = 0.2259.
    CHECK(between(classes({{"0", 50}, {"1", 50}}), classes({{"0", 30}, {"1", 70}})).empty());
    CHECK(between(classes({{"0", 50}, {"1", 50}}), classes({{"0", 26}, {"1", 74}})) ==
          std::vector<std::string>{"test, targets: 26.0 % are 0, in training 50.0 %",
                                   "test, targets: 74.0 % are 1, in training 50.0 %"});
}

TEST_CASE("data: a class that one section lacks is warned of, where ten were expected") {
    CHECK(between(classes({{"a", 91}, {"b", 9}}), classes({{"a", 100}})).empty());
    CHECK(between(classes({{"a", 90}, {"b", 10}}), classes({{"a", 99}, {"c", 1}})) ==
          std::vector<std::string>{"test, targets: has no b, which is 10.0 % of training",
                                   "test, targets: c is not in training"});
}

TEST_CASE("data: equal samples of two sections are warned of") {
    CHECK(data_warnings({{"equal",
                          {{{"first", "training"}, {"second", "test"}, {"count", 3}},
                           {{"first", "test"}, {"second", "test"}, {"count", 2}}}}}) ==
          std::vector<std::string>{"test: 3 samples are equal to samples of training",
                                   "test: 2 samples are equal to others"});
}

TEST_CASE("data: a file with anything else in it gives no warning") {
    for (const char* text :
         {"null", "[]", "7", R"({"sections": 3})", R"({"sections": [null, 3, {"streams": [7]}]})",
          R"({"sections": [{"streams": [{"values": {"a": "b"}}]}, {}]})"}) {
        CHECK(data_warnings(Json::parse(text)).empty());
    }
}

}  // namespace data_warnings_test
