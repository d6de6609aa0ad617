#include "check_file.hpp"

#include "base/text.hpp"
#include "check_libraries.hpp"
#include "common/exported_symbols.hpp"
#include "pipeline/declaration.hpp"
#include "plugin/library_file.hpp"

#include <ptp/abi.h>

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

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

}  // namespace ptp::inspect
