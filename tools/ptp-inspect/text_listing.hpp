// Plugins and components for people to read in a terminal.
#pragma once

#include "plugin/catalog.hpp"

#include <string>

namespace ptp::inspect {

// Emphasis by escape codes, or not.
struct Style {
    bool has_colors = false;

    [[nodiscard]] std::string strong(const std::string& text) const;
    [[nodiscard]] std::string warning(const std::string& text) const;
};

// A line for each component of each plugin, then the files that were not taken.
std::string overview(const plugin::Catalog& catalog, const Style& style);

// All about a component.
std::string component_page(const plugin::Component& component, const plugin::Manifest& plugin,
                           const Style& style);

// All about a plugin and its components.
std::string plugin_page(const plugin::CatalogEntry& plugin, const Style& style);

}  // namespace ptp::inspect
