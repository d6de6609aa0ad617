#include "support.hpp"

#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

namespace ptp::test {

std::filesystem::path hostile_file(const std::string& name) {
    return build_dir() / "tests/hostile" / name / "hostile.so";
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    REQUIRE(file.good());
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string patched(std::string content, const std::string& from, const std::string& to) {
    REQUIRE(from.size() == to.size());
    std::size_t at = content.find(from);
    REQUIRE(at != std::string::npos);
    for (; at != std::string::npos; at = content.find(from, at + to.size())) {
        content.replace(at, to.size(), to);
    }
    return content;
}

std::string rejection(const std::string& content) {
    const TempFolder temp;
    temp.write("x.so", content);
    const plugin::Catalog catalog = plugin::scan({temp.path()});
    REQUIRE(catalog.plugins.size() + catalog.rejected.size() == 1);
    return catalog.rejected.empty() ? "" : catalog.rejected[0].reason;
}

}  // namespace ptp::test
