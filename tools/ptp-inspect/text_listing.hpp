// Lists plugins and components for people, in a terminal.
#pragma once

#include "plugin/catalog.hpp"

#include <string>

namespace ptp::inspect {

// The style of text, which may be emphasized by escape codes.
struct Style {
    bool has_colors = false;

    [[nodiscard]] std::string strong(const std::string& text) const;
    [[nodiscard]] std::string warning(const std::string& text) const;
};

// Returns a line for each component of each plugin, then the rejected files.
std::string overview(const plugin::Catalog& catalog, const Style& style);

// Returns the full description of a component.
std::string component_page(const plugin::Component& component, const plugin::Manifest& plugin,
                           const Style& style);

// Returns the full description of a plugin and its components.
std::string plugin_page(const plugin::CatalogEntry& plugin, const Style& style);

}  // namespace ptp::inspect
