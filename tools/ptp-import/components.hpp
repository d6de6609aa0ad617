// Tables of components and tasks: what PyTorchPipe calls otherwise, and what no component reads.

#pragma once

#include "base/value.hpp"
#include "plugin/catalog.hpp"
#include "report.hpp"
#include "vocabulary.hpp"

#include <string>

namespace ptp::importer {

// What an import knows of the components that are there.
struct Components {
    const plugin::Catalog& catalog;
    Vocabularies vocabularies = {};
};

// nullptr where no plugin, or several, have the type.
const plugin::Component* find_declared(const plugin::Catalog& catalog, const Value& table);

// Changes the table at `path`, such as "training.task", to what the component of ptp takes.
void import_component(Value& table, const std::string& path, Components& components,
                      Report& report);

}  // namespace ptp::importer
