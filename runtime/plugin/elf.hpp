// The content of a shared library's file, read without loading it.
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

// Which machines' files are read: those that this host could load, or those of all machines that ptp
// is built for.
enum class ElfMachine : std::uint8_t { kHost, kAny };

struct ElfFile {
    std::string machine;              // "x86_64", as `uname -m` has it
    std::vector<std::string> needed;  // names of the libraries it asks for
    bool has_entry = false;           // whether PTP_ENTRY_SYMBOL is among its names
    bool has_executable_stack = false;
    std::vector<ElfNote> notes;
    // SHA-256 of the code, which stays the same through what is done to files after they were
    // linked: stripping, changed search paths of libraries, links to debugging symbols. "" where
    // there are no notes of the owner "PTP".
    std::string code_hash;

    [[nodiscard]] bool needs(std::string_view library_prefix) const;
};

// Throws FileError.
ElfFile read_elf(const std::filesystem::path& path, ElfMachine machine = ElfMachine::kHost);

}  // namespace ptp::plugin
