#include "fuzz/replay.hpp"

#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace ptp::fuzz {

namespace fs = std::filesystem;

void replay(const Target& target) {
    const fs::path folder = test::source_dir() / "tests/fuzz/corpus" / target.name;
    REQUIRE(fs::is_directory(folder));
    std::vector<fs::path> files(fs::directory_iterator(folder), {});
    REQUIRE_FALSE(files.empty());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        INFO(file.string());
        target.run(test::TempFolder().read(file));
    }
    target.run("");
}

}  // namespace ptp::fuzz
