// ptp-cases [--plugin FILE]... [--plugins FOLDER]... FILE...: tests components by cases in TOML
// files. Exit code 0: all as expected, 1: not, 2: a file cannot be read.

#include "base/input_file.hpp"
#include "base/suggest.hpp"
#include "plugin/catalog.hpp"
#include "ptp-cases/run_case.hpp"

#include <fmt/format.h>

#include <algorithm>
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

constexpr const char* kUsage = "usage: ptp-cases [--plugin FILE]... [--plugins FOLDER]... FILE...";

// Where components are looked for: files of plugins, and folders of such.
struct PluginFiles {
    std::vector<std::filesystem::path> files;
    std::vector<std::filesystem::path> folders;
};

// The plugin that has the component. Throws std::runtime_error.
std::filesystem::path plugin_of(const CaseFile& file, const PluginFiles& plugins) {
    const plugin::Catalog catalog = plugin::scan(plugins.folders, plugins.files);
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

int run_file(const std::filesystem::path& path, const PluginFiles& plugins) {
    Diagnostics problems;
    const CaseFile file = read_case_file(read_whole(path), path.filename().string(), problems);
    if (!problems.ok()) {
        fmt::print(stderr, "{}\n", problems.text());
        return 2;
    }
    const testing::Plugin plugin(plugin_of(file, plugins));
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
    PluginFiles plugins;
    std::vector<std::string> files;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& word = arguments[i];
        if (word == "--help" || word == "-h") {
            fmt::print("{}\n", kUsage);
            return 0;
        }
        if (word != "--plugin" && word != "--plugins" && word.starts_with('-')) {
            fmt::print(stderr, "unknown option {}\n{}\n", word, kUsage);
            return 2;
        }
        if (!word.starts_with('-')) {
            files.push_back(word);
        } else if (++i == arguments.size()) {
            fmt::print(stderr, "{} needs a value\n{}\n", word, kUsage);
            return 2;
        } else if (word == "--plugin") {
            plugins.files.push_back(std::filesystem::absolute(arguments[i]));
        } else {
            plugins.folders.push_back(std::filesystem::absolute(arguments[i]));
        }
    }
    if (files.empty()) {
        fmt::print(stderr, "{}\n", kUsage);
        return 2;
    }
    int worst = 0;
    for (const std::string& file : files) {
        worst = std::max(worst, run_file(file, plugins));
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
