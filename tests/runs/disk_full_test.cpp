// A disk that has no room left.

#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace disk_full_test {

namespace fs = std::filesystem;

using ptp::test::ExperimentFolder;
using ptp::test::run_on_disk;

namespace {

// Once the run has copied its plugins, the disk has 256 KiB left: room for some
// checkpoints of 30 KiB each, and rows fill it.
constexpr const char* kDisk = "-o size=256M";

constexpr const char* kFull = R"(
"$1" "$2/experiment.toml" --quiet --paused --run-dir /mnt/run 2> "$2/errors" &
until "$1" control /mnt/run status; do kill -0 $! || exit 98; done
left=$(df --block-size=1 --output=avail /mnt | tail -n 1)
head -c $((left - 262144)) /dev/zero > /mnt/fill
"$1" control /mnt/run continue
wait $!
code=$?
(cd /mnt/run/checkpoints/last && sha256sum --quiet -c SHA256SUMS) || exit 99
cp /mnt/run/status.json "$2/run/"
exit $code
)";

// The disk is full during the first episodes, and has room again before the first
// checkpoint.
constexpr const char* kFullForAWhile = R"(
set -e
"$1" "$2/experiment.toml" --quiet --paused --run-dir /mnt/run &
until "$1" control /mnt/run status; do kill -0 $!; done
cat /dev/zero > /mnt/fill || true
"$1" control /mnt/run continue 4
until "$1" control /mnt/run status --all | grep -q '^episode = 4'; do kill -0 $!; done
rm /mnt/fill
"$1" control /mnt/run continue
wait $!
cp -r /mnt/run "$2/run"
)";

// The disk has 320 KiB left: room for the checkpoints, and none for a report beside
// them.
constexpr const char* kFullForReports = R"(
"$1" "$2/experiment.toml" --quiet --paused --run-dir /mnt/run 2> "$2/errors" &
until "$1" control /mnt/run status; do kill -0 $! || exit 98; done
left=$(df --block-size=1 --output=avail /mnt | tail -n 1)
head -c $((left - 327680)) /dev/zero > /mnt/fill
"$1" control /mnt/run continue
wait $!
code=$?
cp -r /mnt/run "$2/run"
exit $code
)";

}  // namespace

TEST_CASE("disk full: the run says so, and the checkpoint before stays whole") {
    if (!ptp::test::can_mount()) {
        return;
    }
    const ExperimentFolder folder({.training =
                                       "optimizer = { type = \"Adam\", lr = 0.01 }\n"
                                       "terminal_conditions = { epoch_limit = 100000, "
                                       "early_stop_validations = 0, loss_stop_threshold = 0.0 }\n",
                                   .has_test = false});
    fs::create_directory(folder.path() / "run");
    CHECK(run_on_disk(folder, kDisk, kFull) == 5);
    CHECK(ptp::test::status_in(folder.path() / "run").starts_with("failed: cannot "));
    const std::string errors = folder.read("errors");
    CHECK(errors.starts_with("ptprun: error: cannot "));
    CHECK(errors.find(": No space left on device\n") != std::string::npos);
}

TEST_CASE("disk full: rows wait for room, and none is lost") {
    if (!ptp::test::can_mount()) {
        return;
    }
    const ExperimentFolder folder({.pipeline = "[records.json_lines]\nevery_episodes = 1\n"});
    REQUIRE(run_on_disk(folder, kDisk, kFullForAWhile) == 0);
    CHECK(
        folder.read("said").find(
            "warning: cannot write /mnt/run/training.csv: No space left on device; its rows wait "
            "in memory, until there is room or a checkpoint is due, which cannot be saved without "
            "them\n") != std::string::npos);
    REQUIRE(folder.run("plain").status == 0);
    for (const char* table :
         {"training.csv", "training_epochs.csv", "validation.csv", "statistics.jsonl"}) {
        CHECK(folder.read(fs::path("run") / table) == folder.read(fs::path("plain") / table));
    }
}

TEST_CASE("disk full: a report without room is a warning, and the training keeps its bits") {
    if (!ptp::test::can_mount()) {
        return;
    }
    const ExperimentFolder folder;
    REQUIRE(folder.run("plain").status == 0);
    folder.write({.pipeline = "[report]\nevery_epochs = 1\nmax_share = 1.0\n"});
    CHECK(run_on_disk(folder, kDisk, kFullForReports) == 0);
    CHECK(folder.read("errors").find("warning: the report was not written, the training is as it "
                                     "is: the disk has less than 64 MiB left; to write it: ptprun "
                                     "report /mnt/run") != std::string::npos);
    CHECK(folder.read("errors").find("warning: the report was not written, the training is as it "
                                     "is: ptp-report ended with exit code 5") != std::string::npos);
    CHECK(!folder.has("run/report.html"));
    for (const char* file :
         {"training.csv", "validation.csv", "test.csv", "checkpoints/last/weights.safetensors"}) {
        CHECK(folder.read(fs::path("run") / file) == folder.read(fs::path("plain") / file));
    }
}

}  // namespace disk_full_test
