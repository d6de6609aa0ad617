// The samples of an epoch and their order, which depend on the run's seed, the section and the
// epoch.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/sampler.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// Draws samples with replacement; each draw depends only on the key and its number. REQUIRES: a
// weight for each sample of the task, none negative, with a finite sum above 0.
std::vector<std::int64_t> weighted_order(const std::vector<std::int64_t>& samples,
                                         const std::vector<double>& weights, std::uint64_t count,
                                         std::uint64_t key);

// Draws equally many samples of each class (plus or minus one), in a mixed order. Within a class
// the samples rotate, so that each is drawn as often as the others (plus or minus once).
// `labels[i]` is the class of sample i of the task.
std::vector<std::int64_t> balanced_order(const std::vector<std::int64_t>& labels,
                                         std::uint64_t count, std::uint64_t key);

// The length of each sample of the task, by its index, and how samples are grouped by it.
struct LengthGrouping {
    std::vector<std::int64_t> lengths;
    std::uint64_t batch_size = 1;
    std::uint64_t pool = 1;  // in batches
    bool is_shuffled = true;

    bool operator==(const LengthGrouping&) const = default;
};

// Draws each sample once, in batches of similar lengths: the shuffled samples are cut into pools,
// those of a pool sorted by length and cut into batches, and the batches of all pools shuffled.
// An incomplete batch stays last. Without shuffling, all are sorted.
std::vector<std::int64_t> grouped_order(const LengthGrouping& grouping,
                                        std::vector<std::int64_t> samples, std::uint64_t key);

// Returns the samples of the part that `folds` names, in increasing order. All samples are put in
// an order that depends only on `fold_seed`, which is cut into folds whose sizes differ by at most
// one. With labels, one for each sample, the numbers of samples that two folds have of one class
// differ by at most one, too. There are at least two folds, and a sample for each.
std::vector<std::int64_t> fold_part(const experiment::Folds& folds, std::int64_t count,
                                    const std::vector<std::int64_t>& labels);

// Returns the same for folds that have whole groups: the largest group first, each goes to the fold
// that has the fewest samples so far, as in scikit-learn's GroupKFold. There is a group for each
// fold.
std::vector<std::int64_t> group_part(const experiment::Folds& folds,
                                     const std::vector<std::int64_t>& groups);

// Returns the samples between the split's shares, in increasing order, which depend only on these,
// the split's seed, the count and the labels. Adjacent shares have no sample in common and leave
// none out. With the labels of a stratified split, one for each sample, a share has as many samples
// of each class as its fraction specifies, with an error of less than one.
std::vector<std::int64_t> split_part(const experiment::Split& split, std::int64_t count,
                                     const std::vector<std::int64_t>& labels);

// Properties of each sample of the task, if the sampler needs them: see sample_facts(). Otherwise
// empty.
struct SampleFacts {
    std::vector<std::int64_t> labels = {};
    std::vector<double> weights = {};
    std::vector<std::int64_t> lengths = {};
};

class Sampling {
public:
    // Throws RunError with kConfigurationError if the section's sampler does not fit a task of
    // `task_size`, with kDataError if there is no sample.
    Sampling(const experiment::Section& section, std::int64_t task_size, std::uint64_t seed,
             const SampleFacts& known = {});

    [[nodiscard]] std::vector<std::int64_t> order(std::uint64_t epoch) const;

    // Returns the seed of all randomness of a sample.
    [[nodiscard]] std::uint64_t sample_seed(std::uint64_t epoch, std::int64_t index) const;

    // Returns the number of samples in an epoch.
    [[nodiscard]] std::size_t size() const { return size_; }

    // Returns how many samples may be among the first `count` of all epochs.
    [[nodiscard]] std::int64_t drawable_count(std::uint64_t count) const;

    // Returns a warning about the sampler, which depends on the classes of the samples; "": none.
    [[nodiscard]] const std::string& warning() const { return warning_; }

    // Returns whether every epoch has the same samples in the same order.
    bool operator==(const Sampling&) const = default;

private:
    std::vector<std::int64_t> population_;  // the samples that may be drawn
    std::string warning_;
    bool is_shuffled_;
    std::vector<double> weights_;       // one for each of them to draw by; else empty
    std::vector<std::int64_t> labels_;  // to balance; else empty
    std::optional<LengthGrouping> grouped_;
    std::size_t size_;
    std::uint64_t order_key_;
    std::uint64_t sample_key_;
};

}  // namespace ptp::engine
