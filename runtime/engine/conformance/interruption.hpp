// Whether a component goes on after an interruption as if there had been none: what it keeps from
// step to step must be in its tensors, in what it exports or in the random generator of the host.

#pragma once

#include "engine/check_request.hpp"
#include "plugin/catalog.hpp"
#include "plugin/manifest.hpp"

#include <ptp/abi.h>

#include <filesystem>

namespace ptp::engine {

// Runs it on made-up values: once over all steps, and once with an interruption, where another
// instance takes over. `folder` is for what it writes.
ComponentVerdict check_interruption(const plugin::CatalogEntry& entry,
                                    const plugin::Component& component,
                                    const ptp_component_info& info,
                                    const std::filesystem::path& folder);

// All components of the plugin, each in a process of its own. Throws plugin::LoadError.
void check_components(const CheckRequest& request, CheckResult& result);

}  // namespace ptp::engine
