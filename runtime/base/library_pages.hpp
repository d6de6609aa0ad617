// The code and the tables of libraries that have been read once, and stay in physical memory.

#pragma once

namespace ptp {

// Returns to the system the pages of the program and of its libraries that are as in their files
// (Linux): the dynamic linker reads symbols and relocations once, and initialization runs code
// once. A page that is used again comes back from the system's cache of files. A segment with
// changed pages, such as those of a debugger's breakpoints, stays. [any]
void release_library_pages() noexcept;

}  // namespace ptp
