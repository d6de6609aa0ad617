// The form of lists in Slurm's variables.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::distributed {

// Returns "node07" for "node[07-12,15],login1"; "" if the list has another form.
std::string first_host(std::string_view nodes);

// Returns the number at this index, from 0, of a list such as "4(x2),3"; nullopt if it has none.
std::optional<std::int64_t> tasks_on_node(std::string_view tasks_per_node, std::int64_t node);

}  // namespace ptp::distributed
