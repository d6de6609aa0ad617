// Compares the content of checkpoints for the components of two builds: parameters, buffers and
// state.
#pragma once

#include "plugin/catalog.hpp"
#include "plugin/compare.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace ptp::inspect {

struct LayoutDiff {
    // Entries of the kinds "parameter", "buffer" and "state"; "creation" if only the older build
    // can create the component.
    std::vector<plugin::Compared> compared;
    std::vector<std::string> notes;  // components that are not compared, and why
};

// Creates the components of both builds, in separate processes, with the same settings and sizes
// where both accept them. This process must have one thread. [main]
LayoutDiff compare_layouts(const plugin::CatalogEntry& older, const plugin::CatalogEntry& newer,
                           std::chrono::seconds limit);

}  // namespace ptp::inspect
