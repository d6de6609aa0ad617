// A statistic as the host keeps it: its name, and how the values of a set's batches become one.

#pragma once

#include <ptp/abi.h>

#include <array>
#include <string>

namespace ptp::engine {

struct Column {
    std::string name;
    ptp_aggregation aggregation = PTP_AGGREGATE_MEAN;
    int weight = -1;  // the column that weighs it; -1: the number of samples
    int decimals = 4;
    bool is_shown = true;
    std::array<bool, 3> in_set = {true, true,
                                  true};  // by StatisticSet: whether it is measured there
    bool is_set_only = false;
    bool has_spread = false;  // minimum, maximum and standard deviation are recorded too
};

}  // namespace ptp::engine
