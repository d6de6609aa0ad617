// Reads the content of an ELF file, a shared library of Linux, without loading it.
//
// The loadable part is read into memory once, so that a file that changes meanwhile is harmless;
// every offset in it is checked before it is used.
#pragma once

#include "plugin/library_file.hpp"

#include <cstdint>
#include <filesystem>

namespace ptp::plugin {

// The machines whose files are accepted: the host's, or all that ptp is built for.
enum class ElfMachine : std::uint8_t { kHost, kAny };

using ElfNote = LibraryNote;
using ElfFile = LibraryFile;

// Throws FileError.
ElfFile read_elf(const std::filesystem::path& path, ElfMachine machine = ElfMachine::kHost);

}  // namespace ptp::plugin
