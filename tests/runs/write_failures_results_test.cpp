// Every file with results that a component, `process` or `predict` writes, each refused by itself.

#include "runs/write_failures.hpp"
#include "support/some_of.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace write_failures_results_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

constexpr const char* kFull = ": No space left on device";

constexpr const char* kWriters =
    "[pipeline.cells]\ntype = \"StreamFileExporter\"\ninput_streams = [\"indices\", \"targets\"]\n"
    "[pipeline.lines]\ntype = \"StreamFileExporter\"\ninput_streams = [\"indices\"]\n"
    "format = \"json_lines\"\n"
    "[pipeline.arrays]\ntype = \"StreamFileExporter\"\ninput_streams = [\"indices\"]\n"
    "format = \"npy\"\n"
    "[pipeline.sheets]\ntype = \"ImageViewer\"\ninterval = 10\n"
    "streams = { images = \"inputs\", labels = \"targets\" }\n"
    "[pipeline.classes]\ntype = \"PrecisionRecallStatistics\"\nshow_confusion_matrix = true\n"
    "show_class_scores = true\n";

struct Case {
    const char* file;  // in the run's folder
    const char* name;  // of the component that writes it
    const char* type;
};

// The first of each kind that a training writes.
const std::vector<Case> kCases = {
    {"exports/cells.csv", "cells", "StreamFileExporter"},
    {"exports/lines.jsonl", "lines", "StreamFileExporter"},
    {"exports/arrays.indices.npy", "arrays", "StreamFileExporter"},
    {"images/sheets/training_000000.png.part", "sheets", "ImageViewer"},
    {"tables/classes/training_000005.confusion_matrix.csv.part", "classes",
     "PrecisionRecallStatistics"},
    {"tables/classes/training_000005.class_scores.csv.part", "classes",
     "PrecisionRecallStatistics"},
};

std::vector<std::string> training(const ExperimentFolder& folder, const std::string& name) {
    return {(folder.path() / "experiment.toml").string(), "--run-dir", folder.run_folder(name),
            "--quiet"};
}

// What is said of a file of the component, which the experiment FILE has in that line.
std::string error_of(const ExperimentFolder& folder, const std::string& experiment, const Case& c,
                     const std::string& file) {
    int number = 1;
    for (const std::string& line : lines_of(folder.read(experiment))) {
        if (line == "[pipeline." + std::string(c.name) + "]") {
            break;
        }
        ++number;
    }
    return "FOLDER/" + experiment + ":" + std::to_string(number) + ":1: error: '" + c.name + "' (" +
           c.type + "): cannot write FOLDER/refused/" + file + kFull +
           "\n    fix: make room there\n";
}

// Whether a file of whole numbers, or an empty one, has the rows that its header counts.
bool has_counted_rows(const std::string& array) {
    constexpr std::size_t kHeader = 128;
    const std::string before = "'shape': (";
    const std::size_t at = array.find(before);
    return array.empty() ||
           (at != std::string::npos &&
            array.size() >= kHeader + 8 * std::stoul(array.substr(at + before.size())));
}

std::vector<std::string> files_in(const fs::path& folder) {
    std::vector<std::string> files;
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator(folder, none)) {
        if (entry.is_regular_file()) {
            files.push_back(fs::relative(entry.path(), folder).string());
        }
    }
    return files;
}

// What components have written is the same in both runs.
void check_same_files(const ExperimentFolder& folder, const std::string& name) {
    for (const char* part : {"exports", "images", "tables"}) {
        const fs::path whole = folder.path() / "whole" / part;
        const std::vector<std::string> files = files_in(whole);
        CHECK_FALSE(files.empty());
        CHECK(files_in(folder.path() / name / part).size() == files.size());
        for (const std::string& file : files) {
            CAPTURE(file);
            CHECK((folder.read(fs::path(name) / part / file) ==
                   folder.read(fs::path("whole") / part / file)));
        }
    }
}

void check_refused(const ExperimentFolder& folder, const Case& c, std::uint64_t room) {
    CAPTURE(c.file);
    CAPTURE(room);
    const std::string path = folder.run_folder("refused") + "/" + c.file;
    const ProcessResult result =
        run_refused(training(folder, "refused"), {.files = path, .room = room});
    const std::string errors = without_folder(result.errors, folder.path());
    CHECK(result.status == 5);
    CHECK(errors == error_of(folder, "experiment.toml", c, c.file));
    CHECK(ptp::test::status_in(folder.path() / "refused").starts_with("failed: "));
    if (std::string(c.file).ends_with(".part")) {
        CHECK_FALSE(fs::exists(path));
    } else if (std::string(c.file).ends_with(".npy")) {
        CHECK(has_counted_rows(folder.read(fs::path("refused") / c.file)));
    } else {
        CHECK(ptp::test::cut_line(folder.read(fs::path("refused") / c.file)) == "");
    }
    const ProcessResult again = run_whole({"resume", folder.run_folder("refused"), "--quiet"});
    CAPTURE(again.errors);
    CHECK(again.status == 0);
    check_same_files(folder, "refused");
    fs::remove_all(folder.run_folder("refused"));
}

// What is said of each file of `process`.
std::string process_error(const ExperimentFolder& folder, const std::string& file) {
    if (file == "process.log") {
        return "warning: process.log is not complete: Failed writing to file FOLDER/refused/" +
               file + kFull + "\n";
    }
    if (file.starts_with("plugins/")) {
        const std::string copy = file.substr(0, file.size() - std::string(".new").size());
        return "ptprun: error: FOLDER/whole/" + copy +
               ": cannot be loaded (copy): its copy FOLDER/refused/" + copy + " cannot be written" +
               kFull + "\n    fix: make room there, or make it writable\n";
    }
    for (const Case& c : kCases) {
        const std::string folder_of_case = fs::path(c.file).parent_path().string();
        if (file.starts_with("exports/") ? file == c.file : file.starts_with(folder_of_case)) {
            return error_of(folder, "whole/experiment.toml", c, file);
        }
    }
    return "ptprun: error: cannot write FOLDER/refused/" + file + kFull + "\n";
}

}  // namespace

TEST_CASE("write failures: a file of a component ends the training, and a resume makes it whole") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder({.pipeline = kWriters});
    REQUIRE(run_whole(training(folder, "whole")).status == 0);
    for (const Case& c : some_of(kCases, 2)) {
        if (ptp::test::is_all_wanted()) {
            check_refused(folder, c, 0);
        }
        check_refused(folder, c, 200);
    }
}

TEST_CASE("write failures: a folder that a component cannot make is named with the reason") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder({.pipeline = kWriters});
    const std::vector<Case> cases = {{"exports", "cells", "StreamFileExporter"},
                                     {"images", "sheets", "ImageViewer"},
                                     {"tables", "classes", "PrecisionRecallStatistics"}};
    for (const Case& c : cases) {
        CAPTURE(c.file);
        const std::string path = folder.run_folder("refused") + "/" + c.file;
        const ProcessResult result =
            run_refused(training(folder, "refused"), {.files = path, .times = 1, .at = "mkdir"});
        CHECK(result.status == 5);
        CHECK(without_folder(result.errors, folder.path()) ==
              error_of(folder, "experiment.toml", c, c.file));
        fs::remove_all(folder.run_folder("refused"));
    }
}

TEST_CASE("write failures: each file that process writes ends it, and none counts as whole") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder({.pipeline = kWriters});
    REQUIRE(run_whole(training(folder, "whole")).status == 0);
    const auto process = [&folder](const std::string& name) {
        return std::vector<std::string>{"process", folder.run_folder("whole"), "--quiet",
                                        "--run-dir", folder.run_folder(name)};
    };
    const auto files = ptp::test::files_written(folder, "processed", process("processed"));
    CHECK(files.size() > 15);
    for (const std::string& file : some_of(files, 3)) {
        CAPTURE(file);
        const std::string path = folder.run_folder("refused") + "/" + file;
        const ProcessResult result = run_refused(process("refused"), {.files = path, .room = 1});
        CHECK(without_folder(result.errors, folder.path()) == process_error(folder, file));
        CHECK(result.status == (file == "process.log" ? 0 : 5));
        CHECK((file == "process.log" || !folder.has("refused/test.csv")));
        fs::remove_all(folder.run_folder("refused"));
    }
}

TEST_CASE("write failures: predictions are whole, or the file is what it was") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder;
    REQUIRE(run_whole(training(folder, "whole")).status == 0);
    for (const char* name : {"predictions.csv", "predictions.jsonl"}) {
        for (const std::uint64_t room : {0, 50}) {
            CAPTURE(name);
            CAPTURE(room);
            const std::string file = (folder.path() / name).string();
            std::ofstream(file) << "before\n";
            const ProcessResult result =
                run_refused({"predict", folder.run_folder("whole"), "--data", "test", "-o", file},
                            {.files = file + ".new-*", .room = room});
            const std::string errors = without_folder(result.errors, folder.path());
            CHECK(std::regex_replace(errors, std::regex("new-[0-9a-f]+-[0-9]+"), "new-PID") ==
                  "weights of FOLDER/whole, epoch 3 (best)\nptprun: error: cannot write FOLDER/" +
                      std::string(name) + ".new-PID" + kFull + "\n");
            CHECK(result.status == 5);
            CHECK(folder.read(name) == "before\n");
            for (const auto& entry : fs::directory_iterator(folder.path())) {
                CHECK(entry.path().string().find(".new-") == std::string::npos);
            }
        }
    }
}

}  // namespace write_failures_results_test
