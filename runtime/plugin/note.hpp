// The manifest as a note in the plugin's file. An ELF note is loaded with the file, so that tools
// that strip or collect sections keep it, and it is found without section headers. In a DLL it has
// its own section.
#pragma once

#include "plugin/library_file.hpp"
#include "plugin/manifest.hpp"
#include "plugin/manifest_check.hpp"

#include <filesystem>
#include <string>

namespace ptp::plugin {

// Returns the source of an assembler file that adds the note to what it is linked with.
std::string note_source(const Manifest& manifest);

// Returns the manifest in a file. Throws FileError if there is none or if it is not sealed with the
// file's code (UnfinishedFile before sealing), ManifestError if it is invalid.
Manifest read_note(const LibraryFile& file);

// Reads the manifest of a plugin that this host could load: the file is complete, has the entry,
// was built for this host, and links libtorch only if its manifest declares it. Throws FileError or
// ManifestError; what() is a sentence without the path.
Manifest read_manifest(const std::filesystem::path& path);

// Reads the manifest of a file that has been read.
Manifest read_manifest(const LibraryFile& file);

// Returns the plugin's name in a manifest that may be damaged; "" if there is none.
std::string name_in_note(const LibraryFile& file);

// Binds the manifest to the code: writes a hash of both, the seal, into the space that
// note_source() has reserved. The last step of a plugin's build. Throws FileError, and RunError if
// the file cannot be written, which is then unchanged.
void seal_file(const std::filesystem::path& path);

// Writes the manifest into a file that was linked with space for one, and seals it. Throws as
// seal_file().
void embed_manifest(const std::filesystem::path& path, const Manifest& manifest);

}  // namespace ptp::plugin
