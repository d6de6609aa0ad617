// The manifest as a note in the plugin's file. An ELF note is loaded with the file, so that no tool
// that strips or collects sections takes it away, and it is found without section headers. In a DLL
// it has a section of its own.
#pragma once

#include "plugin/library_file.hpp"
#include "plugin/manifest.hpp"

#include <filesystem>
#include <string>

namespace ptp::plugin {

// The source of an assembler file that puts the note into what it is linked with.
std::string note_source(const Manifest& manifest);

// The manifest in a file. Throws FileError if there is none or if it is not sealed with the file's
// code (UnfinishedFile before it is), ManifestError if it is not right.
Manifest read_note(const LibraryFile& file);

// The plugin's name in a manifest that may be damaged; "" if there is none.
std::string name_in_note(const LibraryFile& file);

// Binds the manifest to the code: writes a hash of both, the seal, into the place that
// note_source() has left for it. The last step of a plugin's build. Throws FileError, and RunError
// where the file cannot be written, which is as it was then.
void seal_file(const std::filesystem::path& path);

// Writes the manifest into a file that was linked with room for one, and seals it. Throws as
// seal_file().
void embed_manifest(const std::filesystem::path& path, const Manifest& manifest);

}  // namespace ptp::plugin
