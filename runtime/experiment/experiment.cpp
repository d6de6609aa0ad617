#include "experiment/experiment.hpp"

#include <algorithm>

namespace ptp::experiment {

std::string_view renamed(const std::vector<Renaming>& map, std::string_view name) {
    const auto found = std::ranges::find(map, name, &Renaming::from);
    return found == map.end() ? name : std::string_view(found->to);
}

bool ComponentEntry::runs_in(std::string_view phase) const {
    return phases.empty() || std::ranges::find(phases, phase) != phases.end();
}

}  // namespace ptp::experiment
