// Each experiment runs to its end, on a few samples.

#include "run_each.hpp"
#include "support.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <string>

namespace run_test {

TEST_CASE("configs: each but those with VQA-Med trains, validates and tests") {
    auto experiments = ptp::test::experiments();
    std::erase_if(experiments,
                  [](const std::string& name) { return name.starts_with("vqa_med_2019/"); });
    ptp::test::run_each(experiments);
}

TEST_CASE("configs: a class count that only the data say does not keep a plugin from a swap") {
    const ptp::test::TempFolder folder;
    const auto result = ptp::test::run_briefly("image_folder/convnet_softmax.toml", folder.path(),
                                               {"--swap-check", "1"});
    REQUIRE(result.has_value());
    CAPTURE(result->output);
    CHECK(result->errors == "");
    CHECK(result->status == 0);
}

}  // namespace run_test
