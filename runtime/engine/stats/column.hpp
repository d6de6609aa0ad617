// A statistic as the host keeps it: its name, and how the values of a set's batches become one.

#pragma once

#include <ptp/abi.h>

#include <array>
#include <cstdint>
#include <string>

namespace ptp::engine {

// The number ptp_step.set of each section.
enum StatisticSet : std::uint64_t { kTrainingSet = 0, kValidationSet = 1, kTestSet = 2 };

struct Column {
    std::string name;
    ptp_aggregation aggregation = PTP_AGGREGATE_MEAN;
    int weight = -1;  // the column that weighs it; -1: the number of samples
    int decimals = 4;
    bool is_shown = true;
    std::array<bool, 3> in_set = {true, true,
                                  true};  // by StatisticSet: whether it is measured there
    bool is_set_only = false;
    bool is_batch_only = false;  // such as a learning rate, which a set as a whole has none of
    bool has_spread = false;     // minimum, maximum and standard deviation are recorded too
    bool is_loss = false;        // of the weight 0 it is the sum itself: see divisor_of()
};

// Whether the rows of the batches of this set have the column. What a set lacks, because its
// component is inactive there, is left out of every form of records. For rows of whole sets see
// is_recorded(), in set_aggregate.hpp.
inline bool is_in_batches(const Column& column, StatisticSet set) {
    return column.is_shown && !column.is_set_only && column.in_set[set];
}

}  // namespace ptp::engine
