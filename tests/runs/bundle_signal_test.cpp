// A signal that ends a program which uses a bundle: what was laid out goes first, or the next
// program removes it.

#include "base/temporary_folders.hpp"
#include "runs/bundled.hpp"
#include "runs/training_process.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

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

TEST_CASE("bundle: what a ptprun that was killed has left is removed by the next one") {
    const Bundled bundled;
    const fs::path temporary = bundled.path() / "tmp";
    fs::create_directories(temporary);
    const std::vector<std::string> words = {"predict", bundled.model(), "--data", "test",
                                            "--quiet"};
    TrainingProcess killed(words, {{"TMPDIR", temporary.string()}});
    while (!has_bundle(temporary)) {
        REQUIRE(killed.read_for(1));
    }
    CHECK(killed.end_with(SIGKILL) == 128 + SIGKILL);
    CHECK(has_bundle(temporary));
    TrainingProcess next(words, {{"TMPDIR", temporary.string()}});
    CHECK(next.end_with(0) == 0);
    CHECK(fs::is_empty(temporary));
    CHECK(fs::exists(bundled.model()));
}

TEST_CASE(
    "bundle: what a packing that was killed has left beside the file goes with the next one") {
    const Bundled bundled;
    const pid_t ended = fork();
    REQUIRE(ended >= 0);
    if (ended == 0) {
        _exit(0);
    }
    waitpid(ended, nullptr, 0);
    const std::string part = bundled.model() + ".new-" + ptp::boot_mark(bundled.path()) + "-";
    const std::string of_another = part + std::to_string(getpid());
    for (const std::string& file : {part + std::to_string(ended), of_another}) {
        ptp::test::write_content(file, "half");
    }
    REQUIRE(ptp::test::ptprun({"bundle", bundled.run(), "-o", bundled.model()}).status == 0);
    CHECK_FALSE(fs::exists(part + std::to_string(ended)));
    CHECK(fs::exists(of_another));
}

}  // namespace bundle_signal_test
