// Each experiment runs to its end, on a few samples.

#include "support.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

namespace run_test {

TEST_CASE("configs: each trains, validates and tests") {
    for (const std::string& name : ptp::test::experiments()) {
        CAPTURE(name);
        const ptp::test::TempFolder folder;
        const auto options = ptp::test::write_data_for(name, folder.path() / "data");
        std::vector<std::string> arguments{(ptp::test::configs_dir() / name).string(), "--run-dir",
                                           (folder.path() / "run").string()};
        if (options.empty()) {
            arguments.emplace_back("--fast-dev-run");
        } else {
            arguments.insert(arguments.end(),
                             {"--set", "training.terminal_conditions.epoch_limit=2"});
        }
        arguments.insert(arguments.end(), options.begin(), options.end());
        const auto result = ptp::test::run_program("ptprun", arguments);
        if (result.status == 4 && options.empty()) {
            MESSAGE(name << ": its data are not there");
            continue;
        }
        CAPTURE(result.errors);
        CHECK(result.status == 0);
        CHECK(std::filesystem::exists(folder.path() / "run/status.json"));
    }
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
