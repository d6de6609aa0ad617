// How Slurm writes lists in its variables.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::distributed {

// "node07" of "node[07-12,15],login1"; "" where the list has another form.
std::string first_host(std::string_view nodes);

// Of a list such as "4(x2),3", the number at this index, from 0; nullopt where it has none.
std::optional<std::int64_t> tasks_on_node(std::string_view tasks_per_node, std::int64_t node);

}  // namespace ptp::distributed
