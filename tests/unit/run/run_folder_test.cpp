#include "run/run_folder.hpp"

#include "base/error.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

namespace run_folder_test {

using ptp::run::make_folder;
using ptp::test::TempFolder;

constexpr std::chrono::system_clock::time_point kAnyTime{};

TEST_CASE("run folder: one with the logs of processes alone is as good as empty") {
    const TempFolder folder;
    folder.write("ranks/1.log", "could not begin");
    CHECK(make_folder(folder.path(), "runs", kAnyTime) == folder.path());
    folder.write("experiment.toml", "");
    CHECK_THROWS_WITH_AS(make_folder(folder.path(), "runs", kAnyTime),
                         ("the run folder " + folder.path().string() +
                          " is there already and not empty; name another one, or none to get a new "
                          "one")
                             .c_str(),
                         ptp::RunError);
}

}  // namespace run_folder_test
