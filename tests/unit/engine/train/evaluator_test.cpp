// Losses of 1 over two samples and of 4 over one: their mean is (2 * 1 + 4) / 3 = 2, and their
// sample deviation is sqrt(2 * 1.5^2) = sqrt(4.5).

#include "engine/train/evaluator.hpp"

#include "support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace evaluator_test {

using ptp::engine::Aggregate;
using ptp::engine::Evaluation;
using ptp::engine::Evaluator;
using ptp::engine::kTestSet;
using ptp::engine::kTrainingSet;
using ptp::engine::kValidationSet;
using ptp::engine::Measurement;

namespace {

constexpr const char* kSetHeader =
    "episode,episodes_aggregated,epoch,loss,loss_min,loss_max,loss_std\n";

// An evaluator whose passes have the losses above, or are ended by a signal.
struct Bench {
    explicit Bench(ptp::engine::ConsoleStyle style = {},
                   std::vector<std::string> names = {"validation"})
        : terminal(style), sets(std::move(names)) {
        terminal.console.set_log(log.log);
        sinks.add(std::make_unique<ptp::test::NotedSink>(shown));
        pictures = {{6, "sheets/validation", {}}};
    }

    std::optional<std::vector<Aggregate>> pass(const Evaluation& evaluation) {
        asked.push_back(evaluation);
        losses.statistics().reset(evaluation.set);
        add_losses(evaluation.set);
        evaluation.on_batch(1, 2);
        return is_interrupted || asked.size() == interrupted_pass
                   ? std::nullopt
                   : std::optional(losses.statistics().aggregate(evaluation.set));
    }
    void add_losses(ptp::engine::StatisticSet set) {
        losses.add(set, 1, 2);
        losses.add(set, 4, 1);
    }

    ptp::test::TempFolder folder;
    ptp::test::MemoryLog log;
    ptp::test::MemoryConsole terminal;
    ptp::test::OneLoss losses;
    std::vector<ptp::engine::Picture> pictures;
    std::string shown;  // to the sink
    std::vector<Evaluation> asked;
    bool is_interrupted = false;
    std::size_t interrupted_pass = 0;  // 1: the first
    std::vector<std::string> sets;
    int undone = 0;
    ptp::engine::Records records{folder.path(), losses.statistics().columns(), *log.log, 1, sets};
    ptp::engine::Sinks sinks{*log.log};
    ptp::engine::Progress progress{terminal.console, {}};
    Evaluator evaluator{{losses.statistics(), pictures, records, sinks, progress, terminal.console,
                         [this](const Evaluation& evaluation) { return pass(evaluation); }, sets,
                         [this] { return [this] { ++undone; }; }}};
};

}  // namespace

TEST_CASE("evaluator: a validation returns what it measured, and adds its row and its pictures") {
    Bench bench;
    const auto validated = bench.evaluator.validate({kValidationSet, {6, 2}, 3, 5});
    REQUIRE(validated);
    REQUIRE(validated->size() == 1);
    const Measurement* const measured = &validated->front();
    CHECK(measured->set == "validation");
    CHECK(measured->at.episode == 6);
    CHECK(measured->at.epoch == 2);
    CHECK(measured->loss == 2);
    CHECK(measured->statistics == ptp::Value::table({{"loss", 2.0}}));
    CHECK(measured->text == "loss 2.0000");
    REQUIRE(bench.asked.size() == 1);
    CHECK(bench.asked[0].set == kValidationSet);
    CHECK(bench.asked[0].epoch == 3);
    CHECK(bench.asked[0].max_batches == 5);
    bench.records.finish();
    CHECK(bench.folder.read("validation.csv") ==
          std::string(kSetHeader) + "6,2,3,2,1,4,2.1213203435596424\n");
    CHECK(bench.shown == "sheets/validation; validation after 6 of 2 in 2; ");
    CHECK(bench.pictures.empty());
}

TEST_CASE("evaluator: a validation of a part of the set has a table of its own") {
    Bench bench;
    const auto measured = bench.evaluator.validate({kValidationSet, {6, 2}, 0, 1}, true);
    REQUIRE(measured);
    CHECK(measured->front().set == "partial_validation");
    bench.records.finish();
    CHECK(bench.folder.read("partial_validation.csv") ==
          std::string(kSetHeader) + "6,2,3,2,1,4,2.1213203435596424\n");
    CHECK(!std::filesystem::exists(bench.folder.path() / "validation.csv"));
}

TEST_CASE("evaluator: validation sets have tables of their own, and the one that judges is last") {
    Bench bench({}, {"validation.hard", "validation.easy", "validation.new"});
    const auto measured = bench.evaluator.validate({kValidationSet, {6, 2}, 3});
    REQUIRE(measured);
    REQUIRE(measured->size() == 3);
    const char* const names[] = {"validation.easy", "validation.new", "validation.hard"};
    const std::size_t numbers[] = {1, 2, 0};
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK((*measured)[i].set == names[i]);
        CHECK((*measured)[i].loss == 2);
        CHECK(bench.asked[i].number == numbers[i]);
        CHECK(bench.asked[i].epoch == 3);
    }
    bench.evaluator.validate({kValidationSet, {6, 2}, 0, 1}, true);
    bench.records.finish();
    for (const char* name : names) {
        const std::string rows = std::string(kSetHeader) + "6,2,3,2,1,4,2.1213203435596424\n";
        CHECK(bench.folder.read(std::string(name) + ".csv") == rows);
        CHECK(bench.folder.read("partial_" + std::string(name) + ".csv") == rows);
    }
    CHECK(!std::filesystem::exists(bench.folder.path() / "validation.csv"));
    CHECK(bench.undone == 0);
}

TEST_CASE("evaluator: a signal in a later validation set undoes the earlier ones") {
    Bench bench({}, {"validation.hard", "validation.easy"});
    bench.interrupted_pass = 2;
    CHECK(!bench.evaluator.validate({kValidationSet, {6, 2}}));
    CHECK(bench.undone == 1);
    bench.records.finish();
    CHECK(std::filesystem::is_empty(bench.folder.path()));
    CHECK(bench.shown.empty());
}

TEST_CASE("evaluator: a pass that a signal ended adds no row and shows nothing") {
    Bench bench;
    bench.is_interrupted = true;
    CHECK(!bench.evaluator.validate({kValidationSet, {6, 2}}));
    CHECK(!bench.evaluator.test({6, 2}));
    bench.records.finish();
    CHECK(std::filesystem::is_empty(bench.folder.path()));
    CHECK(bench.shown.empty());
    CHECK(bench.pictures.size() == 1);
}

TEST_CASE("evaluator: a test measures the whole test set in the order of the epoch") {
    Bench bench;
    const auto aggregates = bench.evaluator.test({6, 2});
    REQUIRE(aggregates);
    REQUIRE(aggregates->size() == 1);
    CHECK(aggregates->front().value == 2);
    REQUIRE(bench.asked.size() == 1);
    CHECK(bench.asked[0].set == kTestSet);
    CHECK(bench.asked[0].position.episode == 6);
    CHECK(bench.asked[0].epoch == 2);
    CHECK(bench.asked[0].max_batches == UINT64_MAX);
    bench.records.finish();
    CHECK(bench.folder.read("test.csv") ==
          std::string(kSetHeader) + "6,2,3,2,1,4,2.1213203435596424\n");
    CHECK(bench.shown == "sheets/validation; test after 6 of 2 in 2; ");
}

TEST_CASE("evaluator: the row of an epoch of training has what its episodes have gathered") {
    Bench bench;
    bench.add_losses(kTrainingSet);
    const Evaluator::TrainingEpoch epoch = bench.evaluator.training_epoch({6, 2});
    CHECK(epoch.measured.set == "training");
    CHECK(epoch.measured.loss == 2);
    CHECK(bench.shown.empty());  // until it is recorded
    bench.evaluator.record(epoch);
    bench.records.finish();
    CHECK(bench.folder.read("training_epochs.csv") ==
          std::string(kSetHeader) + "6,2,3,2,1,4,2.1213203435596424\n");
    CHECK(bench.shown == "training after 6 of 2 in 2; ");
    CHECK(bench.asked.empty());
}

TEST_CASE("evaluator: the progress of a pass names its phase and counts its batches") {
    Bench bench({.is_json = true});
    bench.evaluator.test({6, 2});
    const std::string printed = bench.terminal.printed();
    CAPTURE(printed);
    CHECK(printed.find(R"("phase":"test")") != std::string::npos);
    CHECK(printed.find(R"("phase_done":1,"phase_count":2)") != std::string::npos);
}

TEST_CASE("evaluator: a measurement is reported in the log, with the epoch or the episode") {
    struct Case {
        Measurement measured;
        bool is_best;
        const char* logged;
    };
    const Case cases[] = {
        {{"validation", {6, 2}, 2, {}, "loss 2"},
         true,
         "info epoch 3  validation  loss 2  (best)\n"},
        {{"training", {6, 2}, 2, {}, "loss 2"}, false, "info epoch 3  training    loss 2\n"},
        {{"partial_validation", {6, 2}, 2, {}, "loss 2"},
         false,
         "info episode 7  partial_validation  loss 2\n"}};
    for (const Case& c : cases) {
        CAPTURE(c.logged);
        Bench bench;
        bench.evaluator.report(c.measured, c.is_best);
        CHECK(bench.log.text.str() == c.logged);
        CHECK(!bench.terminal.printed().empty());
    }
}

TEST_CASE("evaluator: what is reported with more to follow is printed with the rest of its epoch") {
    Bench bench;
    bench.evaluator.report({"training", {6, 2}, 2, {}, "loss 2"}, false, true);
    CHECK(bench.terminal.printed().empty());
    bench.evaluator.report({"validation", {6, 2}, 3, {}, "loss 3"}, false);
    CHECK(bench.terminal.printed() == "epoch 3  training  loss 2  validation  loss 3\n");
}

}  // namespace evaluator_test
