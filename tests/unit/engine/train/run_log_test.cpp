#include "engine/train/run_log.hpp"

#include "engine/train/console.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <memory>
#include <string>

using ptp::engine::Console;
using ptp::engine::Verbosity;
using ptp::test::TempFolder;

TEST_CASE("run log: a line is in the file as soon as it is written, whatever its level") {
    const TempFolder folder;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(std::tmpfile(), &std::fclose);
    Console console(output.get(), {});
    const auto log = ptp::engine::new_log(folder.path() / "run.log", console, Verbosity::kNormal);
    log->debug("10 samples");
    CHECK(folder.read("run.log").ends_with(" debug ptp: 10 samples\n"));
    log->info("epoch 1");
    CHECK(folder.read("run.log").ends_with(" info ptp: epoch 1\n"));
}
