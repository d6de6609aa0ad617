// Every file that a training writes, each refused by itself: the run continues without it and says
// so, or ends with a sentence that names it, nothing half written counts, and a resume has the same
// bits.

#include "runs/interrupted.hpp"
#include "runs/write_failures.hpp"
#include "support/paths.hpp"
#include "support/some_of.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace write_failures_training_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

constexpr const char* kFull = ": No space left on device";
constexpr const char* kEvents = "tensorboard/events.out.tfevents.0.ptp";

std::vector<std::string> training(const ExperimentFolder& folder, const std::string& name) {
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(),
                                          "--run-dir",
                                          folder.run_folder(name),
                                          "--quiet",
                                          "--set",
                                          "training.warm_up.episodes=8"};
    arguments.insert(arguments.end(), often().begin(), often().end());
    return arguments;
}

std::string in_folder(const ExperimentFolder& folder, const std::string& text) {
    return without_folder(text, folder.path());
}

bool is_of_sink(const std::string& file) {
    return file == "statistics.jsonl" || file == "layers.csv" || file == kEvents;
}

std::string waits_for(const std::string& file) {
    return "warning: cannot write FOLDER/refused/" + file + kFull + "; its rows wait in memory" +
           (is_of_sink(file) ? " and in the checkpoints until there is room\n"
                             : ", until there is room or a checkpoint is due, which cannot be "
                               "saved without them\n");
}

std::string waits_at_the_end(const std::string& file) {
    return "warning: cannot write FOLDER/refused/" + file + kFull +
           "; the rows that wait are written when the run is resumed\n";
}

std::string given_up(const std::string& file) {
    const std::string sink = file == kEvents              ? "records.tensorboard"
                             : file == "layers.csv"       ? "records.layer_values"
                             : file.starts_with("probe/") ? "records.probe"
                                                          : "records.json_lines";
    return "warning: " + sink +
           " is given up, the training continues: cannot write FOLDER/refused/" + file + kFull +
           "\n";
}

// "plugins/losses.5.6efa06799e6be86e.so.new" -> "losses"
std::string plugin_of(const std::string& file) {
    const std::string name = fs::path(file).filename().string();
    return name.substr(0, name.find('.'));
}

// What is said of a file that cannot be written, and with which code the run ends.
ProcessResult expected(const std::string& file, const std::string& at = "") {
    if (is_of_sink(file)) {
        const bool can_wait = at.empty() || at == "open" || at == "mkdir";
        return {0, "", can_wait ? waits_at_the_end(file) : given_up(file)};
    }
    if (file.starts_with("probe/")) {
        return {0, "", given_up(file)};
    }
    if (file == "run.log" && at.empty()) {
        return {0, "",
                "warning: run.log is not complete: Failed writing to file FOLDER/refused/run.log" +
                    std::string(kFull) + "\n"};
    }
    if (file == "model.json.new") {
        return {0, "",
                "warning: no summary of the model for reports: cannot write FOLDER/refused/" +
                    file + kFull + "\n"};
    }
    if (file.starts_with("plugins/")) {
        const fs::path plugins = ptp::test::build_dir() / "lib/ptp/plugins";
        return {5, "",
                "ptprun: error: " + (plugins / plugin_of(file)).string() +
                    ".so: cannot be loaded (copy): its copy FOLDER/refused/" +
                    file.substr(0, file.size() - 4) + " cannot be written" + kFull +
                    "\n    fix: make room there, or make it writable\n"};
    }
    return {5, "",
            "ptprun: error: cannot write FOLDER/refused/" + file + std::string(kFull) + "\n"};
}

// Whether rows had to wait before the checkpoint depends on how much of a second has passed by
// then.
std::string without_waits(const std::string& errors, const std::string& file) {
    const std::string line = waits_for(file);
    return errors.starts_with(line) ? errors.substr(line.size()) : errors;
}

// The end of the last whole record: a length of 8 bytes, its checksum of 4, the event, its
// checksum.
std::size_t end_of_records(const std::string& events) {
    constexpr std::size_t kAround = 16;
    std::size_t at = 0;
    for (std::uint64_t length = 0; at + kAround <= events.size(); at += kAround + length) {
        std::memcpy(&length, events.data() + at, sizeof(length));
    }
    return at;
}

// The tables have whole rows, and what counts as a checkpoint is one.
void check_whole(const ExperimentFolder& folder, const std::string& name) {
    for (const char* table : {"training.csv", "training_epochs.csv", "validation.csv", "test.csv",
                              "statistics.jsonl"}) {
        CAPTURE(table);
        CHECK(ptp::test::cut_line(folder.has(fs::path(name) / table)
                                      ? folder.read(fs::path(name) / table)
                                      : "") == "");
    }
    if (folder.has(fs::path(name) / kEvents)) {
        const std::string events = folder.read(fs::path(name) / kEvents);
        CHECK(end_of_records(events) == events.size());
    }
    CHECK(ptp::test::has_whole_checkpoints(folder.run_folder(name)));
}

// With room again, the run ends with the results of the one that always had it.
void check_resumed(const ExperimentFolder& folder, const std::string& name) {
    const ProcessResult again = run_whole({"resume", folder.run_folder(name), "--quiet"});
    CAPTURE(again.errors);
    CHECK(again.status == 0);
    ptp::test::check_same_results(folder, "whole", name);
}

void check_refused(const ExperimentFolder& folder, const Refused& refused,
                   const ProcessResult& wanted) {
    CAPTURE(refused.files);
    CAPTURE(refused.room);
    CAPTURE(refused.at);
    Refused whole_path = refused;
    whole_path.files = folder.run_folder("refused") + "/" + refused.files;
    const ProcessResult result = run_refused(training(folder, "refused"), whole_path);
    CHECK(result.output == wanted.output);
    CHECK(without_waits(in_folder(folder, result.errors), refused.files) == wanted.errors);
    CHECK(result.status == wanted.status);
    check_whole(folder, "refused");
    if (folder.has("refused/experiment.toml") && wanted.status != 0) {
        check_resumed(folder, "refused");
    }
    fs::remove_all(folder.run_folder("refused"));
}

struct Whole {
    ExperimentFolder folder;
    std::vector<std::string> files;

    Whole() {
        folder.write(ptp::test::stateful(2));
        files = ptp::test::files_written(folder, "whole", training(folder, "whole"));
    }
};

}  // namespace

TEST_CASE("write failures: each file of a training that cannot be written at all") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const Whole whole;
    CHECK(whole.files.size() > 20);
    std::vector<std::string> files = whole.files;
    std::erase_if(files, [](const std::string& file) {  // Other checkpoints have the same files.
        return file.starts_with("checkpoints/") && file.find("_0000000006") == std::string::npos;
    });
    for (const std::string& file : some_of(files, 3)) {
        check_refused(whole.folder, {.files = file}, expected(file));
    }
}

TEST_CASE("write failures: each file that grows, and the status, where a part can be written") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const Whole whole;
    const std::vector<std::string> files{"training.csv", "training_epochs.csv", "validation.csv",
                                         "test.csv",     "statistics.jsonl",    kEvents};
    for (const std::string& file : some_of(files, 3)) {
        const auto size = whole.folder.read(fs::path("whole") / file).size();
        check_refused(whole.folder, {.files = file, .room = size / 2}, expected(file));
    }
    const auto size = whole.folder.read("whole/status.json").size();
    check_refused(whole.folder, {.files = "status.json.new", .room = 2 * size},
                  expected("status.json.new"));
}

TEST_CASE("write failures: rows that waited are written as soon as there is room") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder;
    // The rows of a set are written at once, before the checkpoint.
    const auto arguments = [&folder](const std::string& name) {
        return std::vector<std::string>{(folder.path() / "experiment.toml").string(),
                                        "--run-dir",
                                        folder.run_folder(name),
                                        "--quiet",
                                        "--set",
                                        "records.json_lines.every_episodes=2",
                                        "--set",
                                        "records.tensorboard.every_episodes=2"};
    };
    REQUIRE(run_whole(arguments("whole")).status == 0);
    for (const std::string file : {"training.csv", "statistics.jsonl", kEvents}) {
        CAPTURE(file);
        const ProcessResult result = run_refused(
            arguments("refused"), {.files = folder.run_folder("refused") + "/" + file, .times = 1});
        CHECK(result.output == "");
        CHECK(in_folder(folder, result.errors) == waits_for(file));
        CHECK(result.status == 0);
        ptp::test::check_same_results(folder, "whole", "refused");
        fs::remove_all(folder.run_folder("refused"));
    }
}

TEST_CASE(
    "write failures: rows that wait for room beyond checkpoints are written, by a resume too") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder(ptp::test::stateful(2));
    const std::vector<std::string> longer = {"--quiet", "--set",
                                             "training.terminal_conditions.epoch_limit=3"};
    const auto resumed = [&](const std::string& name) {
        std::vector<std::string> arguments = {"resume", folder.run_folder(name)};
        arguments.insert(arguments.end(), longer.begin(), longer.end());
        require_success(run_whole(arguments));
    };
    REQUIRE(run_whole(training(folder, "whole")).status == 0);
    for (const std::string file : {"statistics.jsonl", kEvents}) {
        CAPTURE(file);
        const std::string path = folder.run_folder("refused") + "/" + file;
        // A checkpoint is due after every 5 episodes, and tries to write as well.
        const ProcessResult often_refused =
            run_refused(training(folder, "refused"), {.files = path, .times = 3});
        CHECK(in_folder(folder, often_refused.errors) == waits_for(file));
        CHECK(often_refused.status == 0);
        ptp::test::check_same_rows(folder, "whole", "refused");
        fs::remove_all(folder.run_folder("refused"));
    }
    resumed("whole");
    for (const std::string file : {"statistics.jsonl", kEvents}) {
        CAPTURE(file);
        const std::string path = folder.run_folder("refused") + "/" + file;
        REQUIRE(run_refused(training(folder, "refused"), {.files = path}).status == 0);
        REQUIRE(folder.read("refused/" + file).empty());
        resumed("refused");
        ptp::test::check_same_rows(folder, "whole", "refused");
        fs::remove_all(folder.run_folder("refused"));
    }
}

TEST_CASE("write failures: files that cannot be created, synced or renamed") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const Whole whole;
    struct Case {
        const char* file;
        const char* at;
    };
    const std::vector<Case> cases{{"run.log", "open"},          {"training.csv", "open"},
                                  {"training.csv", "sync"},     {"status.json", "rename"},
                                  {"run.json.new", "sync"},     {"experiment.toml", "rename"},
                                  {"statistics.jsonl", "open"}, {kEvents, "open"},
                                  {"statistics.jsonl", "sync"}, {kEvents, "sync"}};
    for (const Case& c : some_of(cases, 3)) {
        check_refused(whole.folder, {.files = c.file, .at = c.at}, expected(c.file, c.at));
    }
}

TEST_CASE("write failures: a call that a signal interrupts is made again") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const Whole whole;
    struct Case {
        const char* file;
        const char* at;
    };
    const std::vector<Case> cases{{"training.csv", ""},
                                  {"training_epochs.csv", "open"},
                                  {"training.csv", "sync"},
                                  {"*/weights.safetensors", "sync"},
                                  {"statistics.jsonl", "sync"},
                                  {"statistics.jsonl", "open"},
                                  {kEvents, "sync"}};
    for (const Case& c : cases) {
        CAPTURE(c.file);
        CAPTURE(c.at);
        require_success(run_refused(training(whole.folder, "refused"),
                                    {.files = whole.folder.run_folder("refused") + "/" + c.file,
                                     .times = 1,
                                     .reason = EINTR,
                                     .at = c.at}));
        ptp::test::check_same_results(whole.folder, "whole", "refused");
        fs::remove_all(whole.folder.run_folder("refused"));
    }
}

}  // namespace write_failures_training_test
