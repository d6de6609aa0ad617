// A statistic as the host stores it: its name, and how the values of a set's batches are combined.

#pragma once

#include <ptp/abi.h>

#include <array>
#include <cstdint>
#include <string>

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
// see is_recorded(), in set_aggregate.hpp.
inline bool is_in_batches(const Column& column, StatisticSet set) {
    return column.is_shown && !column.is_set_only && column.in_set[set];
}

}  // namespace ptp::engine
