// The rules 102 to 110 for a plugin's file, which run none of its code.

#include "check.hpp"

#include "base/file_error.hpp"
#include "base/text.hpp"
#include "common/exported_symbols.hpp"
#include "pipeline/declaration.hpp"
#include "plugin/companions.hpp"
#include "plugin/library_file.hpp"
#include "plugin/open.hpp"

#include <ptp/abi.h>

#include <fmt/core.h>

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <system_error>

namespace ptp::inspect {

namespace {

using engine::RuleId;
using engine::RuleOutcome;
using plugin::CatalogEntry;
using plugin::Component;

Finding failure(std::string reason) {
    return {RuleOutcome::kFailed, std::move(reason)};
}

Findings check_exported_symbols(const CatalogEntry& entry) {
    auto [names, unique_count] = tools::exported_symbols(entry.path);
    std::erase(names, PTP_ENTRY_SYMBOL);
    return names.empty() ? Findings{} : Findings{failure("exports also " + join(names, ", "))};
}

Findings check_unique_symbols(const CatalogEntry& entry) {
    const std::size_t count = tools::exported_symbols(entry.path).unique_count;
    return count == 0 ? Findings{} : Findings{failure(fmt::format("has {} of them", count))};
}

bool lists(const CatalogEntry& entry, const std::vector<std::string>& options,
           std::string_view prefix) {
    const auto symbols = tools::list_symbols(entry.path, options);
    return std::ranges::any_of(symbols,
                               [&](const auto& symbol) { return symbol.name.starts_with(prefix); });
}

// Returns a warning only, because objects with the lifetime of a thread are sometimes right.
Findings check_thread_locals(const CatalogEntry& entry) {
    if (lists(entry, {"--dynamic", "--undefined-only"}, "__cxa_thread_atexit")) {
        return {{RuleOutcome::kWarning, "registers destructors of thread_local objects"}};
    }
    return {};
}

// Searches for the start-up code that sets the processor's mode, which exports no symbol.
Findings check_fast_math(const CatalogEntry& entry) {
    if (tools::list_symbols(entry.path, {"--defined-only"}).empty()) {
        return {{RuleOutcome::kSkipped,
                 "it is stripped of the symbols that show it; rule 201 (loads) notices it too"}};
    }
    return lists(entry, {"--defined-only"}, "set_fast_math")
               ? Findings{failure("has set_fast_math of crtfastmath.o")}
               : Findings{};
}

Findings check_code_relocations(const CatalogEntry& entry) {
    return plugin::read_library(entry.path).changes_code
               ? Findings{failure("its code is changed when it is loaded (TEXTREL)")}
               : Findings{};
}

Findings check_stack(const CatalogEntry& entry) {
    return plugin::read_library(entry.path).has_executable_stack
               ? Findings{failure("asks for an executable stack")}
               : Findings{};
}

// Checks that every declaration has a help text.
class HelpCheck {
public:
    Findings run(const Component& component) {
        component_ = component.name;
        require(component.summary, "its summary");
        settings(component.settings, "setting ");
        for (const auto& port : component.ports) {
            require(port.help, fmt::format("the help of port '{}'", port.name));
        }
        for (const auto& global : component.globals) {
            require(global.help, fmt::format("the help of global '{}'", global.name));
        }
        for (const auto& statistic : component.statistics) {
            require(statistic.help, fmt::format("the help of statistic '{}'", statistic.name));
        }
        return std::move(findings_);
    }

private:
    void settings(const std::vector<plugin::Setting>& settings, const std::string& where) {
        for (const auto& setting : settings) {
            const std::string place = fmt::format("{}'{}'", where, setting.name);
            require(setting.help, "the help of " + place);
            this->settings(setting.members, place + ", member ");
        }
    }

    void require(const std::string& text, const std::string& what) {
        if (text.empty()) {
            findings_.push_back({RuleOutcome::kFailed, what + " is empty", component_});
        }
    }

    std::string component_;
    Findings findings_;
};

Findings check_help_texts(const CatalogEntry& entry) {
    Findings findings;
    for (const Component& component : entry.manifest.components) {
        std::ranges::move(HelpCheck().run(component), std::back_inserter(findings));
    }
    return findings;
}

Findings check_declarations(const CatalogEntry& entry) {
    Findings findings;
    for (const Component& component : entry.manifest.components) {
        for (std::string& problem : pipeline::check_declaration(component)) {
            findings.push_back({RuleOutcome::kFailed, std::move(problem), component.name});
        }
    }
    return findings;
}

namespace fs = std::filesystem;

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

const std::vector<FileRule>& file_rules() {
    static const std::vector<FileRule> rules = {
        {RuleId::kExportedSymbols, check_exported_symbols},
        {RuleId::kUniqueSymbols, check_unique_symbols},
        {RuleId::kThreadLocalDestructors, check_thread_locals},
        {RuleId::kFastMath, check_fast_math},
        {RuleId::kTextRelocations, check_code_relocations},
        {RuleId::kExecutableStack, check_stack},
        {RuleId::kNeededLibraries, check_needed_libraries},
        {RuleId::kHelpTexts, check_help_texts},
        {RuleId::kDeclarations, check_declarations},
    };
    return rules;
}

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
