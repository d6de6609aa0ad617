// The columns of a set in a section: sections of one role share a set, and not all components run
// in each.

#include "engine/statistics/statistics.hpp"

#include <algorithm>
#include <cstddef>

namespace ptp::engine {

void Statistics::begin(StatisticSet set, std::string_view section) {
    const auto found = std::ranges::find(plan_.tasks, section, &pipeline::Node::section);
    if (found != plan_.tasks.end()) {
        const auto task = static_cast<std::size_t>(found - plan_.tasks.begin());
        for (const Loss& loss : losses_) {
            columns_[loss.column].in_set[set] = loss.runs_for[task];
        }
        for (Source& source : sources_) {
            source.in_set[set] = source.runs_for[task];
            for (const int column : source.columns) {
                if (column >= 0) {
                    columns_[static_cast<std::size_t>(column)].in_set[set] = source.runs_for[task];
                }
            }
        }
        if (total_column_ >= 0) {
            columns_[static_cast<std::size_t>(total_column_)].in_set[set] = has_loss(set);
        }
    }
    reset(set);
}

}  // namespace ptp::engine
