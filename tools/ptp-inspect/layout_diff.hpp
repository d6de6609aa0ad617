// What checkpoints have of the components of two builds: their parameters, buffers and state.
#pragma once

#include "plugin/catalog.hpp"
#include "plugin/compare.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace ptp::inspect {

struct LayoutDiff {
    // Kinds "parameter", "buffer" and "state"; "creation" of what only the older build can create.
    std::vector<plugin::Compared> compared;
    std::vector<std::string> notes;  // components that are not compared, and why
};

// Creates the components of both builds, in processes of their own, with the same settings and
// sizes as far as both take them. REQUIRES: this process has one thread. [main]
LayoutDiff compare_layouts(const plugin::CatalogEntry& older, const plugin::CatalogEntry& newer,
                           std::chrono::seconds limit);

}  // namespace ptp::inspect
