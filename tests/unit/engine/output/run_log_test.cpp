
#include "base/error.hpp"
#include "engine/output/console.hpp"
#include "support/memory_console.hpp"
#include "support/small_files.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace run_log_test {

using ptp::engine::Console;
using ptp::engine::Verbosity;
using namespace ptp::test;

TEST_CASE("run log: a line is in the file as soon as it is written, whatever its level") {
    const TempFolder folder;
    MemoryConsole terminal;
    Console& console = terminal.console;
    const auto log = ptp::engine::new_log(folder.path() / "run.log", console, Verbosity::kNormal);
    log->debug("10 samples");
    CHECK(folder.read("run.log").ends_with(" debug ptp: 10 samples\n"));
    log->info("epoch 1");
    CHECK(folder.read("run.log").ends_with(" info ptp: epoch 1\n"));
}

TEST_CASE("run log: control characters of names from the data reach neither file nor terminal") {
    const TempFolder folder;
    MemoryConsole terminal({Verbosity::kVerbose, false, false});
    const auto log =
        ptp::engine::new_log(folder.path() / "run.log", terminal.console, Verbosity::kVerbose);
    log->debug("labels: \x1b[2Jb");
    CHECK(terminal.printed() == "labels: \\u001b[2Jb\n");
    CHECK(folder.read("run.log").ends_with(" debug ptp: labels: \\u001b[2Jb\n"));
}

TEST_CASE("run log: one that is not complete is reported once, whoever writes it") {
    const TempFolder folder;
    MemoryConsole terminal;
    Console& console = terminal.console;
    const std::string file = (folder.path() / "run.log").string();
    constexpr std::size_t kLong = 1000;
    folder.write("run.log", std::string(kLong, '-'));
    const auto log = ptp::engine::new_log(file, console, Verbosity::kNormal);
    const SmallFiles small(kLong);
    log->debug("10 samples");
    console.line_and_log("20 samples");
    log->debug("30 samples");
    CHECK(terminal.printed() == "warning: run.log is not complete: Failed writing to file " + file +
                                    ": File too large\n20 samples\n");
}

TEST_CASE("run log: one that cannot be made is named with the reason") {
    const TempFolder folder;
    MemoryConsole terminal;
    Console& console = terminal.console;
    const std::filesystem::path file = folder.path() / "absent/run.log";
    CHECK_THROWS_WITH_AS(ptp::engine::new_log(file, console, Verbosity::kNormal),
                         ("cannot write " + file.string() + ": No such file or directory").c_str(),
                         ptp::RunError);
}

}  // namespace run_log_test
