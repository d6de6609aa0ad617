// What the classes are called whose scores a stream has.

#pragma once

#include "engine/component/globals.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// The names of N classes, by their numbers: those of the only global that is a table from as
// many names to the numbers from 0 on; of several that one which is called label_word_mappings.
// nullopt where there is none, and with several: `global` names one then. Throws RunError for a
// global that is asked for and is no such table.
std::optional<std::vector<std::string>> class_names(const Globals& globals, std::int64_t count,
                                                    const std::optional<std::string>& global);

}  // namespace ptp::engine
