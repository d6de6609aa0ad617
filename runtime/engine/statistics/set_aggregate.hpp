// Combines the values of many batches into one for the set.

#pragma once

#include "engine/statistics/column.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace ptp::engine {

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
