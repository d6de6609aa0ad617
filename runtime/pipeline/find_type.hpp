// Finds the component that an experiment means by a type.

#pragma once

#include "base/diagnostics.hpp"
#include "base/source_location.hpp"
#include "plugin/catalog.hpp"

#include <optional>
#include <string>

namespace ptp::pipeline {

struct TypeRequest {
    std::string type;      // "LeNet5", or "vision_models/LeNet5"
    SourceLocation place;  // of the type
    std::string path;      // of the component's table: "pipeline.lenet5"
    bool is_task = false;
};

// nullopt after reporting that there is no such component, several, or one of the wrong kind.
std::optional<plugin::Found> find_type(const plugin::Catalog& catalog, const TypeRequest& request,
                                       Diagnostics& problems);

// "task", "model", ...
std::string kind_text(plugin::Kind kind);

}  // namespace ptp::pipeline
