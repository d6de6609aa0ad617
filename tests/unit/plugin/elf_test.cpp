#include "plugin/elf.hpp"

#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace ptp;
using namespace ptp::plugin;

TEST_CASE("elf: a plugin exports its entry and nothing else, and needs no library of libtorch") {
    const ElfFile file = read_elf(ptp::test::build_dir() / "tests/plugins/good/good.so");
    CHECK(file.exported == std::vector<std::string>{"ptp_plugin_entry"});
    CHECK(file.exports("ptp_plugin_entry"));
    CHECK_FALSE(file.exports("ptp_plugin"));
    CHECK(file.unique_symbol_count == 0);
    CHECK_FALSE(file.has_executable_stack);
    CHECK_FALSE(file.needs("libtorch"));
    CHECK(std::ranges::count(file.notes, std::string("PTP"), &ElfNote::owner) ==
          2);  // manifest and seal
}

TEST_CASE("elf: unique symbols are counted, needed libraries and undefined symbols listed") {
    const ElfFile file = read_elf("/usr/lib/x86_64-linux-gnu/libstdc++.so.6");
    CHECK(file.unique_symbol_count > 0);
    CHECK(file.exports("__cxa_throw"));
    CHECK(file.needs("libm.so"));
    CHECK(std::ranges::find(file.undefined, "malloc") != file.undefined.end());
}

TEST_CASE("elf: a text is refused") {
    CHECK_THROWS_WITH_AS(read_elf("/etc/passwd"), "is not an ELF file: it begins with 'root:x:'",
                         FileError);
}
