// Which tensors and which state the components of a plugin have.

#pragma once

#include "engine/layout_request.hpp"

namespace ptp::engine {

// Throws plugin::LoadError.
void find_layouts(const LayoutRequest& request, LayoutResult& result);

}  // namespace ptp::engine
