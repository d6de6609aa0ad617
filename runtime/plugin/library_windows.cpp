#include "plugin/library_file.hpp"
#include "plugin/pe.hpp"

namespace ptp::plugin {

LibraryFile read_library(const std::filesystem::path& path) {
    return read_pe(path);
}

std::string_view library_suffix() {
    return ".dll";
}

// Places the note in read-only data. The section's name is kPeNoteSection.
NoteSection note_section() {
    return {.begin = "    .section .ptpnote, \"dr\"\n", .end = ""};
}

}  // namespace ptp::plugin
