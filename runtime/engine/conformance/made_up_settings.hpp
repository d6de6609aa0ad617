// Values for settings, made up from what a component declares of them.

#pragma once

#include "base/value.hpp"
#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::engine {

// Names of the required settings for which nothing can be made up, such as the path of a file, and
// nothing is `given`, a table.
std::vector<const plugin::Setting*> missing_settings(const plugin::Component& component,
                                                     const Value& given);

// Tables of settings to try, the likeliest first: what is given, and values for all others that are
// required. They are allowed one by one; whether they fit each other is for others to find out.
std::vector<Value> made_up_settings(const plugin::Component& component, const Value& given);

// The members of such a table that are required, with made-up values.
Value made_up_members(const plugin::Component& component, const plugin::Setting& table);

// Further ones, for a component that has refused these: with settings that need not be given. Those
// that the refusal names come first.
std::vector<Value> more_settings(const plugin::Component& component, const Value& given,
                                 const std::string& refusal);

}  // namespace ptp::engine
