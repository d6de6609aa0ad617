#include "engine/swap/generations.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mapped_memory_test {

using ptp::engine::resident_kilobytes;

TEST_CASE("mapped memory: the part of a loaded library that is in memory, 0 of others") {
    Dl_info found{};
    REQUIRE(dladdr(reinterpret_cast<const void*>(&dladdr), &found) != 0);
    const auto library = std::filesystem::canonical(found.dli_fname);
    const std::vector<std::string> files = {library.filename().string(), "not_there.so"};
    const auto kilobytes = resident_kilobytes(library.parent_path(), files);
    REQUIRE(kilobytes.size() == 2);
    CHECK(kilobytes[0] > 0);
    // A page more for each segment, and what a segment has beyond its file.
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(library) / 1024);
    CHECK(kilobytes[0] < size + 256);
    CHECK(kilobytes[1] == 0);
    CHECK(resident_kilobytes("/nowhere/at/all", files)[0] == 0);
}

}  // namespace mapped_memory_test
