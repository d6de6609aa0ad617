// Which samples of a section's task are seen, and in which order.

#pragma once

#include "base/source_location.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::experiment {

// The samples a sampler may draw.
struct Indices {
    SourceLocation place;
    bool is_range = false;             // then `values` is {begin, end}, half open
    std::vector<std::int64_t> values;  // at least one sample, none negative

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::int64_t largest() const;
    [[nodiscard]] std::vector<std::int64_t> expanded() const;
};

// A number for each sample of the task.
template <class Number>
struct PerSample {
    SourceLocation place;
    std::vector<Number> values;
};

// How an epoch is made from the samples that may be drawn.
enum class Drawing {
    kInOrder,   // each once
    kShuffled,  // each once, in a new order in every epoch
    kWeighted,  // as likely as its weight says, with replacement
    kBalanced,  // as many of each class
};

struct Sampler {
    std::string type;                // "RandomSampler" and the like
    std::optional<Indices> indices;  // present for the Subset samplers, absent otherwise
    std::optional<PerSample<double>> weights = {};  // finite, not negative, not all 0
    std::optional<std::int64_t> samples = {};       // in an epoch; absent: as many as there are

    // Of the k-fold samplers: `folds` is 0 for the others.
    std::int64_t folds = 0;
    std::int64_t fold = 0;          // the one that is held out, below `folds`
    std::string part = "training";  // all but the fold, or "validation": the fold
    std::int64_t fold_seed = 0;     // which samples are in which fold

    // Of the split samplers: the samples between these shares of an order that depends on
    // `split_seed` alone. An empty share for the others.
    std::array<double, 2> share = {0, 0};
    std::int64_t split_seed = 0;

    // Of the samplers that know classes.
    std::string label_stream = "targets";  // of the task; unused where `labels` are given
    std::optional<PerSample<std::int64_t>> labels = {};

    SourceLocation place = {};  // of the table
    bool is_each_once = false;  // not written: gives all that it may draw once, in order

    [[nodiscard]] Drawing drawing() const;
    [[nodiscard]] bool is_split() const { return share[1] > share[0]; }
    [[nodiscard]] bool is_stratified() const;
    [[nodiscard]] bool needs_labels() const;
};

}  // namespace ptp::experiment
