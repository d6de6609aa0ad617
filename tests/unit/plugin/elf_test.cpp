#include "plugin/library_file.hpp"

#include "support/paths.hpp"
#include "support/system_library.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace elf_test {

using namespace ptp;
using namespace ptp::plugin;

TEST_CASE("elf: a plugin has its entry, and needs no library of libtorch") {
    const LibraryFile file = read_elf(ptp::test::build_dir() / "tests/plugins/good/good.so");
    CHECK(file.has_entry);
    CHECK_FALSE(file.has_executable_stack);
    CHECK_FALSE(file.needs("libtorch"));
    CHECK(std::ranges::count(file.notes, std::string("PTP"), &LibraryNote::owner) ==
          2);  // manifest and seal
}

TEST_CASE("elf: needed libraries are listed, and what is not a plugin has no entry") {
    const LibraryFile file = read_elf(ptp::test::system_library("libstdc++.so.6"));
    CHECK_FALSE(file.has_entry);
    CHECK(file.needs("libm.so"));
}

TEST_CASE("elf: a text is refused") {
    CHECK_THROWS_WITH_AS(read_elf("/etc/passwd"), "is not an ELF file: it begins with 'root:x:'",
                         FileError);
}

}  // namespace elf_test
