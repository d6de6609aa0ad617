#include "experiment/precision.hpp"

#include "optimization_text.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace precision_test {

using ptp::experiment::has_float16_on_cpu;
using ptp::experiment::test::experiment_text;
using ptp::experiment::test::problems_of;

TEST_CASE("precision: libtorch computes in float16 on the CPU from 2.4 on") {
    CHECK_FALSE(has_float16_on_cpu("1.13.1 (libtorch_cpu.so.1.13)"));
    CHECK_FALSE(has_float16_on_cpu("2.3.1 (libtorch_cpu.so)"));
    CHECK(has_float16_on_cpu("2.4.0 (libtorch_cpu.so)"));
    CHECK(has_float16_on_cpu("2.15.0+cpu"));
    CHECK(has_float16_on_cpu("3.0"));
}

TEST_CASE("precision: float16 is refused on the CPU where libtorch does not compute in it") {
    const std::string libtorch = PTP_TEST_LIBTORCH;
    const std::string keys = experiment_text("type = 'Adam'", "precision = 'fp16'");
    CHECK(problems_of("device = 'cuda'\n" + keys) == "");
    CHECK(problems_of(keys) ==
          (has_float16_on_cpu(libtorch)
               ? ""
               : "x.toml:5:13: training.precision = \"fp16\": not on the CPU, where libtorch " +
                     libtorch.substr(0, libtorch.find(' ')) +
                     " does not compute in float16 (from 2.4 on it does)\n"
                     "    fix: precision = \"bf16\", or --device cuda"));
}

}  // namespace precision_test
