// The model card: what is known about a bundle, for people.
#pragma once

#include "bundle/manifest.hpp"

#include <string>

namespace ptp::bundling {

// Returns the card in Markdown. A heading for which the manifest has no facts is left out.
std::string card_of(const bundle::BundleManifest& manifest);

}  // namespace ptp::bundling
