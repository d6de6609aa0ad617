// A signal that ends a program which uses a bundle: what was laid out goes first.

#include "runs/bundled.hpp"
#include "runs/training_process.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

namespace bundle_signal_test {

namespace fs = std::filesystem;

using ptp::test::Bundled;
using ptp::test::TrainingProcess;

namespace {

bool has_bundle(const fs::path& temporary) {
    return std::ranges::any_of(fs::directory_iterator(temporary), [](const auto& entry) {
        return fs::is_symlink(entry.path() / "checkpoints/last");
    });
}

}  // namespace

TEST_CASE("bundle: a signal that ends ptprun leaves nothing of it in the temporary folder") {
    const Bundled bundled;
    const fs::path temporary = bundled.path() / "tmp";
    fs::create_directories(temporary);
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
        CAPTURE(signal);
        TrainingProcess process({"predict", bundled.model(), "--data", "test", "--quiet"},
                                {{"TMPDIR", temporary.string()}});
        while (!has_bundle(temporary)) {
            REQUIRE(process.read_for(1));
        }
        CHECK(process.end_with(signal) == 128 + signal);
        CHECK(fs::is_empty(temporary));
    }
}

}  // namespace bundle_signal_test
