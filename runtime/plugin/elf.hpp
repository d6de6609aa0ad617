// What a shared library's file says, read without loading it.
//
// The part that would be loaded is read into memory once, so that a file that changes meanwhile can
// do no harm; every offset in it is checked before it is followed.
#pragma once

#include "base/file_error.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

// The owner of the notes that a plugin has.
inline constexpr std::string_view kNoteOwner = "PTP";

struct ElfNote {
    std::string owner;  // "GNU"
    std::uint32_t type = 0;
    std::string content;
    std::uint64_t offset = 0;  // of the content in the file
};

struct ElfFile {
    std::vector<std::string> needed;      // names of the libraries it asks for
    std::vector<std::string> exported;    // names of the symbols others can use
    std::vector<std::string> undefined;   // names of the symbols it wants from others
    std::size_t unique_symbol_count = 0;  // symbols that make it impossible to unload
    bool has_executable_stack = false;
    std::vector<ElfNote> notes;
    std::string
        code_hash;  // see plugin/code_hash.hpp; "" where there are no notes of the owner "PTP"

    bool exports(std::string_view symbol) const;
    bool needs(std::string_view library_prefix) const;
};

// Throws FileError.
ElfFile read_elf(const std::filesystem::path& path);

}  // namespace ptp::plugin
