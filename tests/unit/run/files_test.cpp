// The files of a run's folder that are written and read by structs: what is written reads back
// equal, and a newer format is refused by name.

#include "run/checkpoint_record.hpp"
#include "run/format.hpp"
#include "run/paths.hpp"
#include "run/record.hpp"
#include "run/status.hpp"
#include "run/tags.hpp"
#include "run/training_record.hpp"
#include "support.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace files_test {

using namespace ptp::run;
using ptp::Value;
using ptp::test::error_of;
using ptp::test::TempFolder;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string newer(const std::filesystem::path& file, int found, int newest) {
    return file.string() + ": written by format " + std::to_string(found) +
           "; this ptprun reads up to " + std::to_string(newest) +
           "\n    fix: use the ptprun that wrote it, or a newer one";
}

Measurement measurement(std::optional<double> loss) {
    Measurement made;
    made.set = "validation";
    made.episode = 5;
    made.epoch = 3;
    made.loss = loss;
    made.statistics = {{"loss", loss}, {"accuracy", 0.1}};
    return made;
}

Status ended() {
    Status status;
    status.state = "done";
    status.reason = "epoch limit of 3 reached";
    status.exit_code = 0;
    status.episode = 6;
    status.epoch = 3;
    status.seconds = 0.1;
    status.last = measurement(std::nullopt);
    status.best = measurement(0.1);
    status.began = "T1";
    status.ended = "T2";
    status.process = ProcessNote{7, "here", "b", 100};
    return status;
}

}  // namespace

TEST_CASE("run folder: status.json is for programs, and reads back equal") {
    const TempFolder folder;
    const auto file = folder.path() / kStatusFile;
    write_status(file, ended());
    CHECK(folder.read("status.json") == R"({
  "format": 2,
  "state": "done",
  "reason": "epoch limit of 3 reached",
  "exit_code": 0,
  "episode": 6,
  "epoch": 3,
  "seconds": 0.1,
  "last": {
    "set": "validation",
    "episode": 5,
    "epoch": 3,
    "loss": null,
    "statistics": {
      "loss": null,
      "accuracy": 0.1
    }
  },
  "best": {
    "set": "validation",
    "episode": 5,
    "epoch": 3,
    "loss": 0.1,
    "statistics": {
      "loss": 0.1,
      "accuracy": 0.1
    }
  },
  "began": "T1",
  "ended": "T2",
  "pid": 7,
  "host": "here",
  "boot": "b",
  "process_began": 100
}
)");
    const std::string text = folder.read("status.json");
    write_status(file, read_status(file));
    CHECK(folder.read("status.json") == text);
}

TEST_CASE("run folder: the status of a run that begins has null for what it does not know") {
    const TempFolder folder;
    const auto file = folder.path() / kStatusFile;
    Status status;
    status.state = "running";
    status.began = "T1";
    status.process = ProcessNote{7, "here", "b", std::nullopt};
    write_status(file, status);
    CHECK(folder.read("status.json") == R"({
  "format": 2,
  "state": "running",
  "reason": null,
  "exit_code": null,
  "episode": 0,
  "epoch": 0,
  "seconds": null,
  "last": null,
  "best": null,
  "began": "T1",
  "ended": null,
  "pid": 7,
  "host": "here",
  "boot": "b",
  "process_began": null
}
)");
    const Status read = read_status(file);
    CHECK(read.reason == "");
    CHECK_FALSE(read.exit_code.has_value());
    CHECK_FALSE(read.last.has_value());
    CHECK_FALSE(read.process->began.has_value());
    CHECK(read.is_whole);
}

TEST_CASE("run folder: what a crash leaves is a status of this format") {
    const Status status = ended();
    const std::string text = std::string(kCrashBeforeReason) + "it crashed" +
                             std::string(kCrashBeforeCode) + "139" + crash_rest(status);
    const Value table = read_json_table(text, "status.json", kStatusFormat);
    CHECK(format_in(table, "status.json", kStatusFormat) == kStatusFormat);
    const Status read = status_from(text, "status.json");
    CHECK(read.state == "failed");
    CHECK(read.reason == "it crashed");
    CHECK(read.exit_code == 139);
    CHECK(read.episode == 6);
    CHECK(read.best->loss == 0.1);
}

TEST_CASE("run folder: run.json reads back equal, and one of format 1 remains one") {
    const TempFolder folder;
    const auto file = folder.path() / kRecordFile;
    Record record;
    record.experiment = "tiny";
    record.experiment_sha256 = std::string(64, 'a');
    record.seed = 7;
    record.device = "cpu";
    record.plugins = Value::list({Value::table({{"name", "losses"}})});
    record.machine = Value::table({{kThreads, 2}, {"environment", Value()}});
    record.processes =
        Value::list({value_of(ProcessRecord{"T1", {"ptprun", "x"}, 7, "here", "L", "cpu"})});
    write_record(file, record);
    const std::string text = folder.read("run.json");
    CHECK(text.starts_with("{\n  \"format\": 2,\n  \"experiment\": \"tiny\",\n"));
    CHECK(text.find("  \"trial\": null,\n") != text.npos);
    CHECK(text.find("  \"git\": null,\n") != text.npos);
    write_record(file, read_record(file));
    CHECK(folder.read("run.json") == text);

    record = read_record(file);
    record.format = 1;
    record.git = value_of(GitState{"", true, "timeout"});
    write_record(file, record);
    CHECK(folder.read("run.json").find("format") == std::string::npos);
    CHECK(read_record(file).format == 1);
    CHECK(*read_record(file).git.find("commit") == Value("unknown"));
}

TEST_CASE("run folder: a record that a resume cannot use is refused") {
    const TempFolder folder;
    const std::string needed =
        "; no other file records with which plugins and which experiment the run began";
    const auto file = folder.path() / kRecordFile;
    CHECK(error_of([&] { read_record(file); }) ==
          "cannot read " + file.string() + ": No such file or directory" + needed);
    for (const std::string text :
         {"", "[1]", "{}", R"({"plugins": [], "machine": {}, "processes": []})",
          R"({"experiment_sha256": "a", "plugins": {}, "machine": {}, "processes": []})"}) {
        CAPTURE(text);
        folder.write("run.json", text);
        CHECK(error_of([&] { read_record(file); }) ==
              file.string() + " is not the record of a run" + needed);
    }
    folder.write("run.json", std::string(100'000, '['));
    CHECK(error_of([&] { read_record(file); }).find(" is not the record of a run") !=
          std::string::npos);
}

TEST_CASE("run folder: checkpoint.toml reads back equal") {
    const TempFolder folder;
    CheckpointRecord record;
    record.experiment = "tiny";
    record.seed = 7;
    record.is_reproducible = false;
    record.globals = Value::table({{"num_classes", 4}});
    record.measured = measurement(kInfinity);
    record.plugins = {{"losses", "1.0", "aa", 2, 120}, {"models", "2.0", "bb", 0, 0}};
    record.status = "epoch_limit";
    write_checkpoint_record(folder.path(), record);
    const std::string text = folder.read(kCheckpointFile);
    CHECK(text ==
          "format = 1\n"
          "experiment = \"tiny\"\n"
          "seed = 7\n"
          "is_reproducible = false\n"
          "status = \"epoch_limit\"\n"
          "set = \"validation\"\n"
          "episode = 5\n"
          "epoch = 3\n"
          "loss = inf\n"
          "\n[globals]\nnum_classes = 4\n"
          "\n[statistics]\nloss = inf\naccuracy = 0.1\n"
          "\n[[plugins]]\nname = \"losses\"\nversion = \"1.0\"\nsha256 = \"aa\"\n"
          "generation = 2\nfrom_episode = 120\n"
          "\n[[plugins]]\nname = \"models\"\nversion = \"2.0\"\nsha256 = \"bb\"\n");
    const TempFolder other;
    write_checkpoint_record(other.path(), read_checkpoint_record(folder.path()));
    CHECK(other.read(kCheckpointFile) == text);
    CHECK(recorded_plugins(folder.path()) ==
          std::map<std::string, std::string>{{"losses", "aa"}, {"models", "bb"}});
}

TEST_CASE("run folder: what a checkpoint does not say of plugins is not there") {
    const TempFolder folder;
    CHECK(recorded_plugins(folder.path()).empty());
    for (const std::string text : {"plugins = 3\n", "plugins = [", "[[plugins]]\nname = 3\n"}) {
        CAPTURE(text);
        folder.write(kCheckpointFile, text);
        CHECK(recorded_plugins(folder.path()).empty());
    }
}

TEST_CASE("run folder: training.toml reads back equal, to the last bit") {
    const TempFolder folder;
    TrainerRecord record;
    record.status = "time_limit";
    record.epoch = 1;
    record.batches_done = 2;
    record.episodes_done = 3;
    record.partly_validated = 4;
    record.best_saved = 5;
    record.journal = 6;
    record.last = measurement(0.1 + 0.2);
    record.best = measurement(kInfinity);
    record.seconds = 1.0 / 3;
    const Value parts = Value::table({{kTrainerPart, value_of(record)}, {"sinks", Value()}});
    write_training(folder.path(), parts);
    CHECK(folder.read(kTrainingFile)
              .starts_with("format = 1\n\n[trainer]\nstatus = \"time_limit\"\n"));
    const Value read = read_training(folder.path());
    CHECK(read == parts);
    CHECK(value_of(trainer_record_from(*read.find(kTrainerPart))) == value_of(record));
}

TEST_CASE("run folder: a trainer's record that lacks something is refused with its key") {
    const Value whole = value_of(TrainerRecord());
    const auto refusal = [](const Value& part) {
        return error_of([&] { trainer_record_from(part); });
    };
    CHECK(refusal(whole) == "");
    Value part = whole;
    part.erase("epoch");
    CHECK(refusal(part) == "'epoch' must be an integer, and is missing");
    part = whole;
    part.set("journal", -1);
    CHECK(refusal(part) == "'journal' is -1");
    part = whole;
    part.set("status", 3);
    CHECK(refusal(part) == "'status' must be a string, and is an integer");
    part = whole;
    part.set("last", 0.5);
    CHECK(refusal(part) == "'last' must be a table, and is a real");
    part = whole;
    part.set("seconds", "1");
    CHECK(refusal(part) == "'seconds' must be a real, and is a string");
}

TEST_CASE("run folder: tags.json reads back equal, and a broken one is to be corrected") {
    const TempFolder folder;
    CHECK(read_tags(folder.path()).tags.empty());
    {
        TagsChange change(folder.path());
        change.tags = {{"a", "b"}, "what it is"};
        change.write();
    }
    CHECK(
        folder.read(kTagsFile) ==
        "{\n  \"format\": 1,\n  \"tags\": [\n    \"a\",\n    \"b\"\n  ],\n  \"note\": \"what it is\"\n}\n");
    CHECK(read_tags(folder.path()).tags == std::vector<std::string>{"a", "b"});
    CHECK(read_tags(folder.path()).note == "what it is");
    const auto file = folder.write(kTagsFile, "{}");
    CHECK(error_of([&] { read_tags(folder.path()); }) ==
          file.string() + ": has no list of tags; correct it, or remove it");
    folder.write(kTagsFile, "[");
    CHECK(error_of([&] { read_tags(folder.path()); }) ==
          file.string() + ": is not a JSON object; correct it, or remove it");
}

TEST_CASE("run folder: a status or tags that are too large are not read") {
    const TempFolder folder;
    const auto limit = [&](const char* name) {
        const auto file = folder.write(name, "");
        std::filesystem::resize_file(file, std::uintmax_t{4} << 30U);  // takes no room on the disk
        return "cannot read " + file.string() + ": it is larger than 16 MiB";
    };
    const std::string status = limit(kStatusFile);
    CHECK(error_of([&] { read_status(folder.path() / kStatusFile); }) == status);
    const std::string tags = limit(kTagsFile) + "; correct it, or remove it";
    CHECK(error_of([&] { read_tags(folder.path()); }) == tags);
}

TEST_CASE("run folder: tags that several add at the same time are all kept") {
    const TempFolder folder;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&folder, i] {
            TagsChange change(folder.path());
            change.tags.tags.push_back("tag " + std::to_string(i));
            change.write();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(read_tags(folder.path()).tags.size() == 8);
}

TEST_CASE("run folder: each file of a newer format is refused by name") {
    const TempFolder folder;
    const auto path = [&](const char* name) { return folder.path() / name; };
    folder.write(kStatusFile, R"({"format": 3})");
    folder.write(kRecordFile, R"({"format": 3})");
    folder.write(kTagsFile, R"({"format": 2})");
    folder.write(kCheckpointFile, "format = 2\n");
    folder.write(kTrainingFile, "format = 2\n");
    CHECK(error_of([&] { read_status(path(kStatusFile)); }) == newer(path(kStatusFile), 3, 2));
    CHECK(error_of([&] { read_record(path(kRecordFile)); }) == newer(path(kRecordFile), 3, 2));
    CHECK(error_of([&] { read_tags(folder.path()); }) == newer(path(kTagsFile), 2, 1));
    CHECK(error_of([&] { read_checkpoint_record(folder.path()); }) ==
          newer(path(kCheckpointFile), 2, 1));
    CHECK(error_of([&] { recorded_plugins(folder.path()); }) == newer(path(kCheckpointFile), 2, 1));
    CHECK(error_of([&] { read_training(folder.path()); }) == newer(path(kTrainingFile), 2, 1));
}

TEST_CASE("run folder: a number that is not one is damage") {
    const TempFolder folder;
    const auto file = folder.write(kTrainingFile, "format = 0\n");
    CHECK(error_of([&] { read_training(folder.path()); }) ==
          file.string() + ": the format 0 is not one: they count from 1");
    folder.write(kTrainingFile, "format = \"2\"\n");
    CHECK(error_of([&] { read_training(folder.path()); }) ==
          file.string() + ": 'format' must be an integer, and is a string");
}

}  // namespace files_test
