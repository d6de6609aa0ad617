// The content of an ELF file, a shared library of Linux, read without loading it.
//
// The part that would be loaded is read into memory once, so that a file that changes meanwhile can
// do no harm; every offset in it is checked before it is followed.
#pragma once

#include "plugin/library_file.hpp"

#include <cstdint>
#include <filesystem>

namespace ptp::plugin {

// Which machines' files are read: those that this host could load, or those of all machines that
// ptp is built for.
enum class ElfMachine : std::uint8_t { kHost, kAny };

using ElfNote = LibraryNote;
using ElfFile = LibraryFile;

// Throws FileError.
ElfFile read_elf(const std::filesystem::path& path, ElfMachine machine = ElfMachine::kHost);

}  // namespace ptp::plugin
