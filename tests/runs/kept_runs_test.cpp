// Folders of runs that an earlier ptprun wrote (kept_runs/README.md): every later one reads, lists,
// compares, resumes, processes and replays them; what a later one wrote is refused by name.

#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "run/format.hpp"
#include "run/journal.hpp"
#include "run/plugins_lock.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace kept_runs_test {

namespace fs = std::filesystem;
using ptp::read_text;
using ptp::replace_file;
using ptp::test::ProcessResult;
using ptp::test::ptprun;
using ptp::test::TempFolder;

namespace {

const std::vector<std::string> kKept = {"before_numbers", "first_numbers", "changed_schedules"};

fs::path plugins() {
    return ptp::test::build_dir() / "lib/ptp/plugins";
}

fs::path kept(const std::string& name) {
    return ptp::test::source_dir() / "tests/runs/kept_runs" / name;
}

void replace(const fs::path& file, const std::string& old, const std::string& now) {
    std::string text = read_text(file);
    for (auto at = text.find(old); at != text.npos; at = text.find(old, at + now.size())) {
        text.replace(at, old.size(), now);
    }
    replace_file(file, text);
}

// A copy of a kept run. With today's builds of its plugins in the place of those that it has used.
fs::path copy_of(const std::string& name, const TempFolder& folder) {
    const fs::path run = folder.path() / name;
    fs::copy(kept(name), run, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    fs::create_directories(run / "plugins");
    for (const ptp::run::LockedPlugin& plugin :
         ptp::run::read_plugins_lock(run / "plugins.lock").plugins) {
        const fs::path today = plugins() / (plugin.name + ".so");
        for (const ptp::run::LockedGeneration& generation : plugin.generations) {
            fs::copy_file(today, run / "plugins" / generation.file,
                          fs::copy_options::skip_existing);
            for (const char* file : {"plugins.lock", "journal.jsonl"}) {
                replace(run / file, generation.sha256, ptp::sha256_of_file(today));
            }
        }
    }
    return run;
}

std::size_t rows_of(const fs::path& table) {
    const std::string text = read_text(table);
    return static_cast<std::size_t>(std::ranges::count(text, '\n')) - 1;
}

// A copy in which one file has another number.
fs::path with_format(const TempFolder& folder, const std::string& file, const std::string& old,
                     const std::string& now) {
    const fs::path run = copy_of("first_numbers", folder);
    REQUIRE(read_text(run / file).find(old) != std::string::npos);
    replace(run / file, old, now);
    return run;
}

std::string without(std::string text, const TempFolder& folder) {
    return ptp::test::without_folder(std::move(text), folder.path());
}

}  // namespace

TEST_CASE("kept run: each is listed with all that it says") {
    for (const std::string& name : kKept) {
        CAPTURE(name);
        const ProcessResult result = ptprun({"runs", kept(name).string(), "--json"});
        require_success(result);
        const auto run = nlohmann::json::parse(result.output)[0];
        CHECK(run["problem"].is_null());
        CHECK(run["state"] == "done");
        CHECK(run["reason"] == "epoch limit of 3 reached");
        CHECK(run["experiment"] == "kept");
        CHECK(run["episode"] == 6);
        CHECK(run["epoch"] == 3);
        CHECK(run["last"]["epoch"] == 3);
        CHECK(run["best"]["set"] == "validation");
        CHECK(run["tags"] == nlohmann::json::array({"kept"}));
        CHECK(run["note"] == "for the tests");
    }
}

TEST_CASE("kept run: each can be compared with the others, and tells its last status") {
    const ProcessResult result = ptprun({"diff", kept(kKept[0]).string(), kept(kKept[1]).string()});
    CHECK(result.errors == "");
    CHECK(result.status <= 1);  // the builds of the plugins differ
    CHECK(result.output.starts_with("settings: same\n"));
    for (const std::string& name : kKept) {
        require_success(ptprun({"control", kept(name).string(), "status"}));
    }
}

TEST_CASE("kept run: each is resumed, and trains one epoch more") {
    for (const std::string& name : kKept) {
        CAPTURE(name);
        const TempFolder folder;
        const fs::path run = copy_of(name, folder);
        const ProcessResult result =
            ptprun({"resume", run.string(), "--plugins", plugins().string(), "--set",
                    "training.terminal_conditions.epoch_limit=4"});
        CHECK(ptp::test::without_warnings(result.errors, "may differ in their last bits") == "");
        REQUIRE(result.status == 0);
        CHECK(ptp::test::status_in(run) == "done: epoch limit of 4 reached (0)");
        CHECK(rows_of(run / "training.csv") == 8);
        CHECK(rows_of(run / "validation.csv") == 4);
        CHECK(read_text(run / "training.csv").starts_with(read_text(kept(name) / "training.csv")));
    }
}

TEST_CASE("kept run: each is replayed, with its swap and its change of the experiment") {
    for (const std::string& name : kKept) {
        CAPTURE(name);
        const TempFolder folder;
        const fs::path run = copy_of(name, folder);
        const fs::path again = folder.path() / "again";
        const ProcessResult result = ptprun({"replay", run.string(), "--run-dir", again.string()});
        CHECK(ptp::test::without_warnings(result.errors, "may differ in their last bits") == "");
        REQUIRE(result.status == 0);
        CHECK(result.output.find("swapped in transforms") != std::string::npos);
        CHECK(ptp::test::status_in(again) == "done: epoch limit of 3 reached (0)");
        CHECK(rows_of(again / "training.csv") == 6);
    }
}

TEST_CASE("kept run: the weights of each are measured") {
    for (const std::string& name : kKept) {
        CAPTURE(name);
        const TempFolder folder;
        const fs::path run = copy_of(name, folder);
        require_success(ptprun({"process", run.string(), "--section", "validation", "--run-dir",
                                (folder.path() / "measured").string()}));
    }
}

TEST_CASE("kept run: a run of a newer format is refused by name, and is not changed") {
    struct Case {
        const char* file;
        const char* old;
        const char* now;
        int found;
        int newest;
        std::vector<std::string> commands;  // that read it
    };
    const std::vector<Case> cases = {
        {"status.json",
         "\"format\": 2",
         "\"format\": 3",
         3,
         2,
         {"resume", "replay", "diff", "process", "predict", "control", "tag"}},
        {"run.json",
         "\"format\": 2",
         "\"format\": 3",
         3,
         2,
         {"resume", "replay", "diff", "process", "predict", "control", "tag"}},
        {"tags.json", "\"format\": 1", "\"format\": 2", 2, 1, {"tag"}},
        {"journal.jsonl",
         "{\"format\":1,\"episode\":4",
         "{\"format\":3,\"episode\":4",
         3,
         2,
         {"resume", "replay"}},
        {"plugins.lock",
         "# format 1",
         "# format 2",
         2,
         1,
         {"resume", "replay", "process", "predict"}},
        {"checkpoints/last/checkpoint.toml", "format = 1", "format = 2", 2, 1, {"resume"}},
        {"checkpoints/best/checkpoint.toml",
         "format = 1",
         "format = 2",
         2,
         1,
         {"process", "predict"}},
        {"checkpoints/last/training.toml", "format = 1", "format = 2", 2, 1, {"resume"}},
    };
    for (const Case& c : cases) {
        const TempFolder folder;
        const fs::path run = with_format(folder, c.file, c.old, c.now);
        const std::string status = read_text(run / "status.json");
        for (const std::string& command : c.commands) {
            CAPTURE(c.file);
            CAPTURE(command);
            std::vector<std::string> arguments = {command, run.string()};
            if (command == "resume") {
                arguments.insert(arguments.end(),
                                 {"--set", "training.terminal_conditions.epoch_limit=4"});
            } else if (command == "diff") {
                arguments.push_back(run.string());
            } else if (command == "control") {
                arguments.emplace_back("status");
            } else if (command == "predict") {
                arguments.insert(arguments.end(), {"--data", folder.path().string()});
            }
            const ProcessResult result = ptprun(arguments);
            CHECK(result.status == 2);
            CHECK(without(result.errors, folder) ==
                  "ptprun: error: FOLDER/first_numbers/" + std::string(c.file) +
                      ": written by format " + std::to_string(c.found) +
                      "; this ptprun reads up to " + std::to_string(c.newest) +
                      "\n    fix: use the ptprun that wrote it, or a newer one\n");
            CHECK(read_text(run / "status.json") == status);
        }
    }
}

TEST_CASE("kept run: a list says which run has a newer format, and has the others") {
    const TempFolder folder;
    with_format(folder, "status.json", "\"format\": 2", "\"format\": 3");
    copy_of("before_numbers", folder);
    const ProcessResult result = ptprun({"runs", folder.path().string(), "--json"});
    require_success(result);
    const auto runs = nlohmann::json::parse(result.output);
    REQUIRE(runs.size() == 2);
    CHECK(runs[0]["state"] == "done");
    CHECK(runs[0]["problem"].is_null());
    CHECK(runs[1]["state"] == "unreadable");
    CHECK(runs[1]["problem"] == "status.json: written by format 3; this ptprun reads up to 2");
}

TEST_CASE("kept run: one was kept of today's formats") {
    const fs::path newest = kept(kKept.back());
    CHECK(read_text(newest / "status.json")
              .starts_with("{\n  \"format\": " + std::to_string(ptp::run::kStatusFormat)));
    CHECK(read_text(newest / "run.json")
              .starts_with("{\n  \"format\": " + std::to_string(ptp::run::kRecordFormat)));
    CHECK(read_text(newest / "tags.json")
              .starts_with("{\n  \"format\": " + std::to_string(ptp::run::kTagsFormat)));
    CHECK(read_text(newest / "journal.jsonl")
              .starts_with("{\"format\":" + std::to_string(ptp::run::kJournalFormat)));
    CHECK(read_text(newest / "plugins.lock")
              .starts_with("# format " + std::to_string(ptp::run::kPluginsLockFormat)));
    const fs::path checkpoint = newest / "checkpoints/last";
    CHECK(read_text(checkpoint / "checkpoint.toml")
              .starts_with("format = " + std::to_string(ptp::run::kCheckpointFormat)));
    CHECK(read_text(checkpoint / "training.toml")
              .starts_with("format = " + std::to_string(ptp::run::kTrainingFormat)));
}

}  // namespace kept_runs_test
