// Makes up values for settings from their declarations.

#pragma once

#include "base/value.hpp"
#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::solo {

// Returns the required settings that are not in the table `given` and for which no value can be
// made up, such as the path of a file.
std::vector<const plugin::Setting*> missing_settings(const plugin::Component& component,
                                                     const Value& given);

// Returns tables of settings to try, the likeliest first: the given ones, and values for all other
// required ones. Each is allowed by itself; whether they fit each other is not checked. For a
// component that has refused those tables, returns further ones, with optional settings: those that
// the refusal names, and those with few values.
std::vector<Value> made_up_settings(const plugin::Component& component, const Value& given,
                                    const std::string& refusal = "");

// Returns the required members of such a table, with made-up values.
Value made_up_members(const plugin::Component& component, const plugin::Setting& table);

}  // namespace ptp::solo
