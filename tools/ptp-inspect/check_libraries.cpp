#include "check_libraries.hpp"

#include "base/file_error.hpp"
#include "plugin/companions.hpp"
#include "plugin/library_file.hpp"
#include "plugin/open.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>
#include <system_error>

namespace ptp::inspect {

namespace {

namespace fs = std::filesystem;
using engine::RuleOutcome;

// "$ORIGIN/../lib" of a library in /x/plugins is "/x/plugins/../lib".
std::string expanded(std::string run_path, const fs::path& library) {
    for (const std::string_view name : {"${ORIGIN}", "$ORIGIN"}) {
        if (run_path.starts_with(name)) {
            run_path.replace(0, name.size(), library.parent_path().string());
        }
    }
    return run_path;
}

// Or could make, where it does not exist.
bool others_can_write(fs::path folder) {
    struct stat facts {};
    while (::stat(folder.c_str(), &facts) != 0 && folder.has_relative_path()) {
        folder = folder.parent_path();
    }
    return (facts.st_mode & S_IWOTH) != 0;
}

std::string problem_of_run_path(const std::string& written, const fs::path& library) {
    const std::string folder = expanded(written, library);
    if (!folder.starts_with('/')) {
        return fmt::format("looks for libraries in '{}', relative to the current folder", written);
    }
    return written.front() == '/' && others_can_write(folder)
               ? fmt::format("looks for libraries in {}, where other users can put some", written)
               : "";
}

// The libraries of libtorch are the host's, whose version the manifest names.
bool is_of_libtorch(std::string_view name) {
    return name.starts_with("libtorch") || name.starts_with("libc10");
}

struct FoundLibrary {
    fs::path file;  // empty: none
    bool is_of_origin = false;
};

FoundLibrary found_in_run_paths(const std::string& name, const std::vector<std::string>& run_paths,
                                const fs::path& library) {
    for (const std::string& run_path : run_paths) {
        const fs::path file = fs::path(expanded(run_path, library)) / name;
        std::error_code ignored;
        if (fs::exists(file, ignored)) {
            return {file, !run_path.starts_with('/')};
        }
    }
    return {};
}

// Returns what is wrong with the place of a library that the plugin needs; "" for nothing.
std::string problem_of_place(const std::string& name, const plugin::LibraryFile& facts,
                             const fs::path& library,
                             const std::vector<plugin::Companion>& companions) {
    if (name.find('/') != std::string::npos) {
        return fmt::format("needs {} by its path", name);
    }
    const auto [found, is_of_origin] = found_in_run_paths(name, facts.run_paths, library);
    const bool is_beside = std::ranges::any_of(companions, [&](const plugin::Companion& one) {
        return one.is_library && one.file.filename() == name;
    });
    if (is_of_libtorch(name) || is_beside || (!found.empty() && !is_of_origin) ||
        plugin::system_has_library(name)) {
        return "";
    }
    return found.empty() ? fmt::format("needs {}, which is not found", name)
                         : fmt::format(
                               "needs {}, which is in {}: only what lies in the "
                               "plugin's folder or below travels with the plugin",
                               name, found.parent_path().lexically_normal().string());
}

}  // namespace

bool needs_libtorch(const fs::path& library) {
    try {
        return std::ranges::any_of(plugin::read_library(library).needed, is_of_libtorch);
    } catch (const FileError&) {
        return false;
    }
}

Findings check_needed_libraries(const plugin::CatalogEntry& entry) {
    const plugin::LibraryFile facts = plugin::read_library(entry.path);
    const std::vector<plugin::Companion> companions = plugin::companions_of(entry.path);
    Findings findings;
    const auto add = [&](std::string reason) {
        findings.push_back({RuleOutcome::kFailed, std::move(reason)});
    };
    for (const std::string& run_path : facts.run_paths) {
        if (std::string problem = problem_of_run_path(run_path, entry.path); !problem.empty()) {
            add(std::move(problem));
        }
    }
    for (const std::string& name : facts.needed) {
        if (std::string problem = problem_of_place(name, facts, entry.path, companions);
            !problem.empty()) {
            add(std::move(problem));
        }
    }
    return findings;
}

}  // namespace ptp::inspect
