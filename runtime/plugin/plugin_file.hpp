// Checks a plugin's file without loading it.
#pragma once

#include "plugin/library_file.hpp"
#include "plugin/manifest.hpp"
#include "plugin/manifest_error.hpp"

#include <filesystem>

namespace ptp::plugin {

// Reads the manifest of a plugin that this host could load: the file is complete, has the entry,
// was built for this host, and links libtorch only if its manifest declares it. Throws FileError or
// ManifestError; what() is a sentence without the path.
Manifest read_manifest(const std::filesystem::path& path);

// Reads the manifest of a file that has been read.
Manifest read_manifest(const LibraryFile& file);

}  // namespace ptp::plugin
