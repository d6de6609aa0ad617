// Columns of statistics, and how the values of many batches become one for their set.

#pragma once

#include <ptp/abi.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ptp::engine {

// The value of ptp_step.set for each section.
enum StatisticSet : std::uint64_t { kTrainingSet = 0, kValidationSet = 1, kTestSet = 2 };

struct Column {
    std::string name;
    ptp_aggregation aggregation = PTP_AGGREGATE_MEAN;
    int weight = -1;  // the column with its weights; -1: the number of samples
    int decimals = 4;
    bool is_shown = true;
    std::array<bool, 3> in_set = {true, true,
                                  true};  // by StatisticSet: whether it is measured there
    bool is_set_only = false;
    bool is_batch_only = false;  // such as a learning rate, which a whole set does not have
    bool has_spread = false;     // also records minimum, maximum and standard deviation
    bool is_loss = false;        // if the weight is 0, it is the sum itself: see divisor_of()
};

// Returns whether the rows of this set's batches have the column. Columns that a set lacks, because
// their component is inactive there, are omitted in every form of records. For rows of whole sets
// see is_recorded().
inline bool is_in_batches(const Column& column, StatisticSet set) {
    return column.is_shown && !column.is_set_only && column.in_set[set];
}

// The value of a set for one column.
struct Aggregate {
    double value = 0;
    double minimum = 0;  // over batches
    double maximum = 0;
    double deviation = 0;    // of the sample (n - 1); 0 for one batch
    bool is_absent = false;  // not measured in this set
};

// Returns whether the row of the set has the column.
inline bool is_recorded(const Column& column, const Aggregate& aggregate) {
    return column.is_shown && !aggregate.is_absent;
}

class SetAggregate {
public:
    explicit SetAggregate(const std::vector<Column>& columns) : states_(columns.size()) {}

    void reset();

    // Adds a batch, with a value for each column. A batch whose weight in a column is 0 is ignored
    // in it.
    void add(const std::vector<Column>& columns, std::span<const double> values,
             std::uint64_t samples);

    // save() returns the accumulated values, as numbers whose meaning only restore() knows; all
    // their bits count. restore() sets the sums to such numbers, and returns false if they do not
    // fit these columns.
    [[nodiscard]] std::vector<double> save() const;
    [[nodiscard]] bool restore(std::span<const double> numbers);

    // Returns NaN if the total weight is 0. For COMPUTED columns `value` is left to the caller.
    [[nodiscard]] Aggregate of(const Column& column, std::size_t index) const;

private:
    struct State {
        double sum = 0;  // weighted for MEAN
        double weight = 0;
        double minimum = 0;
        double maximum = 0;
        double mean = 0;  // Welford's, of the batches
        double squares = 0;
        double count = 0;  // an integer
    };
    std::vector<State> states_;
};

}  // namespace ptp::engine
