// A hash of the code in a plugin's file, which stays the same through what is done to files after
// they were linked: stripping, changed search paths of libraries, links to debugging symbols.
#pragma once

#include "plugin/elf_image.hpp"

#include <cstdint>
#include <string>

namespace ptp::plugin {

// Where the names lie that the dynamic section refers to, as an address and a size.
struct NameTable {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
};

// SHA-256 of the segments that are loaded as code, in 64 digits. Of such a segment these are left
// out: the headers of the file, notes, and the table of names. Throws FileError.
std::string code_hash(const ElfImage& image, const NameTable& names);

}  // namespace ptp::plugin
