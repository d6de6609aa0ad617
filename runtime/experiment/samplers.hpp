// The samplers' options, help and problems of values together. First come the parts that several
// samplers have; sampler.hpp lists the samplers, and engine/data draws with them.

#pragma once

#include "schema/fields.hpp"
#include "schema/one_of.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// Combines two sets of options for a sampler.
template <class Item>
std::vector<Item> both(std::vector<Item> first, std::vector<Item> second) {
    first.insert(first.end(), std::make_move_iterator(second.begin()),
                 std::make_move_iterator(second.end()));
    return first;
}

// The word that replaces numbers of samples which the task states.
inline constexpr std::string_view kFromTask = "task";

// The probability of each sample.
struct Weights {
    static constexpr std::string_view kExpected =
        "a list of numbers, a string of them, the name of a file, or \"task\"";

    std::optional<schema::NumberList<double>> weights =
        {};                                    // present; numbers: not negative, not all 0
    std::optional<std::int64_t> samples = {};  // in an epoch; absent: as many as there are

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {{.name = "weights",
                 .into = &weights,
                 .help = "a number for each sample of the task, or \"task\": those that the task "
                         "states, else 1 divided by the size of the sample's class",
                 .choices = {std::string(kFromTask)},
                 .is_required = true,
                 .expected = kExpected},
                samples_field(samples)};
    }

    template <class Field = schema::Field>
    static Field samples_field(std::optional<std::int64_t>& samples) {
        return {.name = "samples",
                .into = &samples,
                .help = "how many an epoch has; by default as many as there are",
                .range = "[1, 10000000000]"};
    }

    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value&) const {
        const auto sum = weights && weights->source.empty()
                             ? std::accumulate(weights->values.begin(), weights->values.end(), 0.0)
                             : 1;
        if (sum <= 0) {
            return {{"weights", "at least one weight must be above 0"}};
        }
        return {};
    }
};

struct WeightedRandomSampler : Weights {
    static constexpr std::string_view kName = "WeightedRandomSampler";
    static constexpr std::string_view kHelp =
        "samples in proportion to their weights, with replacement";
};

// The source of the class of each sample.
struct Classes {
    // The name of a stream of the task, or of a transform after it that treats each sample
    // separately; unused if `labels` are given.
    std::string label_stream = "targets";
    std::optional<schema::NumberList<std::int64_t>> labels = {};

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {
            {.name = "label_stream",
             .into = &label_stream,
             .help = "the stream with the classes: of the task, or of a transform behind it that "
                     "treats each sample by itself"},
            {.name = "labels",
             .into = &labels,
             .help = "the class of each sample, or \"task\": the classes that the task states",
             .choices = {std::string(kFromTask)},
             .expected = "a list of integers, a string of them, the name of a file, or \"task\""}};
    }

    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value& table) const {
        if (table.find("label_stream") != nullptr && table.find("labels") != nullptr) {
            return {{"label_stream", "is not used beside 'labels'; give one of them"}};
        }
        return {};
    }
};

struct ClassBalancedSampler : Classes {
    static constexpr std::string_view kName = "ClassBalancedSampler";
    static constexpr std::string_view kHelp = "as many samples of each class, with replacement";

    std::optional<std::int64_t> samples = {};  // per epoch; absent: the number of samples

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return both(Classes::fields(), {Weights::samples_field(samples)});
    }
};

// The samples outside of one fold of a cross-validation, or those in it.
struct Folds {
    // `ptprun cv` and --fold set both; by hand, a run needs both. `fold` is held out.
    std::optional<std::int64_t> folds = {};
    std::optional<std::int64_t> fold = {};  // below `folds`
    std::string part = "training";          // all but the fold; "validation": the fold
    std::int64_t fold_seed = 0;
    bool is_from_option = false;  // not a key: of the command line, so that no line has them

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {{.name = "folds",
                 .into = &folds,
                 .help = "into how many parts the samples are cut; `ptprun cv` sets it and fold",
                 .range = "[2, inf)"},
                {.name = "fold",
                 .into = &fold,
                 .help = "the part that is held out, from 0",
                 .range = "[0, inf)"},
                {.name = "part",
                 .into = &part,
                 .help = "training: all but the fold; validation: the fold",
                 .choices = {"training", "validation"}},
                {.name = "fold_seed",
                 .into = &fold_seed,
                 .help = "which samples are in which fold",
                 .range = "[0, inf)"}};
    }

    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value&) const {
        if (folds && fold && *fold >= *folds) {
            return {
                {"fold", fmt::format("must be below the number of folds, which is {}", *folds)}};
        }
        return {};
    }

    [[nodiscard]] bool is_in_order() const { return part == "validation"; }
};

struct KFoldRandomSampler : Folds {
    static constexpr std::string_view kName = "kFoldRandomSampler";
    static constexpr std::string_view kHelp = "the folds of a cross-validation";
};

struct KFoldGroupSampler : Folds {
    static constexpr std::string_view kName = "kFoldGroupSampler";
    static constexpr std::string_view kHelp =
        "the folds of a cross-validation, with all samples of a group in one of them";

    // The name of a stream of the task, or of a transform after it that treats each sample
    // separately.
    std::string group_stream = "groups";

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return both(Folds::fields(),
                    {{.name = "group_stream",
                      .into = &group_stream,
                      .help = "the stream with the group of each sample, a text or an integer: of "
                              "the task, or of a transform behind it that treats each sample by "
                              "itself"}});
    }
};

// Options for batches of samples with similar lengths.
struct Lengths {
    // The name of a stream of the task, or of a transform after it that treats each sample
    // separately.
    std::string length_stream = "lengths";
    std::int64_t pool = 50;  // in batches
    bool shuffle = true;     // by default only in training

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {
            {.name = "length_stream",
             .into = &length_stream,
             .help = "the stream with the length of each sample: of the task, or of a transform "
                     "behind it that treats each sample by itself"},
            {.name = "pool",
             .into = &pool,
             .help = "batches whose samples are sorted by length together, after shuffling",
             .range = "[1, inf)"},
            {.name = "shuffle",
             .into = &shuffle,
             .help = "other batches in every epoch, by default in training; false: all samples "
                     "sorted by length"}};
    }
};

struct LengthGroupedSampler : Lengths {
    static constexpr std::string_view kName = "LengthGroupedSampler";
    static constexpr std::string_view kHelp =
        "all samples, in batches of similar lengths, which need less padding";
};

// A range of the samples, as shares of an order that depends only on the seed.
struct Split {
    std::array<double, 2> share = {0, 1};
    std::int64_t seed = 0;
    bool is_measured = false;  // not a key: a section that is not trained on has its share in order

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {{.name = "share",
                 .into = &share,
                 .help = "[begin, end) of the samples in the split's order, as parts of 1",
                 .range = "[0, 1]",
                 .is_required = true},
                {.name = "seed",
                 .into = &seed,
                 .help = "which samples are in which share",
                 .range = "[0, inf)"}};
    }

    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value& table) const {
        const Value* written = table.find("share");
        const bool has_share = written != nullptr && written->is_list() &&
                               written->items().size() == 2 &&
                               std::ranges::all_of(written->items(), &Value::is_number);
        if (has_share && written->items()[0].as_real() >= written->items()[1].as_real()) {
            return {{"share", "must be [begin, end] with begin below end, such as [0.0, 0.8]"}};
        }
        return {};
    }

    [[nodiscard]] bool is_in_order() const { return is_measured; }
};

struct RandomSplitSampler : Split {
    static constexpr std::string_view kName = "RandomSplitSampler";
    static constexpr std::string_view kHelp = "a share of the samples, split at random";
};

// The samples that may be drawn.
struct Subset {
    std::optional<schema::NumberList<std::int64_t>> indices = {};  // absent if it was rejected

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {{.name = "indices",
                 .into = &indices,
                 .help = "of the samples; two numbers are the range [begin, end)",
                 .is_required = true}};
    }

    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value&) const {
        if (indices && is_range() && indices->values[0] >= indices->values[1]) {
            return {
                {"indices", "two numbers are the range [begin, end), so begin must be below end"}};
        }
        return {};
    }

    [[nodiscard]] std::int64_t largest() const {
        return is_range() ? indices->values[1] - 1 : *std::ranges::max_element(indices->values);
    }

    [[nodiscard]] std::vector<std::int64_t> expanded() const {
        if (!is_range()) {
            return indices->values;
        }
        std::vector<std::int64_t> all(
            static_cast<std::size_t>(indices->values[1] - indices->values[0]));
        std::iota(all.begin(), all.end(), indices->values[0]);
        return all;
    }

private:
    [[nodiscard]] bool is_range() const { return indices->values.size() == 2; }
};

struct SubsetRandomSampler : Subset {
    static constexpr std::string_view kName = "SubsetRandomSampler";
    static constexpr std::string_view kHelp = "some samples, in a new order each epoch";
};

struct RandomSampler {
    static constexpr std::string_view kName = "RandomSampler";
    static constexpr std::string_view kHelp =
        "all samples, or some, in a new order each epoch; also with replacement";

    bool replacement = false;
    std::optional<std::int64_t> samples = {};  // per epoch; absent: the number of samples

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {{.name = "replacement",
                 .into = &replacement,
                 .help = "draws with replacement: a sample may come several times in an epoch"},
                Weights::samples_field(samples)};
    }
};

struct SequentialSampler {
    static constexpr std::string_view kName = "SequentialSampler";
    static constexpr std::string_view kHelp = "all samples, in order";

    std::vector<schema::Field> fields() { return {}; }
    [[nodiscard]] bool is_in_order() const { return true; }
};

struct SubsetSequentialSampler : Subset {
    static constexpr std::string_view kName = "SubsetSequentialSampler";
    static constexpr std::string_view kHelp = "some samples, in order";

    [[nodiscard]] bool is_in_order() const { return true; }
};

struct KFoldWeightedRandomSampler : Folds, Weights {
    static constexpr std::string_view kName = "kFoldWeightedRandomSampler";
    static constexpr std::string_view kHelp =
        "the folds of a cross-validation, drawn by weights in training";

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return both(Folds::fields(), Weights::fields());
    }
    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value& table) const {
        return both(Folds::problems(table), Weights::problems(table));
    }
};

struct KFoldStratifiedSampler : Folds, Classes {
    static constexpr std::string_view kName = "kFoldStratifiedSampler";
    static constexpr std::string_view kHelp =
        "the folds of a cross-validation, with the classes in the same proportions";

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return both(Folds::fields(), Classes::fields());
    }
    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value& table) const {
        return both(Folds::problems(table), Classes::problems(table));
    }
};

struct KFoldLengthGroupedSampler : Folds, Lengths {
    static constexpr std::string_view kName = "kFoldLengthGroupedSampler";
    static constexpr std::string_view kHelp =
        "the folds of a cross-validation, in batches of similar lengths";

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return both(Folds::fields(), Lengths::fields());
    }
    [[nodiscard]] bool is_in_order() const { return false; }
};

struct StratifiedSplitSampler : Split, Classes {
    static constexpr std::string_view kName = "StratifiedSplitSampler";
    static constexpr std::string_view kHelp =
        "a share of the samples, with the classes in the same proportions";

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return both(Split::fields(), Classes::fields());
    }
    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value& table) const {
        return both(Split::problems(table), Classes::problems(table));
    }
};

struct LengthGroupedSplitSampler : Split, Lengths {
    static constexpr std::string_view kName = "LengthGroupedSplitSampler";
    static constexpr std::string_view kHelp =
        "a share of the samples, split at random, in batches of similar lengths";

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return both(Split::fields(), Lengths::fields());
    }
    [[nodiscard]] bool is_in_order() const { return false; }
};

}  // namespace ptp::experiment
