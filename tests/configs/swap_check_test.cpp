// Whatever an experiment consists of, its plugins can be exchanged for copies of themselves.

#include "support.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace swap_check_test {

TEST_CASE("configs: each has the same bits with its plugins exchanged for copies of themselves") {
    for (const std::string& name : ptp::test::experiments()) {
        CAPTURE(name);
        const ptp::test::TempFolder folder;
        const auto result = ptp::test::run_briefly(name, folder.path(), {"--swap-check", "3"});
        if (!result) {
            MESSAGE(name << ": its data are not there");
            continue;
        }
        CAPTURE(result->output);
        const bool was_swapped = std::filesystem::exists(folder.path() / "run/swapped.out");
        CAPTURE((was_swapped ? folder.read("run/swapped.out") : ""));
        CHECK(result->errors == "");
        CHECK(result->status == 0);
    }
}

}  // namespace swap_check_test
