// Each experiment with VQA-Med runs to its end, on a few samples: those that answer one category.
// Two files, so that two processes share them.

#include "run_each.hpp"

#include <doctest/doctest.h>

#include <string>

namespace run_vqa_med_test {

TEST_CASE("configs: each with VQA-Med trains and validates, of those that answer one category") {
    ptp::test::run_each([](const std::string& name) {
        return name.starts_with("vqa_med_2019/") &&
               name.find("_classification/") != std::string::npos;
    });
}

}  // namespace run_vqa_med_test
