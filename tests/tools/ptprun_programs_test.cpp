// `ptprun NAME` starts the program ptp-NAME, and `ptprun help` lists such programs; what completes
// requests to a run.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

namespace ptprun_programs_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::ProcessResult;
using ptp::test::TempFolder;

void write_program(const TempFolder& folder, const std::string& file, const std::string& text) {
    folder.write(file, "#!/bin/sh\n" + text);
    fs::permissions(folder.path() / file, fs::perms::owner_all);
}

// A ptprun with a folder of its own, bin, and another one that PATH has.
class Installation {
public:
    Installation() {
        fs::create_directories(folder_.path() / "bin");
        fs::create_directories(folder_.path() / "path");
        fs::copy_file(ptp::test::build_dir() / "bin/ptprun", folder_.path() / "bin/ptprun");
    }

    [[nodiscard]] const TempFolder& folder() const { return folder_; }

    [[nodiscard]] ProcessResult ptprun(const std::vector<std::string>& words) const {
        const std::string folder = folder_.path().string();
        return ptp::test::run_program(folder + "/bin/ptprun", words, {{"PATH", folder + "/path"}});
    }

    // Returns the part of the help about programs.
    [[nodiscard]] std::string programs() const {
        const std::string help = ptprun({"help"}).output;
        const std::size_t begin = help.find("\nprograms of their own");
        return begin == std::string::npos ? "" : help.substr(begin);
    }

private:
    TempFolder folder_;
};

}  // namespace

TEST_CASE(
    "ptprun: a NAME that is no command is the program ptp-NAME, with arguments and exit code") {
    const Installation installed;
    write_program(installed.folder(), "bin/ptp-greet", "echo \"own: $*\"\nexit 7\n");
    write_program(installed.folder(), "path/ptp-greet", "echo other\n");
    write_program(installed.folder(), "path/ptp-part", "echo \"part: $*\"\nkill -KILL $$\n");
    const ProcessResult greet = installed.ptprun({"greet", "a b", "--color", "x", "--help"});
    CHECK(greet.output == "own: a b --color x --help\n");
    CHECK(greet.errors == "");
    CHECK(greet.status == 7);
    CHECK(installed.ptprun({"--color", "never", "greet", "c"}).output == "own: c\n");
    CHECK(installed.ptprun({"help", "greet"}).output == "own: --help\n");
    const ProcessResult part = installed.ptprun({"part"});
    CHECK(part.output == "part: \n");
    CHECK(part.status == 128 + 9);
}

TEST_CASE("ptprun: a command, a file, and what cannot be started are no programs") {
    const Installation installed;
    write_program(installed.folder(), "bin/ptp-tag", "echo wrong\n");
    installed.folder().write("bin/ptp-inert", "no program");
    CHECK(installed.ptprun({"tag", "/nowhere"}).output == "");
    const ProcessResult inert = installed.ptprun({"inert"});
    CHECK(inert.status == 2);
    CHECK(inert.errors.starts_with(
        "ptprun: error: 'inert' is neither a file nor a command; known: check, summary, "));
    CHECK(inert.errors.ends_with(", schema, completion\n"));
    write_program(installed.folder(), "bin/ptp-greet", "echo own\n");
    CHECK(installed.ptprun({"inert"}).errors.ends_with(", schema, completion, greet\n"));
    std::filesystem::remove(installed.folder().path() / "bin/ptp-greet");
    CHECK(installed.ptprun({"chek"}).errors ==
          "ptprun: error: 'chek' is neither a file nor a command; did you mean 'check'?\n");
    CHECK(installed.programs() == "");
    const std::string broken = (installed.folder().path() / "bin/ptp-broken").string();
    installed.folder().write("bin/ptp-broken", "no program");
    fs::permissions(broken, fs::perms::owner_all);
    const ProcessResult said = installed.ptprun({"broken"});
    CHECK(said.status == 5);
    CHECK(said.errors == "ptprun: error: " + broken + " cannot be started: Exec format error\n");
}

TEST_CASE("ptprun: a program of ptp that is not there is named as one") {
    const Installation installed;
    const ProcessResult result = installed.ptprun({"export", "run", "-o", "model.onnx"});
    CHECK(result.status == 2);
    CHECK(result.errors ==
          "ptprun: error: 'export' is the program ptp-export, which is neither beside ptprun nor "
          "on the PATH\n"
          "    fix: in a source tree, ./dev build release installed\n");
}

TEST_CASE("ptprun: the help lists programs, with the line that is in the file of ptprun's own") {
    const Installation installed;
    const std::string mark = "# @ptprun-help: ";
    write_program(installed.folder(), "bin/ptp-greet", mark + "greets everybody\n");
    write_program(installed.folder(), "bin/ptp-silent", "");
    write_program(installed.folder(), "bin/ptp-long", mark + std::string(101, 'x') + "\n");
    write_program(installed.folder(), "bin/ptp-escape", mark + "\x1b[31m\n");
    write_program(installed.folder(), "path/ptp-greet", mark + "is another one\n");
    write_program(installed.folder(), "path/ptp-there", mark + "is not read\n");
    CHECK(installed.programs() ==
          "\nprograms of their own, as ptprun NAME:\n"
          "    escape\n"
          "    greet   greets everybody\n"
          "    long\n"
          "    silent\n"
          "    in PATH: there\n");
}

TEST_CASE("ptprun: a search whose program is missing says so") {
    const Installation installed;
    const ProcessResult said = installed.ptprun({"search", "x.toml"});
    CHECK(said.status == 5);
    CHECK(said.errors ==
          "ptprun: error: " + (installed.folder().path() / "bin/ptp-search").string() +
              " cannot be started: No such file or directory\n");
}

TEST_CASE("ptprun: the help lists the programs that are built, with a line for each") {
    const std::string help = ptp::test::run_program("ptprun", {"help"}).output;
    // The column of names is as wide as the longest, also of benchmarks that were built.
    CHECK(std::regex_search(
        help, std::regex("\n    inspect +lists what plugins offer, and checks them\n")));
    CHECK(help.find("\n    search") == std::string::npos);
    CHECK(help.find("\n    export") == std::string::npos);  // it is among the commands
    const ProcessResult inspect = ptp::test::run_program("ptprun", {"inspect", "--version"});
    CHECK(inspect.output.starts_with("ptp-inspect "));
}

TEST_CASE("ptprun: the overview has commands and programs of everyday use, in their order") {
    const Installation installed;
    CHECK(installed.ptprun({"--help"}).output ==
          "usage: ptprun EXPERIMENT.toml [OPTION]...   trains, and writes a run folder\n"
          "       ptprun COMMAND ...   help run, help COMMAND: options; help words: terms\n"
          "  check RUN-OR-EXPERIMENT          reports all errors, without running anything\n"
          "  data RUN-OR-EXPERIMENT           shows samples, classes and duplicates\n"
          "  summary RUN-OR-EXPERIMENT        shows what would be trained, and on what\n"
          "  draw RUN-OR-EXPERIMENT           shows the pipeline as text or as a picture\n"
          "  resume RUN                       continues a run that was interrupted\n"
          "  cv EXPERIMENT.toml               cross-validates in k folds: mean and spread\n"
          "  search EXPERIMENT.toml           searches values at random, with halving\n"
          "  find-lr EXPERIMENT.toml          finds a learning rate by a short test\n"
          "  runs [DIR]...                    lists and compares runs (default: runs/)\n"
          "  report RUN...                    writes an HTML report of runs\n"
          "  plot RUN... [STATISTIC]          draws a statistic of runs in the terminal\n"
          "  diff RUN RUN                     shows how two runs differ (exit code 1)\n"
          "  tag RUN [TAG]...                 adds tags and a note to a run\n"
          "  predict RUN                      predicts for files, texts or a section\n"
          "  process RUN-OR-EXPERIMENT        evaluates sections with the weights of a run\n"
          "  explain-prediction RUN           draws which pixels decide, and attention\n"
          "  bundle RUN                       packs a trained model into one file\n"
          "  export RUN-OR-EXPERIMENT         writes ONNX, TorchScript, safetensors\n"
          "  control RUN REQUEST [VALUE]...   shows or steers a running training\n"
          "  swap RUN PLUGIN-FILE...          exchanges plugins of a running training\n"
          "  replay RUN                       repeats a run, with all that was done to it\n"
          "  record RUN-OR-EXPERIMENT         trains, and records one component\n"
          "  fetch RUN-OR-EXPERIMENT          downloads data and weights that are missing\n"
          "  explain RUN-OR-EXPERIMENT [KEY]  shows where a value comes from\n"
          "  schema                           prints a JSON schema of experiments\n"
          "  completion bash|zsh|fish         prints a script for completion in the shell\n"
          "exit codes: 0 done, 2 wrong input, 3 plugin, 4 data, 5 training, 6 diverged\n");
}

TEST_CASE("ptprun completion: what can be asked of a run") {
    const auto words = [](const std::vector<std::string>& line) {
        std::vector<std::string> arguments = {"completion", "--words"};
        arguments.insert(arguments.end(), line.begin(), line.end());
        return ptp::test::run_program("ptprun", arguments).output;
    };
    CHECK(words({"control", ""}) == ":folders\n");
    CHECK(words({"control", "x", "p"}) == "pause\n");
    CHECK(words({"control", "x", "learning-rate", ""}) == "");
    CHECK(words({"swap", "x", ""}) == ":files\n");
    CHECK(words({"swap", "x", "a.so", ""}) == ":files\n");
    CHECK(words({"swap", "x", "a.so", "--d"}) == "--dry-run\n");
}

}  // namespace ptprun_programs_test
