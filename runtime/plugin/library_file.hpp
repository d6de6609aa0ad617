// The facts of a shared library's file, read without loading it: on Linux an ELF file
// (elf.cpp), on Windows a PE file (pe.cpp).
#pragma once

#include "base/file_error.hpp"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

// The owner of the notes that a plugin has.
inline constexpr std::string_view kNoteOwner = "PTP";

// A named piece of data in a library, in the form that ELF has for it.
struct LibraryNote {
    std::string owner;  // "GNU"
    std::uint32_t type = 0;
    std::string content;
    std::uint64_t offset = 0;  // of the content in the file
};

struct LibraryFile {
    std::string machine;                 // "x86_64", as `uname -m` has it
    std::vector<std::string> needed;     // names of the libraries it asks for
    std::vector<std::string> run_paths;  // folders to look for them, as they are written
    std::string own_name;                // by which others ask for it; "" if it has none
    bool has_entry = false;              // whether PTP_ENTRY_SYMBOL is among its names
    bool has_executable_stack = false;   // a file without a word about it gets one
    bool changes_code = false;           // relocations in what is loaded as code
    std::vector<LibraryNote> notes;
    // SHA-256 of all that is loaded, and of the code alone, as older seals have it. They stay the
    // same through what is done to files after they were linked: stripping, changed search paths of
    // libraries, links to debugging symbols. "" where there are no notes of the owner "PTP"; of a
    // DLL the first is "".
    std::string loaded_hash;
    std::string code_hash;

    [[nodiscard]] bool needs(std::string_view library_prefix) const;
};

// Reads a library of this system and this machine. Throws FileError.
LibraryFile read_library(const std::filesystem::path& path);

// The machines whose files are accepted: the host's, or all that ptp is built for.
enum class ElfMachine : std::uint8_t { kHost, kAny };

// Returns the content of a shared library of Linux. Throws FileError.
LibraryFile read_elf(const std::filesystem::path& path, ElfMachine machine = ElfMachine::kHost);

// The section with a plugin's notes; names have at most eight characters.
inline constexpr std::string_view kPeNoteSection = ".ptpnote";

// Returns the content of a DLL for x86-64. Throws FileError.
LibraryFile read_pe(const std::filesystem::path& path);

// Returns the names that the file exports. Throws FileError.
std::vector<std::string> exported_names(const std::filesystem::path& pe_file);

// Returns the ending of the names of libraries on this system: ".so".
std::string_view library_suffix();

// The assembler's lines that begin and end the section of a plugin's notes.
struct NoteSection {
    std::string_view begin;
    std::string_view end;
};
NoteSection note_section();

// The bytes of a library's file, with checked access. All functions throw FileError for a position
// outside of them. The readers of ELF and PE files derive their images from it.
class LibraryImage {
public:
    [[nodiscard]] std::string_view bytes(std::uint64_t offset, std::uint64_t size) const;

    template <class T>
    [[nodiscard]] T at(std::uint64_t offset) const {
        T value;
        std::memcpy(&value, bytes(offset, sizeof value).data(), sizeof value);
        return value;
    }

protected:
    // Throws UnfinishedFile if a file of `present` bytes is smaller than its header promises.
    static void check_whole(std::uint64_t promised, std::uint64_t present);

    // Throws unless the bytes begin with `magic` and have a whole header: UnfinishedFile for a file
    // that may still be written. `kind` is "a DLL".
    void check_beginning(std::string_view magic, std::size_t header_size,
                         std::string_view kind) const;

    // Returns the text before the first NUL.
    static std::string name_in(std::string_view bytes);

    std::string content_;
};

// Adds the notes in these bytes, which lie at `offset` in the file and are aligned to 4 or 8.
// Throws FileError.
void read_notes(std::string_view bytes, std::uint64_t offset, std::uint64_t alignment,
                std::vector<LibraryNote>& out);

}  // namespace ptp::plugin
