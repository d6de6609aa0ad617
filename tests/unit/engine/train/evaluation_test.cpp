// A validation of five samples in batches of two, two and one, whose loss is w plus the number of
// the batch: with w = 0 the mean over the samples is (0 * 2 + 1 * 2 + 2 * 1) / 5 = 0.8.

#include "engine/train/validator.hpp"

#include "base/error.hpp"
#include "engine/distributed/signals.hpp"
#include "engine/train/training_state.hpp"
#include "support/engine_plan.hpp"
#include "support/memory_console.hpp"

#include <ptp/ext/mode.h>
#include <ptp/ext/parameters.h>

#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <csignal>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evaluation_test {

using namespace ptp::engine;
using ptp::plugin::Kind;

namespace {

// A functions' table cannot carry anything along.
at::Tensor w;
std::vector<std::string> calls;
std::uint64_t bad_batch = 0;
bool raises_signal = false;

const void* loss_extension(const char* id) {
    static const ptp_parameters parameters = {
        sizeof(ptp_parameters), [](void*, ptp_visit visit, void* user) -> ptp_status {
            return visit(user, "w", PTP_PARAMETER, reinterpret_cast<ptp_value*>(&w));
        }};
    static const ptp_mode mode = {
        sizeof(ptp_mode), [](void*, std::int32_t is_training) -> ptp_status {
            calls.emplace_back(is_training != 0 ? "training mode" : "evaluation mode");
            return PTP_OK;
        }};
    if (std::string_view(id) == PTP_EXTENSION_PARAMETERS) {
        return &parameters;
    }
    return std::string_view(id) == PTP_EXTENSION_MODE ? &mode : nullptr;
}

ptp_component_info loss() {
    ptp_component_info info = ptp::test::idle_component();
    info.extension = loss_extension;
    info.forward = [](void*, const ptp_step* step, const ptp_value* const*,
                      ptp_value* const* outputs) -> ptp_status {
        calls.push_back(fmt::format("batch {} of [{}] in episode {}, gradients {}",
                                    step->batch_index, step->section, step->episode,
                                    c10::GradMode::is_enabled()));
        if (raises_signal) {
            raise(SIGTERM);
        }
        at::rand({});  // so that libtorch's generator advances
        const double batch = static_cast<double>(step->batch_index);
        ptp::test::tensor_in(outputs[0]) =
            w + (step->batch_index == bad_batch ? std::numeric_limits<double>::quiet_NaN() : batch);
        return PTP_OK;
    };
    return info;
}

struct Training {
    Training() {
        w = at::zeros({}).set_requires_grad(true);
        calls.clear();
        bad_batch = UINT64_MAX;
        raises_signal = false;
        plan.add_stream("numbers", ptp::plugin::Element::kInteger, {-1});
        plan.add_stream("loss", ptp::plugin::Element::kFloating, {});
        experiment.training.name = "training";
        experiment.validation.emplace().name = "validation";
        experiment.other_validations.emplace_back().name = "validation.other";
        experiment.test.emplace().name = "test";
        for (ptp::experiment::Section* section : ptp::experiment::run_sections(experiment)) {
            section->task.batch_size = 2;
            section->dataloader.num_workers = 0;
            plan.add_task(ptp::test::five_samples(), {{"numbers", 0}}).section = section->name;
        }
        plan.add_node("loss", Kind::kLoss, loss(), {}, {{"loss", 1, true}});
        experiment.training.optimizer = ptp::optimizer::Sgd{.lr = 1};
        experiment.training.weight_average = {.decay = 0.5};
        session = std::make_unique<ptp::engine::TrainingSession>(experiment, plan.component_context,
                                                                 plan.descriptors(), alone);
    }

    // One step by SGD with the gradient 1.
    void step(std::uint64_t episode) const {
        session->optimization->begin({.episode = episode});
        w.mutable_grad() = at::ones({});
        session->optimization->step();
    }

    ptp::engine::Signals signals;  // so that none of another test counts
    ptp::test::EnginePlan plan;
    ptp::experiment::Experiment experiment;
    ptp::engine::Collective alone;
    std::unique_ptr<ptp::engine::TrainingSession> session;
};

// Notes the batches that it is shown, of each second epoch and of passes that end none.
class Shown : public ptp::engine::Sink {
public:
    explicit Shown(std::string& notes) : notes_(notes) {}

    [[nodiscard]] std::string_view name() const override { return "records.shown"; }
    [[nodiscard]] bool takes_batches(std::optional<std::uint64_t> epoch) const override {
        return !epoch || *epoch % 2 == 1;
    }
    void evaluated(const ptp::engine::SetBatch& batch) override {
        notes_ += fmt::format("{} {} of {}, ", batch.section, batch.index,
                              batch.frame.samples().indices.numel());
    }

private:
    std::string& notes_;
};

}  // namespace

TEST_CASE("evaluation: each batch counts by its samples, in evaluation mode, without gradients") {
    const Training training;
    ptp::test::MemoryConsole terminal({.is_json = true});
    ptp::engine::Progress progress(terminal.console, {});
    progress.begin_pass(ptp::engine::Phase::kValidation, 0);
    const auto aggregates =
        evaluate(*training.session, {.set = kValidationSet, .position = {7, 1}}, {&progress});
    REQUIRE(aggregates);
    CHECK(aggregates->front().value == doctest::Approx(0.8));
    CHECK(aggregates->front().minimum == 0);
    CHECK(aggregates->front().maximum == 2);
    CHECK(terminal.printed().find(R"("phase_done":1,"phase_count":3)") != std::string::npos);
    CHECK(calls == std::vector<std::string>{
                       "evaluation mode", "batch 0 of [validation] in episode 7, gradients false",
                       "batch 1 of [validation] in episode 7, gradients false",
                       "batch 2 of [validation] in episode 7, gradients false", "training mode"});
    CHECK(c10::GradMode::is_enabled());
}

TEST_CASE("evaluation: the beginning of a set can be evaluated, and the test set") {
    const Training training;
    const auto one =
        evaluate(*training.session, {.set = kValidationSet, .position = {}, .max_batches = 1});
    REQUIRE(one);
    CHECK(one->front().value == 0);
    const auto test =
        evaluate(*training.session, {.set = kTestSet, .position = {}, .max_batches = 2});
    REQUIRE(test);
    CHECK(test->front().value == doctest::Approx(0.5));
    CHECK(calls.at(4) == "batch 0 of [test] in episode 0, gradients false");
}

TEST_CASE("evaluation: the averages of the weights are evaluated, and the weights are kept") {
    const Training training;
    training.step(0);  // w = -1, as the average
    training.step(1);  // w = -2, and the average is 0.5 * -1 + 0.5 * -2 = -1.5
    const auto aggregates = evaluate(*training.session, {.set = kValidationSet, .position = {}});
    REQUIRE(aggregates);
    CHECK(aggregates->front().value == doctest::Approx(-1.5 + 0.8));
    CHECK(w.item<double>() == -2);
}

TEST_CASE("evaluation: a loss that is not a number is refused, with its batch and section") {
    const Training training;
    bad_batch = 1;
    std::string message;
    try {
        evaluate(*training.session, {.set = kValidationSet, .position = {12, 3}});
    } catch (const ptp::RunError& error) {
        CHECK(error.code() == ptp::kDiverged);
        message = error.what();
    }
    CHECK(message ==
          "the loss 'loss' is nan in batch 1 of [validation], after episode 12: the training has "
          "diverged");
}

TEST_CASE("evaluation: a validation set that does not judge leaves the generators as they were") {
    const Training training;
    const auto have_changed = [&, before = ptp::engine::generator_states(*training.session)] {
        const auto now = ptp::engine::generator_states(*training.session);
        bool are_others = false;
        for (std::size_t i = 0; i < now.size(); ++i) {
            are_others = are_others || !now[i].second.equal(before[i].second);
        }
        return are_others;
    };
    REQUIRE(evaluate(*training.session, {.set = kValidationSet, .position = {}, .number = 1}));
    CHECK(calls.at(1) == "batch 0 of [validation.other] in episode 0, gradients false");
    CHECK(!have_changed());
    REQUIRE(evaluate(*training.session, {.set = kValidationSet, .position = {}}));
    CHECK(have_changed());
}

TEST_CASE("evaluation: a validation that a signal ends leaves no trace in the session") {
    const Training training;
    const at::Tensor before =
        ptp::engine::evaluation_state(*training.session).generators.begin()->second.clone();
    raises_signal = true;
    CHECK(!evaluate(*training.session, {.set = kValidationSet, .position = {}}));
    CHECK(calls.size() == 3);  // one batch, between the modes
    CHECK(calls.back() == "training mode");
    const auto after = ptp::engine::evaluation_state(*training.session).generators;
    CHECK(after.begin()->second.equal(before));
    const ptp::engine::Signals none(ptp::engine::Signals::Handlers::kNone);  // forgets the signal
}

TEST_CASE("evaluation: sinks are shown whole passes, of epochs those that they take") {
    constexpr const char* kValidation = "validation 0 of 2, validation 1 of 2, validation 2 of 1, ";
    constexpr const char* kOther =
        "validation.other 0 of 2, validation.other 1 of 2, validation.other 2 of 1, ";
    constexpr const char* kTest = "test 0 of 2, test 1 of 2, test 2 of 1, ";
    const struct {
        const char* about;
        ptp::engine::Evaluation evaluation;
        const char* shown;
    } cases[] = {
        {"epoch 0", {.position = {}, .epoch = 0, .ends_epoch = true}, ""},
        {"epoch 1", {.position = {}, .epoch = 1, .ends_epoch = true}, kValidation},
        {"epoch 2", {.position = {}, .epoch = 2, .ends_epoch = true}, ""},
        {"another set in epoch 2",
         {.position = {}, .epoch = 2, .number = 1, .ends_epoch = true},
         ""},
        {"another set in epoch 3",
         {.position = {}, .epoch = 3, .number = 1, .ends_epoch = true},
         kOther},
        {"that of a request, or the last of an online worker",
         {.position = {}, .epoch = 0},
         kValidation},
        {"its first batch, by which an online worker judges",
         {.position = {}, .max_batches = 1},
         ""},
        {"the test after epoch 2", {.set = kTestSet, .position = {}, .epoch = 2}, kTest},
        {"the test after epoch 3", {.set = kTestSet, .position = {}, .epoch = 3}, kTest},
        {"the beginning of a test", {.set = kTestSet, .position = {}, .max_batches = 2}, ""},
    };
    const Training training;
    for (const auto& c : cases) {
        CAPTURE(c.about);
        std::string notes;
        spdlog::logger log("ptp");
        ptp::engine::Sinks sinks(log);
        sinks.add(std::make_unique<Shown>(notes));
        REQUIRE(evaluate(*training.session, c.evaluation, {nullptr, &sinks}));
        CHECK(notes == c.shown);
    }
}

}  // namespace evaluation_test
