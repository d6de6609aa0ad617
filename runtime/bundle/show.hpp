// The page about a bundle that programs print.
#pragma once

#include "bundle/manifest.hpp"

#include <string>

namespace ptp::bundle {

// Returns lines for a terminal with what a manifest declares.
std::string page_of(const BundleManifest& manifest);

}  // namespace ptp::bundle
