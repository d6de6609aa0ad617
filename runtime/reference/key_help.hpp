// One line on each key that ptp itself reads. What plugins declare has its help in the plugin.

#pragma once

#include <string_view>

namespace ptp::reference {

// By the key's path, "training.optimizer.lr"; "" for a key without help.
std::string_view key_help(std::string_view path);

}  // namespace ptp::reference
