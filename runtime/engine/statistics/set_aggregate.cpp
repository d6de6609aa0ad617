// Accumulates the values of batches by Welford's method.

#include "engine/statistics/set_aggregate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ptp::engine {

namespace {

constexpr std::size_t kNumbersPerState = 7;

}  // namespace

void SetAggregate::reset() {
    std::fill(states_.begin(), states_.end(), State{});
}

void SetAggregate::add(const std::vector<Column>& columns, std::span<const double> values,
                       std::uint64_t samples) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
        if (columns[i].is_set_only || columns[i].is_batch_only) {
            continue;
        }
        State& state = states_[i];
        const double value = values[i];
        double weight = 1;
        if (columns[i].weight >= 0) {
            weight = values[static_cast<std::size_t>(columns[i].weight)];
        } else if (columns[i].aggregation == PTP_AGGREGATE_MEAN) {
            weight = static_cast<double>(samples);
        }
        if (weight == 0) {
            // A statistic of such a batch may have no value, and NaN would spoil the sum.
            state.sum += columns[i].is_loss ? value : 0;
            continue;
        }
        state.sum += weight * value;
        state.weight += weight;
        state.minimum = state.count == 0 ? value : std::min(state.minimum, value);
        state.maximum = state.count == 0 ? value : std::max(state.maximum, value);
        state.count += 1;
        const double step = value - state.mean;
        state.mean += step / state.count;
        state.squares += step * (value - state.mean);
    }
}

std::vector<double> SetAggregate::save() const {
    std::vector<double> numbers;
    numbers.reserve(states_.size() * kNumbersPerState);
    for (const State& state : states_) {
        numbers.insert(numbers.end(), {state.sum, state.weight, state.minimum, state.maximum,
                                       state.mean, state.squares, state.count});
    }
    return numbers;
}

bool SetAggregate::restore(std::span<const double> numbers) {
    if (numbers.size() != states_.size() * kNumbersPerState) {
        return false;
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
        const std::span<const double> saved =
            numbers.subspan(i * kNumbersPerState, kNumbersPerState);
        states_[i] = {.sum = saved[0],
                      .weight = saved[1],
                      .minimum = saved[2],
                      .maximum = saved[3],
                      .mean = saved[4],
                      .squares = saved[5],
                      .count = saved[6]};
    }
    return true;
}

Aggregate SetAggregate::of(const Column& column, std::size_t index) const {
    const State& state = states_[index];
    Aggregate made;
    if (state.count == 0) {
        made.minimum = made.maximum = made.deviation = std::numeric_limits<double>::quiet_NaN();
    } else {
        made.minimum = state.minimum;
        made.maximum = state.maximum;
        made.deviation = state.count > 1 ? std::sqrt(state.squares / (state.count - 1)) : 0;
    }
    if (column.aggregation == PTP_AGGREGATE_SUM) {
        made.value = state.sum;
    } else if (column.aggregation == PTP_AGGREGATE_MEAN) {
        made.value =
            state.weight == 0 ? std::numeric_limits<double>::quiet_NaN() : state.sum / state.weight;
    }
    return made;
}

}  // namespace ptp::engine
