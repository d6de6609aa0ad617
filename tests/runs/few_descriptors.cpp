#include "runs/few_descriptors.hpp"

#include <doctest/doctest.h>
#include <linux/close_range.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace ptp::test {

namespace {

ProcessResult run(const std::vector<std::string>& arguments, std::uint64_t limit) {
    return run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}}, {{RLIMIT_NOFILE, limit}});
}

// One sentence that names what could not be opened or searched, and the reason. Which file or
// folder it is depends on how far the thread is that opens libtorch meanwhile; each sentence has a
// test of its own.
void check_sentence(const ProcessResult& result, const fs::path& folder) {
    const std::string errors = without_folder(result.errors, folder);
    CAPTURE(errors);
    if (errors == "FOLDER/experiment.toml: error: cannot be opened: Too many open files\n") {
        CHECK(result.status == 2);
        return;
    }
    CHECK(result.status == 5);
    static const std::regex sentence(
        "(warning: this run cannot be controlled while it runs: [^\n]+\n|weights of [^\n]+\n)?"
        "ptprun: error: [^\n]*cannot [^\n]*: Too many open files\n"
        "(    fix: raise the limit of open files \\(ulimit -n\\)\n)?");
    CHECK(std::regex_match(errors, sentence));
}

constexpr std::uint64_t kMany = 1024;

}  // namespace

void pass_on_no_descriptors() {
    constexpr unsigned kFirst = 3;
    REQUIRE(::close_range(kFirst, ~0U, CLOSE_RANGE_CLOEXEC) == 0);
}

FewDescriptors::FewDescriptors() {
    pass_on_no_descriptors();
    folder_.write();
    require_success(folder_.run("plain", {"--quiet"}));
    REQUIRE(run({"process", folder_.run_folder("plain"), "--run-dir",
                 folder_.run_folder("processed"), "--quiet"},
                kMany)
                .status == 0);
    REQUIRE(run({"predict", folder_.run_folder("plain"), "--data", "test", "-o",
                 folder_.run_folder("predictions.csv")},
                kMany)
                .status == 0);
}

void FewDescriptors::check_training(std::uint64_t limit) const {
    CAPTURE(limit);
    const std::string name = "few";
    const ProcessResult result = run({(folder_.path() / "experiment.toml").string(), "--run-dir",
                                      folder_.run_folder(name), "--quiet"},
                                     limit);
    bool is_whole = result.status == 0;
    if (is_whole) {
        CHECK(without_warnings(result.errors, "this run cannot be controlled") == "");
    } else {
        check_sentence(result, folder_.path());
    }
    if (!is_whole && folder_.has(fs::path(name) / "experiment.toml")) {
        const ProcessResult again = run({"resume", folder_.run_folder(name), "--quiet"}, kMany);
        CHECK(without_warnings(again.errors, "the run has no checkpoint") == "");
        CHECK(again.status == 0);
        is_whole = true;
    }
    for (const char* table :
         {"training.csv", "training_epochs.csv", "validation.csv", "test.csv"}) {
        CAPTURE(table);
        CHECK((!is_whole ||
               folder_.read(fs::path(name) / table) == folder_.read(fs::path("plain") / table)));
    }
    fs::remove_all(folder_.run_folder(name));
}

void FewDescriptors::check_evaluation(std::uint64_t limit) const {
    CAPTURE(limit);
    const ProcessResult processed = run(
        {"process", folder_.run_folder("plain"), "--run-dir", folder_.run_folder("few"), "--quiet"},
        limit);
    if (processed.status == 0) {
        CHECK(folder_.read("few/test.csv") == folder_.read("processed/test.csv"));
    } else {
        check_sentence(processed, folder_.path());
    }
    fs::remove_all(folder_.run_folder("few"));
    const std::string file = folder_.run_folder("few.csv");
    const ProcessResult predicted =
        run({"predict", folder_.run_folder("plain"), "--data", "test", "-o", file}, limit);
    if (predicted.status == 0) {
        CHECK(folder_.read("few.csv") == folder_.read("predictions.csv"));
    } else {
        check_sentence(predicted, folder_.path());
        CHECK_FALSE(fs::exists(file));
    }
    fs::remove(file);
}

}  // namespace ptp::test
