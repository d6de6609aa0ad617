// What an episode, and a pass of them over a set, asks of the components and of the statistics.

#include "engine/train/episode.hpp"

#include "support/engine_plan.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/scalar_tensor.h>
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <optional>
#include <string>
#include <vector>

namespace episode_test {

using namespace ptp::engine;
using ptp::plugin::Kind;

namespace {

std::vector<std::string> calls;  // a functions' table cannot carry anything along

ptp_status note(const char* name, const ptp_step* step) {
    calls.push_back(fmt::format("{} {} {} training {} episode {} epoch {} batch {} of {}", name,
                                step->section, step->set, step->is_training, step->episode,
                                step->epoch, step->batch_index, step->batch_size));
    return PTP_OK;
}

// The loss of a batch is its number of samples; a statistic looks on.
struct Training {
    Training() {
        calls.clear();
        plan.add_stream("numbers", ptp::plugin::Element::kInteger, {-1});
        plan.add_stream("loss", ptp::plugin::Element::kFloating, {});
        plan.add_task(ptp::test::five_samples(), {{"numbers", 0}});
        ptp_component_info loss = ptp::test::idle_component();
        loss.forward = [](void*, const ptp_step* step, const ptp_value* const*,
                          ptp_value* const* outputs) -> ptp_status {
            ptp::test::tensor_in(outputs[0]) =
                at::scalar_tensor(static_cast<float>(step->batch_size));
            return note("loss", step);
        };
        plan.add_node("loss", Kind::kLoss, loss, {}, {{"loss", 1, true}});
        ptp_component_info statistic = ptp::test::idle_component();
        statistic.forward = [](void*, const ptp_step* step, const ptp_value* const*,
                               ptp_value* const*) -> ptp_status { return note("statistic", step); };
        plan.add_node("statistic", Kind::kStatistic, statistic, {}, {});
        components = plan.create();
        frame.emplace(plan.plan);
        executor.emplace(plan.plan, components, *frame, at::kCPU);
        statistics.emplace(plan.plan, components);
        section.name = "training";
        section.task.batch_size = 2;
        section.dataloader.num_workers = 0;
        section.dataloader.shuffle = false;
    }

    ptp::test::EnginePlan plan;
    ptp::engine::Components components;
    std::optional<Frame> frame;
    std::optional<Executor> executor;
    std::optional<Statistics> statistics;
    ptp::experiment::Section section;
};

}  // namespace

TEST_CASE("episode: statistics that only look on run when it counts") {
    Training training;
    Episode episode({*training.executor, *training.frame, &*training.statistics},
                    {training.section, kTrainingSet, true});
    (*training.frame)[0].tensor = at::arange(2);
    episode.forward(*training.components.tasks[0], {7, 1}, {3, 2});
    CHECK(calls ==
          std::vector<std::string>{"loss training 0 training 1 episode 7 epoch 1 batch 3 of 2"});
    CHECK(training.statistics->last_loss() == 2);
    CHECK(training.statistics->batch_count(kTrainingSet) == 0);
    episode.count();
    REQUIRE(calls.size() == 2);
    CHECK(calls[1] == "statistic training 0 training 1 episode 7 epoch 1 batch 3 of 2");
    CHECK(training.statistics->batch_count(kTrainingSet) == 1);
}

TEST_CASE("episode: its forward pass can be run again without the statistics") {
    Training training;
    Episode episode({*training.executor, *training.frame, nullptr},
                    {training.section, kTrainingSet, true});
    (*training.frame)[0].tensor = at::arange(2);
    episode.forward(*training.components.tasks[0], {0, 0}, {0, 2});
    episode.forward_again();
    episode.count();
    REQUIRE(calls.size() == 3);
    CHECK(calls[1] == calls[0]);
    CHECK(calls[2].starts_with("statistic"));
}

TEST_CASE("set pass: each batch of the set counts once, and nothing is trained") {
    Training training;
    BatchSource source(training.section, training.plan.plan, *training.components.tasks[0], 1);
    Episode episode({*training.executor, *training.frame, &*training.statistics},
                    {training.section, kValidationSet});
    SetPass pass(episode, source, {});
    CHECK(pass.batch_count() == 3);
    CHECK(pass.sample_count() == 5);
    std::vector<std::uint64_t> samples;
    while (pass.next({9, 4})) {
        samples.push_back(pass.samples_done());
    }
    CHECK(samples == std::vector<std::uint64_t>{2, 4, 5});
    REQUIRE(calls.size() == 6);
    CHECK(calls[4] == "loss training 1 training 0 episode 9 epoch 4 batch 2 of 1");
    CHECK(calls[5] == "statistic training 1 training 0 episode 9 epoch 4 batch 2 of 1");
    CHECK(!(*training.frame)[1].tensor.defined());
}

TEST_CASE("set pass: it can end before the set does") {
    Training training;
    BatchSource source(training.section, training.plan.plan, *training.components.tasks[0], 1);
    Episode episode({*training.executor, *training.frame, nullptr},
                    {training.section, kValidationSet});
    SetPass pass(episode, source, {.max_batches = 1});
    CHECK(pass.batch_count() == 1);
    CHECK(pass.next({0, 0}));
    CHECK(!pass.next({0, 0}));
}

}  // namespace episode_test
