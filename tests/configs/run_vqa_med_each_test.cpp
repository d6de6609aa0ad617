// Each experiment with VQA-Med runs to its end, on a few samples.

#include "run_each.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

namespace run_vqa_med_each_test {

TEST_CASE("configs: each with VQA-Med trains and validates") {
    ptp::test::run_each(ptp::test::experiments("vqa_med_2019/"));
}

}  // namespace run_vqa_med_each_test
