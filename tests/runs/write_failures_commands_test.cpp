// Pictures, sweeps, tags and printed output that cannot be written, one at a time.

#include "runs/write_failures.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace write_failures_commands_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

constexpr const char* kFull = ": No space left on device\n";

std::string experiment(const ExperimentFolder& folder) {
    return (folder.path() / "experiment.toml").string();
}

// The lines of a text that begin so.
std::string lines_with(const std::string& text, const std::string& begin) {
    std::string lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        if (text.compare(at, begin.size(), begin) == 0) {
            lines += text.substr(at, end - at + 1);
        }
        at = end == std::string::npos ? text.size() : end + 1;
    }
    return lines;
}

// Trains with two seeds, where the run of the first seed cannot write `file`; returns its output.
std::string swept_beside(const Refused& refused, const std::string& file) {
    const ExperimentFolder folder({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                               "terminal_conditions = { epoch_limit = 1 }\n",
                                   .has_test = false});
    const ProcessResult result = run_refused(
        {experiment(folder), "--run-dir", folder.run_folder("sweep"), "--set", "seed=1,2"},
        refused);
    const std::string output = without_folder(result.output, folder.path());
    CHECK(lines_with(output, "[1/2]") ==
          "[1/2] seed=1: begins\n"
          "[1/2] seed=1: ended with 5: cannot write FOLDER/sweep/" +
              file + kFull);
    CHECK(lines_with(output, "[2/2]").find("[2/2] seed=2: done in ") != std::string::npos);
    CHECK(result.status == 5);
    return fs::exists(folder.path() / "sweep/1_seed=1.out") ? folder.read("sweep/1_seed=1.out")
                                                            : "no file";
}

}  // namespace

TEST_CASE("write failures: a picture is whole, or the file is what it was") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder;
    const std::vector<std::vector<std::string>> commands = {{"draw"}, {"check", "--draw"}};
    for (const auto& command : commands) {
        for (const char* name : {"picture.txt", "picture.dot", "picture.svg", "picture.png"}) {
            for (const std::uint64_t room : {0, 30}) {
                CAPTURE(command.back());
                CAPTURE(name);
                CAPTURE(room);
                const std::string file = (folder.path() / name).string();
                std::ofstream(file) << "before\n";
                std::vector<std::string> arguments = command;
                arguments.insert(arguments.end(), {experiment(folder), "-o", file});
                const ProcessResult result =
                    run_refused(arguments, {.files = file + ".new", .room = room});
                CHECK(without_folder(result.errors, folder.path()) ==
                      "ptprun: error: cannot write FOLDER/" + std::string(name) + ".new" + kFull);
                CHECK(result.status == 5);
                CHECK(folder.read(name) == "before\n");
                CHECK_FALSE(fs::exists(file + ".new"));
            }
        }
    }
}

TEST_CASE("write failures: what is printed and does not fit is an error, however long it is") {
    const ExperimentFolder folder;
    const std::string program = (ptp::test::build_dir() / "bin/ptprun").string();
    const std::string errors = (folder.path() / "errors").string();
    for (const std::string command :
         {"draw EXPERIMENT", "draw EXPERIMENT --format svg", "check EXPERIMENT",
          "check EXPERIMENT --draw", "schema", "explain EXPERIMENT training.optimizer.lr",
          "completion bash", "help", "help run", "check --help", "--version"}) {
        CAPTURE(command);
        std::string words = command;
        if (const auto at = words.find("EXPERIMENT"); at != std::string::npos) {
            words.replace(at, 10, experiment(folder));
        }
        CHECK(std::system((program + " " + words + " >/dev/full 2>" + errors).c_str()) == 5 << 8);
        CHECK(folder.read("errors") ==
              std::string("ptprun: error: cannot write the standard output") + kFull);
    }
}

TEST_CASE(
    "write failures: a run of a sweep whose output cannot be written does not run, the others do") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    swept_beside({.files = "*/1_seed=1.out", .at = "open"}, "1_seed=1.out");
}

TEST_CASE(
    "write failures: why a run of a sweep failed is known though its output cannot be written") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    // Its output, 1_seed=1.out, and a table of it, 1_seed=1/validation.csv.
    const std::string written =
        swept_beside({.files = "*/1_seed=1[./][ov][ua][tl]*"}, "1_seed=1/validation.csv");
    CHECK(written == "");
}

TEST_CASE("write failures: tags that cannot be written leave those that are there") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder;
    const std::string run = folder.run_folder("run");
    REQUIRE(run_whole({experiment(folder), "--run-dir", run, "--quiet", "--tag", "first"}).status ==
            0);
    const std::string before = folder.read("run/tags.json");
    const ProcessResult result =
        run_refused({"tag", run, "second"}, {.files = "*/tags.json.new", .room = 5});
    CHECK(without_folder(result.errors, folder.path()) ==
          std::string("ptprun: error: cannot write FOLDER/run/tags.json.new") + kFull);
    CHECK(result.status == 5);
    CHECK(folder.read("run/tags.json") == before);
    CHECK_FALSE(folder.has("run/tags.json.new"));
}

}  // namespace write_failures_commands_test
