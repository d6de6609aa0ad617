// Converts tables of components and tasks: renames PyTorchPipe's keys, and removes unused ones.

#pragma once

#include "base/value.hpp"
#include "plugin/catalog.hpp"
#include "report.hpp"
#include "vocabulary.hpp"

#include <string>

namespace ptp::importer {

// Information about the available components.
struct Components {
    const plugin::Catalog& catalog;
    Vocabularies vocabularies = {};
};

// Returns nullptr if no plugin, or several, have the type.
const plugin::Component* find_declared(const plugin::Catalog& catalog, const Value& table);

// Converts the table at `path`, such as "training.task", to that of ptp's component.
void import_component(Value& table, const std::string& path, Components& components,
                      Report& report);

}  // namespace ptp::importer
