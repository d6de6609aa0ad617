// A small bundle, whole or changed.
#pragma once

#include "bundle/bundle.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp::test {

// A file in a tar archive, with what a hostile one may have.
struct TarEntry {
    std::string path;
    std::string content;
    char type = '0';
    std::string link = {};
    std::string size = {};  // the field of the header, in place of the content's size
};

std::string tar_of(const std::vector<TarEntry>& entries);

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
