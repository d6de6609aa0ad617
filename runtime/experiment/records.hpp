// [records]: the statistics that a run writes besides the CSV files, with a table for each sink.

#pragma once

#include "schema/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ptp::experiment {

// The episodes of training from one that a sink records to the next.
template <class Field = schema::Field>
Field every_episodes_field(std::int64_t& every_episodes) {
    return {.name = "every_episodes",
            .into = &every_episodes,
            .help = "episodes of training from one that is recorded to the next",
            .range = "[1, inf)"};
}

// The options of statistics.jsonl.
struct JsonLines {
    static constexpr std::string_view kName = "json_lines";
    static constexpr std::string_view kHelp = "statistics.jsonl: an object on each line";

    std::int64_t every_episodes = 1;  // of training, per row; sets have a row for each pass

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {every_episodes_field(every_episodes)};
    }
};

// The options of the event files in the folder tensorboard.
struct TensorBoard {
    static constexpr std::string_view kName = "tensorboard";
    static constexpr std::string_view kHelp = "event files in the folder tensorboard";

    std::int64_t every_episodes = 1;                  // of training, per row
    std::int64_t histograms_every_episodes = 0;       // for weights and gradients; 0: none
    std::vector<schema::Placed<std::string>> images;  // streams, shown once per epoch
    std::int64_t image_count = 4;                     // per stream, from the first batch

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {every_episodes_field(every_episodes),
                {.name = "histograms_every_episodes",
                 .into = &histograms_every_episodes,
                 .help = "the same for histograms of weights and gradients; 0: none",
                 .range = "[0, inf)"},
                {.name = "image_count",
                 .into = &image_count,
                 .help = "of each stream",
                 .range = "[1, 64]"},
                {.name = "images",
                 .into = &images,
                 .help = "streams that are shown once in each epoch"}};
    }
};

// The options of the files in the folder samples.
struct SampleValues {
    static constexpr std::string_view kName = "sample_values";
    static constexpr std::string_view kHelp =
        "files in the folder samples: losses and statistics of each validated and tested sample";

    std::int64_t every_epochs = 1;  // of validations; a test is always recorded
    std::int64_t max_classes = 100;
    std::int64_t examples = 200;
    std::vector<schema::Placed<std::string>> streams;  // beside what losses compare

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {{.name = "every_epochs",
                 .into = &every_epochs,
                 .help = "epochs from one whose validation is recorded to the next",
                 .range = "[1, inf)"},
                {.name = "max_classes",
                 .into = &max_classes,
                 .help = "the most classes, or predicted numbers of a sample, that are recorded",
                 .range = "[0, 10000]"},
                {.name = "examples",
                 .into = &examples,
                 .help = "samples that are kept with their streams: half the worst, the rest the "
                         "best, confused and drawn ones; 0: none",
                 .range = "[0, 100000]"},
                {.name = "streams",
                 .into = &streams,
                 .help = "numbers of each sample that are recorded besides, such as embeddings"}};
    }
};

// The options of layers.csv.
struct LayerValues {
    static constexpr std::string_view kName = "layer_values";
    static constexpr std::string_view kHelp =
        "layers.csv: sizes of weights, steps, activations and gradients by layer";

    std::int64_t every_episodes = 100;  // of training
    bool has_operations = true;         // a row for the result of each operation of a model

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {every_episodes_field(every_episodes),
                {.name = "operations",
                 .into = &has_operations,
                 .help = "also the result of each operation within a model, such as a convolution, "
                         "whatever its plugin is"}};
    }
};

// The options of the files in the folder probe.
struct Probe {
    static constexpr std::string_view kName = "probe";
    static constexpr std::string_view kHelp =
        "files in the folder probe: what the model returns for the same samples after each epoch";

    std::int64_t every_epochs = 1;
    std::vector<std::int64_t> samples;  // none: the first kFirst of the task, or fewer
    std::string section = {};           // "": validation, or training without one
    std::vector<schema::Placed<std::string>> streams;  // none: those that models write

    static constexpr std::int64_t kFirst = 16;

    // Returns whether a probe follows this epoch, which counts from 0.
    [[nodiscard]] bool is_due(std::uint64_t epoch) const {
        return (epoch + 1) % static_cast<std::uint64_t>(every_epochs) == 0;
    }

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {{.name = "every_epochs",
                 .into = &every_epochs,
                 .help = "epochs from one that is followed by a probe to the next",
                 .range = "[1, inf)"},
                {.name = "samples",
                 .into = &samples,
                 .help = "numbers of the samples in the task, at most a batch of them; by default "
                         "the first 16",
                 .range = "[0, inf)",
                 .is_unique = true},
                {.name = "section",
                 .into = &section,
                 .help = "whose task provides them; by default validation, else training"},
                {.name = "streams",
                 .into = &streams,
                 .help = "numbers that are written; by default those that models return"}};
    }
};

template <class... Sinks>
struct RecordsOf {
    std::tuple<std::optional<Sinks>...> sinks = {};  // absent: not written

    template <class Sink>
    [[nodiscard]] std::optional<Sink>& get() {
        return std::get<std::optional<Sink>>(sinks);
    }
    template <class Sink>
    [[nodiscard]] const std::optional<Sink>& get() const {
        return std::get<std::optional<Sink>>(sinks);
    }

    // Calls `use` with the options of each sink that is written.
    void for_each(const auto& use) const {
        std::apply([&](const auto&... all) { ((all ? use(*all) : void()), ...); }, sinks);
    }
};

// The list of sinks. Their writers are in engine/output.
using Records = RecordsOf<JsonLines, TensorBoard, SampleValues, LayerValues, Probe>;

}  // namespace ptp::experiment
