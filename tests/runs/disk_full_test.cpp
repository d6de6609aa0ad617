// A disk that has no room left.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace disk_full_test {

namespace fs = std::filesystem;

using ptp::test::ExperimentFolder;
using ptp::test::run_isolated;

namespace {

// PTPRUN FOLDER: the disk is full during the first episodes, and has room again before the first
// checkpoint.
constexpr const char* kFullForAWhile = R"(
set -e
export OMP_NUM_THREADS=1
mount -t tmpfs -o size=256M none /mnt
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

}  // namespace

TEST_CASE("disk full: the run says so, and the checkpoint before stays whole") {
    if (run_isolated("mount -t tmpfs none /mnt") != 0) {
        MESSAGE("skipped: this machine lets nobody mount a tmpfs of his own");
        return;
    }
    const ExperimentFolder folder;
    folder.write({.training = "optimizer = { type = \"Adam\", lr = 0.01 }\n"
                              "terminal_conditions = { epoch_limit = 100000, "
                              "early_stop_validations = 0, loss_stop_threshold = 0.0 }\n",
                  .has_test = false});
    const std::string program = (ptp::test::build_dir() / "bin" / "ptprun").string();
    const std::string path = folder.path().string();
    // Room for the copies of all plugins and a little more; a checkpoint takes some 30 KiB, and
    // rows fill what is left.
    std::uintmax_t size = std::uintmax_t{256} * 1024;
    for (const fs::directory_entry& plugin :
         fs::recursive_directory_iterator(ptp::test::build_dir() / "lib/ptp/plugins")) {
        size += plugin.is_regular_file() ? plugin.file_size() : 0;
    }
    const std::string command =
        "mount -t tmpfs -o size=" + std::to_string(size) +
        " none /mnt && "
        "OMP_NUM_THREADS=1 " +
        program + " " + path + "/experiment.toml --quiet --run-dir /mnt/run 2> " + path +
        "/errors; code=$?; (cd /mnt/run/checkpoints/last && sha256sum --quiet -c SHA256SUMS) || "
        "exit 99; cp /mnt/run/status.json " +
        path + "/run/; exit $code";
    fs::create_directory(folder.path() / "run");
    CHECK(run_isolated(command) == 5);
    CHECK(ptp::test::status_in(folder.path() / "run").starts_with("failed: cannot "));
    const std::string errors = folder.read("errors");
    CHECK(errors.starts_with("ptprun: error: cannot "));
    CHECK(errors.find(": No space left on device\n") != std::string::npos);
}

TEST_CASE("disk full: rows wait for room, and none is lost") {
    if (run_isolated("mount -t tmpfs none /mnt") != 0) {
        MESSAGE("skipped: this machine lets nobody mount a tmpfs of his own");
        return;
    }
    const ExperimentFolder folder;
    folder.write({.pipeline = "[records.json_lines]\nevery_episodes = 1\n"});
    const std::string path = folder.path().string();
    std::ofstream(folder.path() / "script") << kFullForAWhile;
    const std::string program = (ptp::test::build_dir() / "bin" / "ptprun").string();
    REQUIRE(run_isolated("sh " + path + "/script " + program + " " + path + " > " + path +
                         "/said 2>&1") == 0);
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

}  // namespace disk_full_test
