#include "experiment/libtorch_version.hpp"

#include "optimization_text.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace precision_test {

using namespace ptp::experiment;
using ptp::experiment::test::experiment_text;
using ptp::experiment::test::problems_of;

TEST_CASE("precision: float16 is refused on the CPU where libtorch does not compute in it") {
    const std::string keys = experiment_text("type = 'Adam'", "precision = 'fp16'");
    CHECK(problems_of("device = 'cuda'\n" + keys) == "");
    CHECK(problems_of(keys) ==
          (is_from(libtorch_version(), kFirstWithFloat16)
               ? ""
               : "x.toml:5:13: training.precision = \"fp16\": not on the CPU, where libtorch " +
                     libtorch_version() +
                     " does not compute in float16 (from 2.4 on it does)\n"
                     "    fix: write precision = \"bf16\" (or give --device cuda)"));
}

TEST_CASE("precision: a switch of another program is a type of numbers") {
    const std::string keys = "device = 'cuda'\n" + experiment_text("type = 'Adam'");
    const auto said = [&](const std::string& given) { return problems_of(keys, {given}); };
    for (const std::string name : {"fp16", "amp", "mixed_precision"}) {
        CHECK(said(name + "=true") == "--set: " + name +
                                          ": unknown key\n    fix: --set "
                                          "'training.precision=\"fp16\"'");
    }
    CHECK(said("bf16=true") ==
          "--set: bf16: unknown key\n    fix: --set 'training.precision=\"bf16\"'");
    CHECK(said("fp16=false") == "--set: fp16: unknown key\n    fix: leave it out");
}

TEST_CASE("precision: 16 bits in another table are those that the device has") {
    const std::string keys = experiment_text("type = 'Adam'");
    const bool has_float16 = is_from(libtorch_version(), kFirstWithFloat16);
    for (const char* value : {"'fp16'", "'float16'", "'half'", "16", "'16-mixed'"}) {
        CAPTURE(value);
        const std::string given = std::string("precision=") + value;
        CHECK(problems_of(keys, {given}) == (has_float16
                                                 ? "--set: precision: unknown key\n"
                                                   "    fix: --set 'training.precision=\"fp16\"'"
                                                 : "--set: precision: unknown key; \"fp16\" "
                                                   "needs --device cuda\n    fix: --set "
                                                   "'training.precision=\"bf16\"'"));
        CHECK(problems_of("device = 'cuda'\n" + keys, {given}) ==
              "--set: precision: unknown key\n    fix: --set 'training.precision=\"fp16\"'");
    }
}

}  // namespace precision_test
