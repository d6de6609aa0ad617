// Runs that may open few files, or write small ones: each ends with a plain message or continues
// with whole checkpoints, and nothing that is half written counts as whole.

#include "runs/few_descriptors.hpp"
#include "runs/interrupted.hpp"
#include "runs/support.hpp"
#include "support/some_of.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace limits_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

ProcessResult train(const ExperimentFolder& folder, const std::string& name, const Limit& limit) {
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(), "--run-dir",
                                          folder.run_folder(name), "--quiet"};
    arguments.insert(arguments.end(), ptp::test::often().begin(), ptp::test::often().end());
    return run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}}, {limit});
}

ProcessResult resume_limited(const ExperimentFolder& folder, const std::string& name,
                             const std::vector<Limit>& limits = {}) {
    return run_program("ptprun", {"resume", folder.run_folder(name), "--quiet"},
                       {{"OMP_NUM_THREADS", "1"}}, limits);
}

// Ended by itself, with a code of its own and one sentence after its warnings.
void check_plain_failure(const ProcessResult& result) {
    CHECK(result.status >= 2);
    CHECK(result.status <= 5);
    // Of the program, or of the experiment that it cannot read: what else reads files at the start
    // may have taken the last descriptor.
    const std::string errors = ptp::test::without_warnings(result.errors, "");
    const std::size_t error = errors.find("error: ");
    REQUIRE(error != std::string::npos);
    const std::string before = errors.substr(0, error);
    CHECK((before == "ptprun: " || before.ends_with("experiment.toml: ")));
    CHECK(errors.find("error: ", error + 1) == std::string::npos);
}

// What is named as a checkpoint is one.
void check_checkpoints(const fs::path& run) {
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(run / "checkpoints", none)) {
        if (entry.path().extension() != ".new" && entry.path().extension() != ".old") {
            CAPTURE(entry.path().string());
            CHECK(std::system(("cd " + entry.path().string() +
                               " && sha256sum --quiet -c SHA256SUMS >/dev/null 2>&1")
                                  .c_str()) == 0);
        }
    }
    CHECK_FALSE(fs::exists(run / "checkpoints/last.damaged"));
}

// The tables of a run that was carried to its end equal the undisturbed run's.
void check_same_tables(const ExperimentFolder& folder, const std::string& name) {
    for (const char* table :
         {"training.csv", "training_epochs.csv", "validation.csv", "test.csv"}) {
        CAPTURE(table);
        CHECK(folder.read(fs::path(name) / table) == folder.read(fs::path("plain") / table));
    }
}

// A run with a limit, and what must hold whatever becomes of it.
void check_limited(const ExperimentFolder& folder, const std::string& name, const Limit& limit) {
    CAPTURE(limit.value);
    const ProcessResult result = train(folder, name, limit);
    CAPTURE(result.errors);
    check_checkpoints(folder.run_folder(name));
    if (result.status == 0) {
        check_same_tables(folder, name);
        return;
    }
    check_plain_failure(result);
    if (folder.has(fs::path(name) / "experiment.toml")) {
        // Nothing that was good is given up by a resume that lacks the same.
        const ProcessResult again = resume_limited(folder, name, {limit});
        CAPTURE(again.errors);
        check_checkpoints(folder.run_folder(name));
        if (again.status != 0) {
            const ProcessResult last = resume_limited(folder, name);
            CAPTURE(last.errors);
            CHECK(last.status == 0);
        }
        check_same_tables(folder, name);
    }
    fs::remove_all(folder.path() / name);
}

}  // namespace

TEST_CASE("limits: with few descriptors a run ends plainly or does all, and can be resumed") {
    ptp::test::pass_on_no_descriptors();
    const ExperimentFolder folder;
    REQUIRE(train(folder, "plain", {RLIMIT_NOFILE, 1024}).status == 0);
    std::vector<std::uint64_t> limits = {20, 24, 32, 48, 64};
    for (std::uint64_t limit = 8; limit < 18; ++limit) {
        limits.push_back(limit);
    }
    for (const std::uint64_t limit : ptp::test::some_of(limits, 3)) {
        check_limited(folder, "n" + std::to_string(limit), {RLIMIT_NOFILE, limit});
    }
}

}  // namespace limits_test
