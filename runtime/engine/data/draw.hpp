// Orders of an epoch other than shuffled: drawn by weights, balanced by class, or in batches of
// similar lengths.

#pragma once

#include <cstdint>
#include <vector>

namespace ptp::engine {

// Draws with replacement. Each draw depends only on the key and its number.
class WeightedDraw {
public:
    // A weight for each sample. REQUIRES: none is negative, their sum is finite and above 0.
    WeightedDraw(std::vector<std::int64_t> samples, const std::vector<double>& weights);

    [[nodiscard]] std::vector<std::int64_t> order(std::uint64_t count, std::uint64_t key) const;

    bool operator==(const WeightedDraw&) const = default;

private:
    std::vector<std::int64_t> samples_;
    std::vector<double> sums_;  // cumulative weights, including each sample's
};

// Draws equally many samples of each class (plus or minus one), in a mixed order. Within a class
// the samples rotate, so that each is drawn as often as the others (plus or minus once).
class BalancedDraw {
public:
    // A label for each sample, from 0 to the number of samples.
    explicit BalancedDraw(const std::vector<std::int64_t>& labels);

    [[nodiscard]] std::vector<std::int64_t> order(std::uint64_t count, std::uint64_t key) const;

    bool operator==(const BalancedDraw&) const = default;

private:
    std::vector<std::vector<std::int64_t>> classes_;  // the samples of each, in label order
};

// Draws each sample once, in batches of similar lengths: the shuffled samples are cut into pools,
// those of a pool sorted by length and cut into batches, and the batches of all pools shuffled.
// An incomplete batch stays last. Without shuffling, all are sorted.
class LengthGrouping {
public:
    struct Options {
        std::uint64_t batch_size = 1;
        std::uint64_t pool = 1;  // in batches
        bool is_shuffled = true;

        bool operator==(const Options&) const = default;
    };

    // A length for each sample, from 0 to the number of samples of the task.
    LengthGrouping(std::vector<std::int64_t> lengths, const Options& options);

    // Returns `samples` in another order.
    [[nodiscard]] std::vector<std::int64_t> order(std::vector<std::int64_t> samples,
                                                  std::uint64_t key) const;

    bool operator==(const LengthGrouping&) const = default;

private:
    std::vector<std::int64_t> lengths_;
    Options options_;
};

}  // namespace ptp::engine
