#include "check_libraries.hpp"

#include "base/file_error.hpp"
#include "file_facts.hpp"

#include <dlfcn.h>
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

// Those of libtorch are the host's, whose version the manifest names.
bool is_of_libtorch(std::string_view name) {
    return name.starts_with("libtorch") || name.starts_with("libc10");
}

bool is_found(const std::string& name, const FileFacts& facts, const fs::path& library) {
    const bool is_beside = std::ranges::any_of(facts.run_paths, [&](const std::string& path) {
        std::error_code ignored;
        return fs::exists(fs::path(expanded(path, library)) / name, ignored);
    });
    return is_beside || ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr;
}

}  // namespace

bool needs_libtorch(const fs::path& library) {
    try {
        return std::ranges::any_of(read_file_facts(library).needed, is_of_libtorch);
    } catch (const FileError&) {
        return false;
    }
}

Findings check_needed_libraries(const plugin::CatalogEntry& entry) {
    const FileFacts facts = read_file_facts(entry.path);
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
        if (name.find('/') != std::string::npos) {
            add(fmt::format("needs {} by its path", name));
        } else if (!is_of_libtorch(name) && !is_found(name, facts, entry.path)) {
            add(fmt::format("needs {}, which is not found", name));
        }
    }
    return findings;
}

}  // namespace ptp::inspect
