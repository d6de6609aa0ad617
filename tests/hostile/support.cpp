#include "support.hpp"

#include "plugin/note.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

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

std::string sealed(const std::string& content) {
    const TempFolder temp;
    const std::filesystem::path file = temp.write("x.so", content);
    plugin::seal_file(file);
    return read_file(file);
}

std::string with_manifest(std::string content, const std::function<void(nlohmann::json&)>& change) {
    const std::size_t begin = content.find("{\"abi_major\"");
    REQUIRE(begin != std::string::npos);
    std::size_t size = 1;
    while (!nlohmann::json::accept(content.substr(begin, size))) {
        ++size;
    }
    nlohmann::json manifest = nlohmann::json::parse(content.substr(begin, size));
    change(manifest);
    std::string text = manifest.dump();
    REQUIRE(text.size() <= size);
    text.resize(size, ' ');
    return sealed(content.replace(begin, size, text));
}

std::string patched(std::string content, const std::string& from, const std::string& to) {
    REQUIRE(from.size() == to.size());
    std::size_t at = content.find(from);
    REQUIRE(at != std::string::npos);
    for (; at != std::string::npos; at = content.find(from, at + to.size())) {
        content.replace(at, to.size(), to);
    }
    return sealed(content);
}

std::string rejection(const std::string& content) {
    const TempFolder temp;
    temp.write("x.so", content);
    const plugin::Catalog catalog = plugin::scan({temp.path()});
    REQUIRE(catalog.plugins.size() + catalog.rejected.size() == 1);
    return catalog.rejected.empty() ? "" : catalog.rejected[0].reason;
}

}  // namespace ptp::test
