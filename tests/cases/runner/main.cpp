// component_cases [--plugins FOLDER]... FILE...: tests components by cases in TOML files.
// Exit code 0: all as expected, 1: not, 2: a file cannot be read.

#include "base/input_file.hpp"
#include "base/suggest.hpp"
#include "cases/runner/run_case.hpp"
#include "plugin/catalog.hpp"
#include "plugin/search_path.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

namespace ptp::cases {

namespace {

std::string read_whole(const std::filesystem::path& path) {
    try {
        const InputFile file(path);
        return file.read(0, file.size());
    } catch (const std::exception& error) {
        throw std::runtime_error(path.string() + ": " + error.what());
    }
}

// The plugin that has the component. Throws std::runtime_error.
std::filesystem::path plugin_of(const CaseFile& file,
                                const std::vector<std::filesystem::path>& folders) {
    const plugin::Catalog catalog = plugin::scan(plugin::search_folders(
        {.command_line = folders, .environment = {}, .experiment = {}, .executable = {}}));
    const auto found = catalog.find(file.component);
    if (found.size() == 1) {
        return found.front().plugin->path;
    }
    std::vector<std::string> names;
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        for (const plugin::Component& component : entry.manifest.components) {
            names.push_back(found.empty() ? component.name
                                          : entry.manifest.name + "/" + component.name);
        }
    }
    std::string text =
        fmt::format("{}: component = \"{}\": {}{}", file.component_place.text(), file.component,
                    found.empty() ? "no plugin has it" : "several plugins have it",
                    hint(file.component, names));
    for (const plugin::RejectedFile& rejected : catalog.rejected) {
        text += "\n    " + rejected.path.string() + ": " + rejected.reason;
    }
    throw std::runtime_error(text);
}

int run_file(const std::filesystem::path& path, const std::vector<std::filesystem::path>& folders) {
    Diagnostics problems;
    const CaseFile file = read_case_file(read_whole(path), path.filename().string(), problems);
    if (!problems.ok()) {
        fmt::print(stderr, "{}\n", problems.text());
        return 2;
    }
    const testing::Plugin plugin(plugin_of(file, folders));
    CaseRunner runner(plugin, file.component.substr(file.component.find('/') + 1));
    std::size_t failed = 0;
    for (const Case& one : file.cases) {
        const std::vector<std::string> lines = runner.run(one);
        failed += lines.empty() ? 0 : 1;
        for (const std::string& line : lines) {
            fmt::print("{}\n", line);
        }
    }
    fmt::print("{}: {} cases, {} failed\n", path.filename().string(), file.cases.size(), failed);
    return failed == 0 ? 0 : 1;
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
    std::vector<std::filesystem::path> folders;
    int worst = 2;
    bool has_file = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--plugins" && i + 1 < arguments.size()) {
            folders.emplace_back(arguments[++i]);
            continue;
        }
        const int code = run_file(arguments[i], folders);
        worst = has_file ? std::max(worst, code) : code;
        has_file = true;
    }
    if (!has_file) {
        fmt::print(stderr, "usage: component_cases [--plugins FOLDER]... FILE...\n");
    }
    return worst;
}

}  // namespace ptp::cases

int main(int argc, char** argv) {
    try {
        return ptp::cases::run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
}
