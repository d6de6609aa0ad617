// A run whose files may not grow beyond a size (RLIMIT_FSIZE): whichever write fails, the run says
// so in one sentence, nothing that is half written counts as whole, and a resume makes it whole.

#include "runs/interrupted.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace file_size_test {

namespace fs = std::filesystem;

using ptp::test::ExperimentFolder;
using ptp::test::ptprun;

namespace {

// $1 PTPRUN, $2 FOLDER, $3 NAME, $4 LIMIT, then options: trains with the limit from the first
// episode on, after the copies of the plugins, which are larger than all else, were made.
constexpr const char* kLimitedLater = R"(
ptprun=$1 folder=$2 name=$3 limit=$4
shift 4
export OMP_NUM_THREADS=1
unset PTP_PLUGIN_PATH
rm -f "$folder/pipe"; mkfifo "$folder/pipe"  # standard error is not a file that may not grow
cat "$folder/pipe" >"$folder/errors" &
reader=$!
"$ptprun" "$folder/experiment.toml" --run-dir "$folder/$name" --paused --quiet "$@" >/dev/null 2>"$folder/pipe" &
run=$!
until "$ptprun" control "$folder/$name" status >/dev/null 2>&1; do kill -0 $run || break; done
prlimit --pid $run --fsize=$limit
"$ptprun" control "$folder/$name" checkpoint >/dev/null 2>"$folder/said"
"$ptprun" control "$folder/$name" continue >/dev/null 2>&1
wait $run
code=$?
wait $reader
exit $code
)";

// $1 FOLDER, $2 LIMIT, then a command: gives its status; $1/errors is what it said.
constexpr const char* kLimited = R"(
folder=$1 limit=$2
shift 2
export OMP_NUM_THREADS=1
unset PTP_PLUGIN_PATH
{ prlimit --fsize=$limit "$@" 2>&1 >/dev/null; echo $? >"$folder/status"; } | cat >"$folder/errors"
exit $(cat "$folder/status")
)";

std::string quoted(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += " '" + word + "'";
    }
    return text;
}

int run_script(const ExperimentFolder& folder, const char* script,
               const std::vector<std::string>& words) {
    std::ofstream(folder.path() / "script") << script;
    const int status = std::system(
        ("sh " + (folder.path() / "script").string() + quoted(words) + " 2>/dev/null").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Runs ptprun with the limit from its start on.
int run_limited(const ExperimentFolder& folder, std::uintmax_t limit,
                const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {folder.path().string(), std::to_string(limit),
                                      (ptp::test::build_dir() / "bin/ptprun").string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_script(folder, kLimited, words);
}

int train_limited(const ExperimentFolder& folder, const std::string& name, std::uintmax_t limit) {
    std::vector<std::string> words = {(ptp::test::build_dir() / "bin/ptprun").string(),
                                      folder.path().string(), name, std::to_string(limit)};
    words.insert(words.end(), ptp::test::often().begin(), ptp::test::often().end());
    return run_script(folder, kLimitedLater, words);
}

// One byte less than each file has that the run writes, so that its last write fails.
std::vector<std::uintmax_t> limits_of(const fs::path& run) {
    std::set<std::uintmax_t> sizes;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(run)) {
        const bool is_plugin = entry.path().parent_path() == run / "plugins";
        if (entry.is_regular_file() && entry.file_size() > 0 && !is_plugin) {
            sizes.insert(entry.file_size() - 1);
        }
    }
    return {sizes.begin(), sizes.end()};
}

void check_checkpoints(const fs::path& run) {
    for (const fs::directory_entry& entry : fs::directory_iterator(run / "checkpoints")) {
        if (entry.path().extension() != ".new" && entry.path().extension() != ".old") {
            CAPTURE(entry.path().string());
            CHECK(std::system(("cd " + entry.path().string() +
                               " && sha256sum --quiet -c SHA256SUMS >/dev/null 2>&1")
                                  .c_str()) == 0);
        }
    }
}

void check_limited(const ExperimentFolder& folder, std::uintmax_t limit) {
    CAPTURE(limit);
    const std::string name = "limited";
    const int status = train_limited(folder, name, limit);
    const std::string errors = folder.read("errors");
    CAPTURE(errors);
    check_checkpoints(folder.run_folder(name));
    if (status != 0) {
        CHECK(status == 5);
        CHECK(errors.find("ptprun: error: cannot write ") != std::string::npos);
        CHECK(errors.ends_with(": File too large\n"));
        const auto again = ptprun({"resume", folder.run_folder(name), "--quiet"});
        CAPTURE(again.errors);
        CHECK(again.status == 0);
        check_checkpoints(folder.run_folder(name));
    }
    for (const std::string file :
         {"training.csv", "training_epochs.csv", "validation.csv", "test.csv", "statistics.jsonl",
          "checkpoints/last/weights.safetensors"}) {
        CAPTURE(file);
        // A run that ended well with rows that wait has them in its checkpoint.
        CHECK(((status == 0 && file == "statistics.jsonl") ||
               folder.read(fs::path(name) / file) == folder.read(fs::path("plain") / file)));
    }
    fs::remove_all(folder.path() / name);
}

}  // namespace

TEST_CASE("file size: whichever file of a training may not grow, nothing half written counts") {
    const ExperimentFolder folder(ptp::test::stateful(2));
    REQUIRE(train_limited(folder, "plain", std::uintmax_t{1} << 40U) == 0);
    REQUIRE(folder.read("said").empty());
    const std::vector<std::uintmax_t> limits = limits_of(folder.path() / "plain");
    REQUIRE(limits.size() > 10);
    for (std::size_t i = 0; i < limits.size(); i += 3) {
        check_limited(folder, limits[i]);
    }
}

TEST_CASE("file size: a run that may write next to nothing from its start on says so") {
    const ExperimentFolder folder;
    for (const std::uint64_t limit : {0, 1, 60, 600, 6000, 60000}) {
        CAPTURE(limit);
#if defined(__SANITIZE_THREAD__)
        if (limit == 0) {
            MESSAGE("not run: the sanitizer makes a file of its own before the program begins");
            continue;
        }
#endif
        const std::string name = "from_start_" + std::to_string(limit);
        const int status = run_limited(
            folder, limit,
            {(folder.path() / "experiment.toml").string(), "--run-dir", folder.run_folder(name)});
        const std::string errors = folder.read("errors");
        CAPTURE(errors);
        CHECK(status >= 3);
        CHECK(status <= 5);
        CHECK((errors.starts_with("ptprun: error: ") ||
               errors.find("\nptprun: error: ") != std::string::npos));
        CHECK(errors.find(": File too large") != std::string::npos);
        CHECK_FALSE(folder.has(fs::path(name) / "checkpoints/last"));
    }
}

TEST_CASE("file size: what is exported is whole, or said not to be") {
    const ExperimentFolder folder({.pipeline = "[pipeline.export]\ntype = \"StreamFileExporter\"\n"
                                               "input_streams = [\"indices\"]\n"});
    REQUIRE(folder.run("plain", {"--quiet"}).status == 0);
    for (const std::uint64_t limit : {10, 100, 1000}) {
        CAPTURE(limit);
        const int status =
            run_limited(folder, limit,
                        {"process", folder.run_folder("plain"), "--quiet", "--run-dir",
                         folder.run_folder("processed_" + std::to_string(limit))});
        const std::string errors = folder.read("errors");
        CAPTURE(errors);
        CHECK(status >= 3);
        CHECK(status <= 5);
        CHECK(errors.find(": File too large") != std::string::npos);
    }
}

}  // namespace file_size_test
