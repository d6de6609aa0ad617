// The purposes that settings, ports and globals may have (ptp_purpose in ptp/declarations.h).
#pragma once

#include "base/ranges.hpp"
#include "plugin/manifest.hpp"

#include <vector>

namespace ptp::plugin {

// Returns whether the type of a setting, port or global suits its purpose.
// REQUIRES: it has one, which is known
bool suits(const Setting& setting);
bool suits(const Port& port);
bool suits(const Global& global);

// Returns the first of settings, ports or globals that has the purpose; nullptr if none has.
template <class Item>
const Item* find_purpose(const std::vector<Item>& items, Purpose purpose) {
    return find_by(items, purpose, &Item::purpose);
}

}  // namespace ptp::plugin
