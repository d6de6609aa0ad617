// Validations of a number w whose training has not begun: with w = 0 its loss is 9 plus the number
// of the batch, of two, two and one samples. So the mean is (9 * 2 + 10 * 2 + 11) / 5 = 9.8.

#include "engine/train/validator.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace validator_test {

using namespace ptp::engine;

namespace {

constexpr const char* kSetHeader =
    "episode,episodes_aggregated,epoch,loss,loss_min,loss_max,loss_std\n";

struct Bench {
    explicit Bench(std::vector<std::string> others = {}, ptp::engine::ConsoleStyle style = {})
        : training(
              folder.path(),
              [&](ptp::experiment::Experiment& experiment) {
                  experiment.validation.emplace().name = "validation";
                  for (const std::string& name : others) {
                      experiment.other_validations.emplace_back().name = name;
                  }
                  experiment.test.emplace().name = "test";
              },
              style) {
        context.state.episodes_done = 7;
        context.state.epoch = 2;
        context.state.batches_done = 1;
        training.session->pictures = {{6, "sheets/validation", {}}};
    }

    [[nodiscard]] bool has_rows(const std::string& set) const {
        training.records->finish();
        return std::filesystem::exists(folder.path() / (set + ".csv"));
    }

    ptp::test::TempFolder folder;
    ptp::test::NumberTraining training;
    ptp::engine::TrainerContext context{training.parts()};
    Validator validator{context};
};

}  // namespace

TEST_CASE("validator: a validation returns what it measured, and adds its row and its pictures") {
    Bench bench;
    const auto validated = bench.validator.validate({kValidationSet, {6, 2}, 3});
    REQUIRE(validated);
    REQUIRE(validated->size() == 1);
    const ptp::run::Measurement& measured = validated->front().record;
    CHECK(measured.set == "validation");
    CHECK(measured.episode == 6);
    CHECK(measured.epoch == 3);
    CHECK(measured.loss.value() == doctest::Approx(9.8));
    CHECK(validated->front().text == "loss 9.8000");
    REQUIRE(bench.has_rows("validation"));
    CHECK(bench.folder.read("validation.csv")
              .starts_with(std::string(kSetHeader) + "6,3,3,9.8,9,11,"));
    CHECK(bench.training.shown == "sheets/validation; validation after 6 of 2 in 3; ");
    CHECK(bench.training.session->pictures.empty());
}

TEST_CASE("validator: a validation of a part of the set has a table of its own") {
    Bench bench;
    const auto measured = bench.validator.validate({kValidationSet, {6, 2}, 0, 1}, true);
    REQUIRE(measured);
    CHECK(measured->front().record.set == "partial_validation");
    CHECK(measured->front().record.loss == 9);
    CHECK(bench.has_rows("partial_validation"));
    CHECK(!bench.has_rows("validation"));
}

TEST_CASE("validator: validation sets have tables of their own, and the one that judges is last") {
    Bench bench({"validation.easy", "validation.new"});
    const auto measured = bench.validator.validate({kValidationSet, {6, 2}, 3});
    REQUIRE(measured);
    REQUIRE(measured->size() == 3);
    const char* const names[] = {"validation.easy", "validation.new", "validation"};
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK((*measured)[i].record.set == names[i]);
        CHECK((*measured)[i].record.loss.value() == doctest::Approx(9.8));
        CHECK(bench.has_rows(names[i]));
    }
}

TEST_CASE("validator: a signal in a later validation set leaves nothing of the earlier ones") {
    Bench bench({"validation.easy"});
    ptp::test::interrupting_loss = 4;  // the first of the second set
    CHECK(!bench.validator.validate({kValidationSet, {6, 2}}));
    CHECK(!bench.has_rows("validation.easy"));
    CHECK(!bench.has_rows("validation"));
    CHECK(bench.training.shown.empty());
    CHECK(bench.training.session->pictures.empty());  // a resumed run shows them again
}

TEST_CASE("validator: the row of an epoch of training has what its episodes have gathered") {
    Bench bench;
    ptp::engine::Frame frame(bench.training.session->executor.plan());
    frame[1].tensor = at::zeros({}) + 2;
    bench.training.session->statistics.read(kTrainingSet, frame, 2);
    bench.training.session->statistics.count();
    bench.training.experiment.training.worker = ptp::experiment::Worker::kOnline;
    const auto measured = bench.validator.measure_epoch();
    REQUIRE(measured);
    CHECK(measured->record.set == "training");
    CHECK(measured->record.loss == 2);
    REQUIRE(bench.has_rows("training_epochs"));
    CHECK(bench.folder.read("training_epochs.csv").find("\n6,1,3,2,2,2,") != std::string::npos);
    CHECK(bench.training.shown == "training after 6 of 2 in 1; ");
}

TEST_CASE("validator: the lowest loss is the best, and the training remembers it") {
    Bench bench;
    CHECK(bench.validator.judge({"validation", 6, 3, 2, {}}));
    CHECK(!bench.validator.judge({"validation", 9, 4, 3, {}}));
    CHECK(bench.context.state.last.loss == 3);
    CHECK(bench.context.state.best.loss == 2);
}

TEST_CASE("validator: the progress of a pass names its phase and counts its batches") {
    Bench bench({}, {.is_json = true});
    REQUIRE(bench.validator.validate({kValidationSet, {6, 2}}));
    const std::string printed = bench.training.terminal.printed();
    CAPTURE(printed);
    CHECK(printed.find(R"("phase":"validation")") != std::string::npos);
    CHECK(printed.find(R"("phase_done":1,"phase_count":3)") != std::string::npos);
}

TEST_CASE("validator: a measurement is reported in the log, with the epoch or the episode") {
    struct Case {
        Measured measured;
        bool is_best;
        const char* logged;
    };
    const Case cases[] = {{{{"validation", 6, 2, 2, {}}, {}, {}, "loss 2"},
                           true,
                           "info epoch 2/2  validation  loss 2  (best)\n"},
                          {{{"training", 6, 2, 2, {}}, {}, {}, "loss 2"},
                           false,
                           "info epoch 2/2  training    loss 2\n"},
                          {{{"partial_validation", 6, 2, 2, {}}, {}, {}, "loss 2"},
                           false,
                           "info episode 7  partial_validation  loss 2\n"}};
    for (const Case& c : cases) {
        CAPTURE(c.logged);
        Bench bench;
        bench.validator.report(c.measured, c.is_best);
        CHECK(bench.training.log.text.str() == c.logged);
        CHECK(!bench.training.terminal.printed().empty());
    }
}

TEST_CASE("validator: what is reported with more to follow is printed with the rest of its epoch") {
    Bench bench;
    bench.validator.report({{"training", 6, 2, 2, {}}, {}, {}, "loss 2"}, false, true);
    CHECK(bench.training.terminal.printed().empty());
    bench.validator.report({{"validation", 6, 2, 3, {}}, {}, {}, "loss 3"}, false);
    CHECK(bench.training.terminal.printed() == "epoch 2/2  training  loss 2  validation  loss 3\n");
}

}  // namespace validator_test
