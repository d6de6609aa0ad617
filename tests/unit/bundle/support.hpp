// A small bundle, whole or changed.
#pragma once

#include "bundle/bundle.hpp"
#include "support/tar_of.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp::test {

// The contents of a bundle whose experiment and weights are texts.
std::map<std::string, bundle::Content> small_contents();
bundle::BundleManifest small_manifest();

// The bytes of that bundle, and its files in order, the manifest first.
std::string small_bundle();
std::vector<TarEntry> small_entries();

// Returns why the reader refuses these bytes; "" if it accepts all of them. The bundle
// is T/x.ptpm. Fails where anything but RunError with kDataError is thrown, or where anything is
// written beside the folder for its files.
std::string refusal_of(const std::string& bytes);

}  // namespace ptp::test
