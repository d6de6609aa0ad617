// Each experiment with VQA-Med runs to its end, on a few samples: those that answer several.
// Two files, so that two processes share them.

#include "run_each.hpp"

#include <doctest/doctest.h>

#include <string>

namespace run_vqa_med_together_test {

TEST_CASE("configs: each with VQA-Med trains and validates, of those that answer several") {
    ptp::test::run_each([](const std::string& name) {
        return name.starts_with("vqa_med_2019/") &&
               name.find("_classification/") == std::string::npos;
    });
}

}  // namespace run_vqa_med_together_test
