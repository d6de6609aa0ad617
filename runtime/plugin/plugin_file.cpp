#include "plugin/plugin_file.hpp"

#include "plugin/fingerprint.hpp"
#include "plugin/note.hpp"

#include <fmt/format.h>

namespace ptp::plugin {

Manifest read_manifest(const std::filesystem::path& path) {
    return read_manifest(read_library(path));
}

Manifest read_manifest(const LibraryFile& file) {
    if (!file.has_entry) {
        throw WithFix<FileError>({kNoEntry, kNoEntryFix});
    }
    Manifest manifest = read_note(file);
    if (const auto refusal = refuse_build(manifest.build, host_build())) {
        throw WithFix<FileError>(*refusal);
    }
    if (manifest.build.libtorch.empty() && (file.needs("libtorch") || file.needs("libc10"))) {
        throw FileError("links libtorch, but according to its manifest it was built without");
    }
    return manifest;
}

}  // namespace ptp::plugin
