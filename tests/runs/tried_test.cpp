// A table of days in two forms, whose rows are read by the first component that takes them.

#include "distributed/held_port.hpp"
#include "runs/predictions.hpp"
#include "runs/training_process.hpp"
#include "runs/write_failures.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tried_test {

using namespace ptp::test;

namespace {

constexpr int kRows = 48;

// "2024-05-07", or "7.5.2024" in each second row; the label is the half of the year.
std::string table() {
    std::string rows = "day,half\n";
    for (int i = 0; i < kRows; ++i) {
        const int month = 1 + i % 12;
        const int day = 1 + i * 5 % 28;
        rows += i % 2 == 0 ? fmt::format("2024-{:02}-{:02},", month, day)
                           : fmt::format("{}.{}.2024,", day, month);
        rows += month <= 6 ? "first\n" : "second\n";
    }
    return rows;
}

class Days {
public:
    explicit Days(const std::string& more = "") {
        folder_.write("days.csv", table());
        folder_.write("e.toml", R"(seed = 3
[training]
optimizer = { type = "Adam", lr = 0.02 }
dataloader = { shuffle = false }
terminal_conditions = { epoch_limit = 4, loss_stop_threshold = 0.0 }
[training.task]
type = "Table"
batch_size = 5
file = "days.csv"
text = "day"
label = "half"
[checkpoint]
every_episodes = 7
[pipeline.day]
try = ["iso", "german"]
streams = { inputs = "texts", outputs = "day" }
[pipeline.iso]
type = "Day"
[pipeline.german]
type = "Day"
form = "german"
[pipeline.net]
type = "FeedForwardNetwork"
hidden_sizes = [4]
dropout_rate = 0.1
streams = { inputs = "day" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)" + more);
    }

    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_.path() / name).string();
    }
    [[nodiscard]] std::string read(const std::string& name) const { return folder_.read(name); }
    void write(const std::string& name, const std::string& text) const {
        folder_.write(name, text);
    }

    [[nodiscard]] ProcessResult train(const std::string& run,
                                      std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {path("e.toml"), "--run-dir", path(run)});
        return ptprun(with_witness(more));
    }

    // Starts one of two processes that train for long, with further variables.
    [[nodiscard]] std::unique_ptr<TrainingProcess> start(
        int rank, const ptp::distributed::HeldPort& port,
        const std::map<std::string, std::string>& more = {}) const {
        std::map<std::string, std::string> environment = {
            {"RANK", std::to_string(rank)},
            {"WORLD_SIZE", "2"},
            {"MASTER_ADDR", "127.0.0.1"},
            {"MASTER_PORT", std::to_string(port.number())}};
        environment.insert(more.begin(), more.end());
        return std::make_unique<TrainingProcess>(
            with_witness({path("e.toml"), "--run-dir", path("run"), "--set",
                          "training.terminal_conditions.epoch_limit=1000000"}),
            environment);
    }

    // Returns what the record has of the components tried by one of the run's processes.
    [[nodiscard]] std::string tried_by(std::size_t process, const std::string& run = "run") const {
        const auto record = nlohmann::json::parse(read(run + "/run.json"));
        return record.at("processes").at(process).at("tried").at("day").dump();
    }

    // Predicts with the run, and returns errors without the folder.
    [[nodiscard]] ProcessResult predicted(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), path("run"));
        ProcessResult result = predict(with_witness(arguments));
        result.errors = ptp::test::without_folder(result.errors, folder_.path());
        return result;
    }

private:
    TempFolder folder_;
};

constexpr const char* kWeights = "/checkpoints/last/training.safetensors";

}  // namespace

TEST_CASE("try: a training reads days of both forms, and logs who took them") {
    const Days days;
    const ProcessResult result = days.train("run");
    require_success(result);
    const std::string log = days.read("run/run.log");
    CHECK(has(log, "'day' (try): 'iso' refuses sample 1, and others without a further line: "));
    CHECK(has(log, "'iso' (Day): sample 1: '6.2.2024' is not YEAR-MONTH-DAY"));
    CHECK_FALSE(has(log, "refuses sample 3"));
    const std::string counts =
        "'day' (try), samples since it began or was resumed: 'iso' took 96 and refused 96, "
        "'german' took 96 and refused 0";
    CHECK(has(log, counts));
    CHECK(has(result.output, counts));
    CHECK(days.tried_by(0) ==
          "{\"german\":{\"refused\":0,\"taken\":96},\"iso\":{\"refused\":96,\"taken\":96}}");
}

TEST_CASE("try: of several processes the log and the record have the samples of all") {
    const Days days;
    for (const char* workers : {"0", "1"}) {
        CAPTURE(workers);
        const std::string run = std::string("run_") + workers;
        require_success(days.train(
            run,
            {"--nproc", "2", "--set", std::string("training.dataloader.num_workers=") + workers}));
        CHECK(has(days.read(run + "/run.log"),
                  "'day' (try), samples since it began or was resumed: 'iso' took 96 and refused "
                  "96, 'german' took 96 and refused 0"));
        CHECK(days.tried_by(0, run) ==
              "{\"german\":{\"refused\":0,\"taken\":96},\"iso\":{\"refused\":96,\"taken\":96}}");
    }
}

TEST_CASE(
    "try: a process that is killed after the signal changes nothing in how the training ends") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const Days days("[distributed]\ntimeout = \"20s\"\n");
    // The first process kills the other as soon as it has written that it was stopped.
    std::map<std::string, std::string> killing =
        ptp::test::refusing({.files = "*/run/status.json*"});
    killing["PTP_TEST_KILL"] = "after";
    killing["PTP_TEST_KILL_RANK"] = "1";
    killing["PTP_TEST_KILL_TEXT"] = "stopped";
    const ptp::distributed::HeldPort port;
    const auto second = days.start(1, port);
    const auto first = days.start(0, port, killing);
    while (!std::filesystem::exists(days.path("run/checkpoints/last"))) {
        REQUIRE(first->read_for(20));
    }
    CHECK(first->end_with(SIGTERM) == 143);
    CHECK(second->end_with(0) == 128 + SIGKILL);
    CHECK(ptp::test::status_in(days.path("run")) == "stopped: SIGTERM (143)");
    const std::string log = days.read("run/run.log");
    CHECK(has(log, "the log has the samples that components took in this process alone: "));
    CHECK(has(log, "'day' (try), samples since it began or was resumed: 'iso' took "));
    CHECK(has(log, "the run had ended before another process was lost: "));
    CHECK_FALSE(has(log, "critical"));
}

TEST_CASE("try: the bits are the same with any number of loader threads") {
    const Days days;
    for (const char* workers : {"0", "1", "2", "4"}) {
        CAPTURE(workers);
        REQUIRE(days.train(workers,
                           {"--set", std::string("training.dataloader.num_workers=") + workers})
                    .status == 0);
        for (const char* file : {"/training.csv", kWeights}) {
            CHECK((days.read(std::string(workers) + file) == days.read(std::string("0") + file)));
        }
    }
}

TEST_CASE("try: the order of days of one form changes no bit of what the other reads") {
    const Days days;
    REQUIRE(days.train("one").status == 0);
    REQUIRE(days.train("other", {"--set", "pipeline.day.try=[\"german\", \"iso\"]"}).status == 0);
    CHECK((days.read("one/training.csv") == days.read("other/training.csv")));
}

TEST_CASE("try: a resumed training has the bits of an undisturbed one") {
    const Days days;
    REQUIRE(days.train("undisturbed").status == 0);
    REQUIRE(days.train("run", {"--set", "training.terminal_conditions.epoch_limit=2"}).status == 0);
    require_success(ptprun(with_witness(
        {"resume", days.path("run"), "--set", "training.terminal_conditions.epoch_limit=4"})));
    for (const std::size_t process : {std::size_t{0}, std::size_t{1}}) {  // half of the epochs each
        CHECK(days.tried_by(process) ==
              "{\"german\":{\"refused\":0,\"taken\":48},\"iso\":{\"refused\":48,\"taken\":48}}");
    }
    CHECK((days.read("run/training.csv") == days.read("undisturbed/training.csv")));
    CHECK((days.read(std::string("run") + kWeights) ==
           days.read(std::string("undisturbed") + kWeights)));
}

TEST_CASE("try: components that are tried are exchanged for copies without a changed bit") {
    const Days days;
    const ProcessResult result =
        days.train("check", {"--swap-check", "3", "--set", "training.dataloader.num_workers=2"});
    require_success(result);
    CHECK(has(result.output, "identical  checkpoints/last/training.safetensors"));
    CHECK_FALSE(has(result.output, "differs"));
}

TEST_CASE("try: predictions read both forms, and a text of neither is named with both reasons") {
    const Days days;
    REQUIRE(days.train("run").status == 0);
    days.write("new.csv", "day\n2024-03-09\n9.3.2024\n");
    const ProcessResult good = days.predicted({"--data", days.path("new.csv"), "--quiet"});
    require_success(good);
    const auto rows = rows_of(good.output);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("predicted") == rows[1].at("predicted"));
    CHECK(rows[0].at("score") == rows[1].at("score"));

    days.write("bad.csv", "day\n2024-03-09\nyesterday\n");
    const ProcessResult bad = days.predicted({"--data", days.path("bad.csv"), "--quiet"});
    CHECK(bad.status == 4);
    CHECK(has(bad.errors, "'day' (try): no component takes sample 1\n"));
    CHECK(has(bad.errors, "'iso' (Day): sample 1: 'yesterday' is not YEAR-MONTH-DAY\n"));
    CHECK(has(bad.errors, "'german' (Day): sample 1: 'yesterday' is not DAY.MONTH.YEAR\n"));
    CHECK(has(bad.errors, "fix: correct the sample, or add a component that takes it to `try`"));

    days.write("new.jsonl", "{\"day\": \"1.1.2024\"}\n{\"day\": \"tomorrow\"}\n");
    const ProcessResult lines = days.predicted({"--jsonl", days.path("new.jsonl"), "--quiet"});
    CHECK(has(lines.output, "\"line\":1,\"predicted\""));
    CHECK(has(lines.output, "no component takes sample"));
}

}  // namespace tried_test
