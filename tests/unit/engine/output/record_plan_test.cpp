// The episodes, epochs and passes that each record has, as a table: what its options state.

#include "engine/output/json_lines.hpp"
#include "engine/output/layer_values.hpp"
#include "engine/output/probe_files.hpp"
#include "engine/output/sample_values.hpp"
#include "engine/output/tensorboard.hpp"
#include "support/engine_plan.hpp"
#include "support/temp_folder.hpp"
#include "unit/engine/output/one_weight.hpp"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace record_plan_test {

using ptp::engine::Frame;
using ptp::engine::Position;
using ptp::engine::Sink;
using ptp::experiment::TensorBoard;
using ptp::plugin::Element;
using ptp::plugin::Kind;

namespace {

using ptp::test::only_weight;
using ptp::test::weight;

using Numbers = std::vector<std::uint64_t>;

// A run of four episodes an epoch, with the image `picture` and a model of one trained weight.
struct Run {
    Run() {
        weight = at::zeros({1}).set_requires_grad(true);
        weight.mutable_grad() = at::ones({1});
        columns[0].name = "loss";
        plan.add_stream("picture", Element::kFloating, {-1, 1, 2, 2});
        ptp_component_info info = ptp::test::idle_component();
        info.extension = only_weight;
        plan.add_task(ptp::test::idle_component(), {{"picture", 0}});
        plan.add_node("net", Kind::kModel, info, {}, {});
        components = plan.create();
        frame.emplace(plan.plan);
        (*frame)[0].tensor = at::zeros({1, 1, 2, 2});
    }
    void begin(Sink& sink) const {
        sink.begin({"x", folder.path(), 1, "cpu", "", plan.plan, columns, 0});
    }

    static constexpr std::uint64_t kEpisodes = 12;
    static constexpr std::uint64_t kInEpoch = 4;

    ptp::test::TempFolder folder;
    ptp::test::EnginePlan plan;
    std::vector<ptp::engine::Column> columns{1};
    ptp::engine::Components components;
    std::optional<Frame> frame;
    const std::vector<double> values{0.5};
    const std::vector<ptp::engine::Aggregate> aggregates{{0.5, 0, 1, 0}};
};

// Returns options of which one has this value, the others their defaults.
template <class Options, class Value>
Options with(Value Options::*option, const Value& value) {
    Options options;
    options.*option = value;
    return options;
}

const auto kNoClock = [] { return 0.0; };

// Returns the episodes after which the sink's file is longer than before.
Numbers recorded(Sink& sink, const Run& run, const std::function<void(Position)>& happens) {
    run.begin(sink);
    Numbers episodes;
    for (std::uint64_t episode = 0; episode < Run::kEpisodes; ++episode) {
        sink.sync();
        const std::uint64_t before = std::filesystem::file_size(sink.file()->path());
        happens({episode, episode / Run::kInEpoch});
        sink.sync();
        if (std::filesystem::file_size(sink.file()->path()) > before) {
            episodes.push_back(episode);
        }
    }
    return episodes;
}

// The episodes of Run that an option names: each n-th, from the first on.
struct Case {
    std::int64_t every;
    Numbers episodes;
};
const Case kEpisodes[] = {{1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
                          {2, {0, 2, 4, 6, 8, 10}},
                          {5, {0, 5, 10}},
                          {11, {0, 11}},
                          {12, {0}},
                          {1000, {0}}};

// The epochs of six that an option names: each n-th, which counts from 1, so that an epoch before
// the n-th has no record.
const Case kEpochs[] = {
    {1, {0, 1, 2, 3, 4, 5}}, {2, {1, 3, 5}}, {3, {2, 5}}, {4, {3}}, {6, {5}}, {7, {}}};

Numbers epochs_of(const std::function<bool(std::uint64_t)>& is_recorded) {
    Numbers epochs;
    for (std::uint64_t epoch = 0; epoch < 6; ++epoch) {
        if (is_recorded(epoch)) {
            epochs.push_back(epoch);
        }
    }
    return epochs;
}

}  // namespace

TEST_CASE("record plan: rows of episodes are those of each n-th one, from the first on") {
    for (const Case& c : kEpisodes) {
        CAPTURE(c.every);
        const Run run;
        ptp::engine::JsonLines lines(run.folder.path() / "lines.jsonl", {c.every});
        CHECK(recorded(lines, run, [&](Position at) {
                  lines.episode({at, run.values});
              }) == c.episodes);
        ptp::engine::TensorBoard events(run.folder.path() / "rows",
                                        with(&TensorBoard::every_episodes, std::int64_t{c.every}),
                                        kNoClock);
        CHECK(recorded(events, run, [&](Position at) {
                  events.episode({at, run.values});
              }) == c.episodes);
    }
}

TEST_CASE("record plan: each pass over a set has a row, whatever episodes have") {
    const Numbers all = kEpisodes[0].episodes;
    const Run run;
    ptp::engine::JsonLines lines(run.folder.path() / "lines.jsonl", {1000});
    ptp::engine::TensorBoard events(run.folder.path() / "rows",
                                    with(&TensorBoard::every_episodes, std::int64_t{1000}),
                                    kNoClock);
    for (Sink* sink : {static_cast<Sink*>(&lines), static_cast<Sink*>(&events)}) {
        CHECK(recorded(*sink, run, [&](Position at) {
                  sink->set({"validation", {at, 1}, run.aggregates});
              }) == all);
    }
}

TEST_CASE("record plan: histograms are those of each n-th episode, and of none by default") {
    const auto histograms = [](std::int64_t every) {
        const Run run;
        ptp::engine::TensorBoard events(run.folder.path() / "events",
                                        with(&TensorBoard::histograms_every_episodes, every),
                                        kNoClock);
        return recorded(events, run, [&](Position at) { events.learned(at, run.components); });
    };
    for (const Case& c : kEpisodes) {
        CAPTURE(c.every);
        CHECK(histograms(c.every) == c.episodes);
    }
    CHECK(histograms(0).empty());
}

TEST_CASE("record plan: images are those of the first batch of each epoch") {
    const Run run;
    const TensorBoard options = with(&TensorBoard::images, {{"picture", {}}});
    ptp::engine::TensorBoard events(run.folder.path() / "events", options, kNoClock);
    CHECK(recorded(events, run, [&](Position at) { events.look_at(at, *run.frame); }) ==
          Numbers{0, 4, 8});
    // A training that is resumed within an epoch has shown it.
    ptp::engine::TensorBoard resumed(run.folder.path() / "events", options, kNoClock);
    resumed.restore(events.save());
    CHECK(recorded(resumed, run, [&](Position at) { resumed.look_at(at, *run.frame); }).empty());
}

TEST_CASE("record plan: values of layers are those of each n-th episode; none is observed else") {
    for (const Case& c : kEpisodes) {
        CAPTURE(c.every);
        const Run run;
        ptp::engine::LayerValues layers(
            run.folder.path() / "layers.csv",
            with(&ptp::experiment::LayerValues::every_episodes, c.every));
        Numbers observed;
        CHECK(recorded(layers, run, [&](Position at) {
                  if (layers.observer(at, run.components) != nullptr) {
                      observed.push_back(at.episode);
                  }
                  layers.learned(at, run.components);
              }) == c.episodes);
        CHECK(observed == c.episodes);
    }
}

TEST_CASE("record plan: a probe follows each n-th epoch") {
    for (const Case& c : kEpochs) {
        CAPTURE(c.every);
        const Run run;
        const ptp::engine::ProbeFiles probe(run.folder.path() / "probe",
                                            with(&ptp::experiment::Probe::every_epochs, c.every));
        CHECK(epochs_of([&](std::uint64_t epoch) { return probe.probe(epoch) != nullptr; }) ==
              c.episodes);
    }
}

TEST_CASE("record plan: values of samples are those of each n-th epoch, and of all other passes") {
    for (const Case& c : kEpochs) {
        CAPTURE(c.every);
        const Run run;
        const ptp::engine::SampleValues values(
            run.folder.path() / "samples",
            with(&ptp::experiment::SampleValues::every_epochs, c.every));
        CHECK(epochs_of([&](std::uint64_t epoch) { return values.takes_batches(epoch); }) ==
              c.episodes);
        CHECK(values.takes_batches(std::nullopt));
    }
}

TEST_CASE("record plan: without a sink nothing is read, observed, shown or probed") {
    const Run run;
    spdlog::logger log("ptp");
    ptp::engine::Sinks sinks(log);
    add_record_sinks(sinks, {}, run.folder.path());
    CHECK(!sinks.read("picture"));
    CHECK(sinks.observer({0, 0}, run.components) == nullptr);
    CHECK(!sinks.take_pictures());
    CHECK(!sinks.take_batches(0));
    CHECK(!sinks.take_batches(std::nullopt));
    CHECK(sinks.probe(0) == nullptr);
}

}  // namespace record_plan_test
