#include "config/experiment.hpp"

#include <algorithm>

namespace ptp::config {

std::string_view renamed(const std::vector<Renaming>& map, std::string_view name) {
    const auto found = std::ranges::find(map, name, &Renaming::from);
    return found == map.end() ? name : std::string_view(found->to);
}

}  // namespace ptp::config
