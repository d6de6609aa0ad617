// Finds the tensors and the state of a plugin's components.

#pragma once

#include "engine/layout_request.hpp"

namespace ptp::engine {

// Throws plugin::LoadError.
void find_layouts(const LayoutRequest& request, LayoutResult& result);

}  // namespace ptp::engine
