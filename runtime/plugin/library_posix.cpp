#include "plugin/elf.hpp"
#include "plugin/library_file.hpp"

namespace ptp::plugin {

LibraryFile read_library(const std::filesystem::path& path) {
    return read_elf(path);
}

std::string_view library_suffix() {
    return ".so";
}

// Places the note. "R" keeps the section when unused sections are collected.
NoteSection note_section() {
    return {.begin = "    .section .note.ptp, \"aR\", %note\n",
            .end = "    .section .note.GNU-stack, \"\", %progbits\n"};
}

}  // namespace ptp::plugin
