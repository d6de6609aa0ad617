// Lists plugins and components for programs.
#pragma once

#include "plugin/catalog.hpp"
#include "selection.hpp"

#include <string>

namespace ptp::inspect {

// {"plugins": [{"path", manifest...}], "components": [{"plugin", component...}],
//  "rejected": [{"path", "reason"}]}; see plugin/manifest_json.hpp for the rest.
std::string json_listing(const Selection& selection, const plugin::Catalog& catalog);

}  // namespace ptp::inspect
