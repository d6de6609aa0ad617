// `ptprun completion`: bash is asked as it asks itself when somebody presses the tabulator.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace ptprun_completion_test {

namespace {

using Strings = std::vector<std::string>;
using ptp::test::ProcessResult;

Strings sorted_lines(const std::string& text) {
    Strings lines;
    for (const std::string& line : ptp::test::lines_of(text)) {
        if (!line.empty()) {
            lines.push_back(line);
        }
    }
    std::ranges::sort(lines);
    return lines;
}

std::string experiment() {
    return (ptp::test::source_dir() / "configs/fashion_mnist/lenet5.toml").string();
}

// Two validation sets; one has the same name as a processed section.
constexpr const char* kSections =
    "[training]\njudge = 'hard'\ntask = { type = 'MNIST', batch_size = 1 }\n"
    "[validation.hard]\ntask = { type = 'MNIST', batch_size = 1 }\n"
    "[validation.easy]\ntask = { type = 'MNIST', batch_size = 1 }\n"
    "[process.easy]\ntask = { type = 'MNIST', batch_size = 1 }\n"
    "[process.rest]\ntask = { type = 'MNIST', batch_size = 1 }\n";

// What the words may become.
Strings words(const Strings& words) {
    Strings arguments = {"completion", "--words"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const ProcessResult said = ptp::test::run_program("ptprun", arguments);
    require_success(said);
    return sorted_lines(said.output);
}

bool has(const Strings& all, const std::string& one) {
    return std::ranges::find(all, one) != all.end();
}

// What bash would offer after "ptprun LINE", in a folder with e.toml and runs/.
Strings bash(const std::string& line) {
    const ptp::test::TempFolder folder;
    folder.write("e.toml", "");
    folder.write("runs/x", "");
    const std::string program = (ptp::test::build_dir() / "bin/ptprun").string();
    folder.write("ask.sh", "set -u\ncd '" + folder.path().string() + "'\neval \"$('" + program +
                               "' completion bash)\"\nCOMP_LINE='" + program + " " + line +
                               "'\nCOMP_POINT=${#COMP_LINE}\n_ptprun\n"
                               "printf '%s\\n' \"${COMPREPLY[@]-}\" >answers\n");
    const std::string command = "bash '" + (folder.path() / "ask.sh").string() + "'";
    const int status = std::system(command.c_str());
    CHECK(WEXITSTATUS(status) == 0);
    return sorted_lines(folder.read("answers"));
}

}  // namespace

TEST_CASE("ptprun completion: commands and files come first") {
    const Strings all = words({""});
    for (const char* name : {"check", "diff", "draw", "explain", "runs", "schema", ":files"}) {
        CAPTURE(name);
        CHECK(has(all, name));
    }
    CHECK(words({"dr"}) == Strings{":files", "draw"});
}

TEST_CASE("ptprun completion: options of the command, and their values") {
    CHECK(words({"draw", "--f"}) == Strings{"--format"});
    CHECK(words({"draw", "e.toml", "--format", ""}) == Strings{"dot", "pdf", "png", "svg", "text"});
    CHECK(words({"process", ""}) == Strings{":files"});
    CHECK(words({"process", "run", "--section", "t"}) == Strings{"test", "training"});
    CHECK(words({"process", "run", "--checkpoint", "l"}) == Strings{":folders", "last"});
    CHECK(words({"predict", "run", "--data", "t"}) == Strings{":files", "test", "training"});
    CHECK(words({"runs", "a", ""}) == Strings{":folders"});
    CHECK(words({"diff", "a", "b", ""}).empty());
    CHECK(words({"completion", ""}) == Strings{"bash", "fish", "zsh"});
    CHECK(has(words({"--run"}), "--run-dir"));
}

TEST_CASE("ptprun completion: the sections of the experiment, by names that mean one alone") {
    const ptp::test::TempFolder folder;
    const std::string file = folder.write("e.toml", kSections).string();
    const Strings all = {"hard", "process.easy", "rest", "training", "validation.easy"};
    CHECK(words({"process", file, "--section", ""}) == all);
    CHECK(words({"predict", file, "--data", "x", "--section", ""}) == all);
    CHECK(words({"predict", file, "--data", "h"}) == Strings{":files", "hard"});
    CHECK(words({"process", experiment(), "--section", "t"}) == Strings{"test", "training"});
}

TEST_CASE("ptprun completion: keys of the experiment, and types of components") {
    CHECK(words({"explain", experiment(), "training.optimizer.l"}) ==
          Strings{"training.optimizer.lr"});
    CHECK(words({"check", experiment(), "--set", "training.optimizer.l"}) ==
          Strings{"training.optimizer.lr="});
    CHECK(words({experiment(), "--set", "pipeline.lenet5.type=LeN"}) ==
          Strings{"pipeline.lenet5.type=LeNet5"});
    CHECK(has(words({experiment(), "--set", "training.optimizer.type="}),
              "training.optimizer.type=SGD"));
    CHECK(words({"check", "nowhere.toml", "--set", "x"}).empty());
}

TEST_CASE("ptprun completion: bash offers them") {
    CHECK(bash("expl") == Strings{"explain", "explain-prediction"});
    CHECK(bash("check ") == Strings{"ask.sh", "e.toml", "runs"});
    CHECK(bash("check e") == Strings{"e.toml"});
    CHECK(bash("runs ") == Strings{"runs"});
    CHECK(bash("check " + experiment() + " --set training.optimizer.l") ==
          Strings{"training.optimizer.lr="});
    CHECK(bash(experiment() + " --set pipeline.lenet5.type=LeN") == Strings{"LeNet5"});
    CHECK(bash("diff a b ").empty());
}

TEST_CASE("ptprun completion: a script for each shell, and for no other") {
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const ProcessResult said = ptp::test::run_program("ptprun", {"completion", shell});
        CHECK(said.status == 0);
        CHECK(said.output.find("completion --words") != std::string::npos);
    }
    const ProcessResult other = ptp::test::run_program("ptprun", {"completion", "csh"});
    CHECK(other.status == 2);
    CHECK(other.errors ==
          "ptprun: error: 'csh': must be bash, zsh or fish\n    help: ptprun help completion\n");
    const ProcessResult none = ptp::test::run_program("ptprun", {"completion"});
    CHECK(none.errors ==
          "ptprun: error: bash, zsh or fish is needed\n    fix: ptprun completion bash\n    help: "
          "ptprun help completion\n");
}

}  // namespace ptprun_completion_test
