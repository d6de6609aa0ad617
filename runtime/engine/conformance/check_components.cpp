#include "engine/conformance/check_components.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/output_file.hpp"
#include "base/toml_writer.hpp"
#include "engine/conformance/attempt.hpp"
#include "engine/conformance/interruption.hpp"
#include "engine/conformance/made_up_settings.hpp"
#include "engine/swap/trial.hpp"
#include "plugin/loader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;
using experiment::ComponentEntry;
using plugin::Component;

constexpr const char* kHowToGive = "in FILE.toml, and FILE.toml after --with";
constexpr const char* kNoParameters =
    "is a model without parameters: register its layers with register_module() and its tensors "
    "with register_parameter() in module(); if it has nothing to learn it is a PTP_TRANSFORM";

// What was given for it, or an entry that leaves everything to be made up.
struct Wanted {
    const Component& component;
    ComponentEntry entry;
    bool is_given = false;

    [[nodiscard]] std::string title() const {
        return is_given ? fmt::format("{} ({})", component.name, entry.place.text())
                        : component.name;
    }
};

ComponentEntry empty_entry(const Component& component) {
    ComponentEntry entry;
    entry.name = "component";
    entry.path = component.name;
    entry.type = component.name;
    return entry;
}

std::vector<Wanted> all_wanted(const CheckRequest& request) {
    std::vector<Wanted> all;
    for (const Component& component : request.plugin.manifest.components) {
        const std::size_t before = all.size();
        for (const ComponentEntry& given : request.given) {
            if (given.type == component.name) {
                all.push_back({component, given, true});
            }
        }
        if (all.size() == before) {
            all.push_back({component, empty_entry(component), false});
        }
    }
    return all;
}

std::string quoted_names(const std::vector<const plugin::Setting*>& settings) {
    std::string names;
    for (std::size_t i = 0; i < settings.size(); ++i) {
        const bool is_last = i + 1 == settings.size();
        names += fmt::format("{}'{}'", i == 0 ? "" : is_last ? " and " : ", ", settings[i]->name);
    }
    return names;
}

// Paths that it has by default, and at which nothing needs to be.
std::vector<const plugin::Setting*> data_settings(const Component& component) {
    std::vector<const plugin::Setting*> found;
    for (const plugin::Setting& setting : component.settings) {
        if (!setting.obtain.empty() && setting.default_value) {
            found.push_back(&setting);
        }
    }
    return found;
}

// Why a component is not tried for which nothing can be made up.
ComponentVerdict without(const std::vector<const plugin::Setting*>& missing,
                         const Component& component) {
    std::string reason = fmt::format("nothing can be made up for {}", quoted_names(missing));
    for (const plugin::Setting* setting : missing) {
        reason += setting->obtain.empty() ? "" : fmt::format(" ({})", setting->obtain);
    }
    return {component.name, Finding::kNotTried, std::move(reason),
            fmt::format("give {} of [{}] {}", quoted_names(missing), toml_key(component.name),
                        kHowToGive)};
}

// What was made up of the settings: "size = [2, 2], dim = 4"; "" if nothing was.
std::string made_up_text(const Component& component, const ComponentEntry& entry) {
    std::string text;
    const Value first = made_up_settings(component, entry.settings).front();
    for (const Member& member : first.members()) {
        if (entry.settings.find(member.key) == nullptr) {
            text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", member.key,
                                short_text(member.value));
        }
    }
    return text;
}

// No longer than two lines.
std::string brief(const std::string& reason) {
    constexpr int kMaxLines = 2;
    std::istringstream lines(reason);
    std::string text;
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
        if (++count <= kMaxLines) {
            text += (text.empty() ? "" : "\n") + line;
        }
    }
    return count <= kMaxLines ? text : fmt::format("{}\nand {} more", text, count - kMaxLines);
}

// Which settings to provide for a component that has refused all made-up ones.
std::string advice_for(const Component& component) {
    const std::string table = toml_key(component.name);
    if (const auto data = data_settings(component); !data.empty()) {
        return fmt::format("give {} of [{}] {}", quoted_names(data), table, kHowToGive);
    }
    if (!component.settings.empty()) {
        return fmt::format("give settings of [{}] that go together {}", table, kHowToGive);
    }
    return component.globals.empty()
               ? "try it in a pipeline, with ptprun EXPERIMENT --swap-check 5"
               : fmt::format("give [{}] globals = {{ ... }} {}", table, kHowToGive);
}

ComponentVerdict refused(const Wanted& wanted, const Attempt& attempt) {
    const Component& component = wanted.component;
    const std::string made_up = made_up_text(component, wanted.entry);
    if (wanted.is_given || (attempt.breaks_contract && made_up.empty())) {
        return {wanted.title(), Finding::kBroken, attempt.refusal, ""};
    }
    return {component.name, Finding::kNotTried,
            made_up.empty()
                ? brief(attempt.reason)
                : fmt::format("{} (tried first with {})", brief(attempt.reason), made_up),
            advice_for(component)};
}

// A parameter, or at least a buffer: some models compute with numbers that are drawn once.
bool has_tensors(const Attempt& attempt, const ptp_component_info& info, const fs::path& folder) {
    return !LoneTrial(*attempt.pipeline, info, {folder, attempt.reals}).tensors().empty();
}

ComponentVerdict judge(const Wanted& wanted, const CheckRequest& request,
                       const ptp_component_info& info, const fs::path& folder) {
    const Component& component = wanted.component;
    const auto missing = missing_settings(component, wanted.entry.settings);
    if (!missing.empty()) {
        return without(missing, component);
    }
    const CheckedComponent candidate{request.plugin, component, wanted.entry, request.home};
    const Attempt attempt = find_attempt(candidate, info, folder / "attempts");
    if (attempt.pipeline == nullptr) {
        return refused(wanted, attempt);
    }
    if (component.kind == plugin::Kind::kModel && !has_tensors(attempt, info, folder / "tensors")) {
        return {wanted.title(), Finding::kBroken, kNoParameters, ""};
    }
    try {
        std::string problem = interruption_problem(attempt, info, folder);
        const Finding finding = problem.empty() ? Finding::kPassed : Finding::kForgets;
        return {wanted.title(), finding, std::move(problem), ""};
    } catch (const RunError& error) {
        Attempt refusal;
        refusal.refusal = error.what();
        refusal.reason = explanation_of(error).reason;
        refusal.breaks_contract = error.code() == kPluginError;
        return refused(wanted, refusal);
    }
}

// From one process to the other.
constexpr const char* kVerdictFile = "verdict";
constexpr char kSeparator = '\0';

void write(const ComponentVerdict& verdict, const fs::path& file) {
    replace_file(file, fmt::format("{}{}{}{}", static_cast<int>(verdict.finding), verdict.reason,
                                   kSeparator, verdict.advice));
}

ComponentVerdict read(const Wanted& wanted, const fs::path& file) {
    const std::string text = read_text(file);
    const std::size_t separator = text.find(kSeparator);
    return {wanted.title(), static_cast<Finding>(text.at(0) - '0'), text.substr(1, separator - 1),
            text.substr(separator + 1)};
}

// What ended the process without a verdict: a crash, or that it took too long.
ComponentVerdict interrupted(const Wanted& wanted, bool is_late, const Explanation& cause) {
    // The fix of a late one is for a training.
    const std::string why = is_late ? cause.reason : cause.text();
    if (!is_late || wanted.is_given) {
        return {wanted.title(), Finding::kBroken, why, ""};
    }
    return {wanted.title(), Finding::kNotTried, why,
            fmt::format("give settings of [{}] that take less time {}, or a longer --time-limit",
                        toml_key(wanted.component.name), kHowToGive)};
}

}  // namespace

void check_components(const CheckRequest& request, CheckResult& result) {
    using Clock = std::chrono::steady_clock;
    const plugin::Generation plugin =
        plugin::Loader(request.folder / "copies").load(request.plugin);
    const TrialLimit limit(request.time_limit_s);
    int number = 0;
    for (const Wanted& wanted : all_wanted(request)) {
        const fs::path folder = request.folder / fmt::format("{}", ++number);
        const auto begin = Clock::now();
        try {
            try_in_process(limit, folder, [&] {
                write(judge(wanted, request, *plugin.component(wanted.component.name),
                            folder / "trials"),
                      folder / kVerdictFile);
            });
            result.verdicts.push_back(read(wanted, folder / kVerdictFile));
        } catch (const std::exception& error) {
            result.verdicts.push_back(
                interrupted(wanted, Clock::now() - begin >= limit, explanation_of(error)));
        }
        fs::remove_all(folder);
    }
}

}  // namespace ptp::engine
