#include "run_check.hpp"

#include "base/diagnostics.hpp"
#include "base/file_error.hpp"
#include "check.hpp"
#include "check_loading.hpp"
#include "check_output.hpp"
#include "experiment/render.hpp"
#include "given_settings.hpp"
#include "output.hpp"
#include "plugin/companions.hpp"
#include "plugin/crash_memory.hpp"
#include "plugin/load_trial.hpp"
#include "plugin/note.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::inspect {

namespace {

// The facts about a file before it is checked.
struct CheckedFile {
    std::string hash;  // "": it cannot be read
    int time_limit_s = 0;
};

using engine::RuleId;
using engine::RuleOutcome;
using plugin::Tried;
using plugin::TriedWork;

const engine::CheckRule& rule_with(RuleId id) {
    return *std::ranges::find(engine::kCheckRules, id, &engine::CheckRule::id);
}

// "rule 204 (runs)".
std::string rule_title(RuleId rule) {
    return fmt::format("rule {} ({})", static_cast<int>(rule), rule_with(rule).name);
}

// "rule 204 (runs): Net: forward() crashed (SIGSEGV)".
std::string step_of(RuleId rule, const Finding& finding) {
    std::string step = rule_title(rule);
    for (const std::string& part : {finding.component, finding.reason}) {
        step += part.empty() ? "" : ": " + part.substr(0, part.find('\n'));
    }
    return step;
}

// A limit that is shorter than that of ptprun refuses what ptprun would load.
bool is_evidence(RuleId rule, const Finding& finding, int time_limit_s) {
    const bool is_hasty = finding.outcome == RuleOutcome::kTimedOut && rule == RuleId::kLoads &&
                          std::chrono::seconds(time_limit_s) < plugin::kLoadLimit;
    return finding.is_conclusive && !is_hasty;
}

// The first finding of a rule with this outcome, as it is remembered.
std::optional<Tried> crash_of(const RuleReport& rule, RuleOutcome outcome, int time_limit_s) {
    const auto found = std::ranges::find_if(rule.findings, [&](const Finding& finding) {
        return finding.outcome == outcome && is_evidence(rule.rule, finding, time_limit_s);
    });
    if (found == rule.findings.end()) {
        return std::nullopt;
    }
    if (rule.rule == RuleId::kLoads) {
        return Tried{.hash = {},
                     .work = TriedWork::kLoading,
                     .end = found->reason.substr(kLoadingIt.size()),
                     .signal = found->signal,
                     .step = rule_title(rule.rule)};
    }
    return Tried{.hash = {},
                 .work = TriedWork::kChecking,
                 .end = outcome == RuleOutcome::kCrashed ? "crashed" : "took too long",
                 .signal = found->signal,
                 .step = step_of(rule.rule, *found)};
}

// One of loading it before all others, and a crash before what took too long. nullopt: none.
std::optional<Tried> worst_in(const PluginReport& report, int time_limit_s) {
    std::optional<Tried> worst;
    for (const RuleOutcome outcome : {RuleOutcome::kCrashed, RuleOutcome::kTimedOut}) {
        for (const RuleReport& rule : report.rules) {
            std::optional<Tried> crash = crash_of(rule, outcome, time_limit_s);
            if (crash && (!worst || (crash->work == TriedWork::kLoading &&
                                     worst->work != TriedWork::kLoading))) {
                worst = std::move(crash);
            }
        }
    }
    return worst;
}

bool is_same_end(const Tried& before, const Tried& now) {
    return now.work == TriedWork::kLoading && before.work == now.work && before.end == now.end &&
           before.signal == now.signal;
}

// Returns whether the code of the plugin has run, and all of it that every program runs.
bool has_loaded(const PluginReport& report) {
    return std::ranges::any_of(report.rules, [](const RuleReport& rule) {
        return rule.rule == RuleId::kLoads && rule.outcome == RuleOutcome::kPassed;
    });
}

// "": the check reports why it cannot be read.
std::string hash_of(const std::filesystem::path& file) {
    try {
        return plugin::build_hash(file);
    } catch (const FileError&) {
        return "";
    }
}

CheckedFile before_check(const std::filesystem::path& file, const CheckOptions& options) {
    return {hash_of(file), options.time_limit_s};
}

// Remembers the worst crash or hang of the report, or that loading the plugin succeeded; nothing if
// the file has changed since. A crash counts only if it is caused by the plugin, and a hang of
// loading only after the time that other programs wait. Returns why it cannot be written, or "".
std::string remember_check(const PluginReport& report, const CheckedFile& checked) {
    std::optional<Tried> tried = worst_in(report, checked.time_limit_s);
    if (!tried && !has_loaded(report)) {
        return "";
    }
    if (!tried) {
        tried = Tried{.hash = {}};
    }
    tried->hash = checked.hash;
    if (checked.hash.empty() || hash_of(report.file) != checked.hash) {
        return "";
    }
    tried->plugin = report.plugin;
    tried->file = std::filesystem::absolute(report.file).lexically_normal().string();
    plugin::CrashMemory memory(plugin::memory_file());
    if (const Tried* const before = memory.find(tried->hash);
        before && is_same_end(*before, *tried)) {
        tried->step = before->step;  // it names what was executed
    }
    return memory.remember(std::move(*tried));
}

// Returns the settings in --with for the components of these files; files that are not plugins have
// none.
std::vector<experiment::ComponentEntry> given_settings(const Options& options,
                                                       ptp::Diagnostics& problems) {
    if (!options.given) {
        return {};
    }
    std::vector<plugin::Manifest> manifests;
    for (const std::string& file : options.names) {
        try {
            manifests.push_back(plugin::read_manifest(file));
        } catch (const std::exception&) {  // reported by the check of the file
            continue;
        }
    }
    std::vector<const plugin::Component*> components;
    for (const plugin::Manifest& manifest : manifests) {
        for (const plugin::Component& component : manifest.components) {
            components.push_back(&component);
        }
    }
    static_cast<void>(read_given_settings({*options.given, home_folder()}, components, problems));
    if (!problems.ok()) {
        return {};
    }
    // Errors name the file as given; the settings are absolute, because the rules are tried in
    // other folders.
    const std::filesystem::path file = std::filesystem::absolute(*options.given);
    return read_given_settings({file, home_folder()}, components, problems);
}

}  // namespace

int run_check(const Options& options) {
    ptp::Diagnostics problems;
    const CheckOptions how{options.time_limit_s, home_folder(), given_settings(options, problems),
                           options.rules,        options.seed,  options.is_strict};
    if (!problems.ok()) {
        std::fputs(
            experiment::rendered(problems, "ptp-inspect", {}, experiment::style_for(STDERR_FILENO))
                .c_str(),
            stderr);
        return kUsage;
    }
    Verdict worst = Verdict::kAccepted;
    Engine engine;
    std::vector<PluginReport> reports;
    for (const std::string& file : options.names) {
        const CheckedFile checked = before_check(file, how);
        PluginReport report = check_plugin(file, how, engine);
        if (const std::string problem = remember_check(report, checked); !problem.empty()) {
            warn("what came of it cannot be remembered: " + problem);
        }
        worst = std::max(worst, report.verdict());
        if (options.format == Format::kJson) {
            reports.push_back(std::move(report));
        } else {
            print(check_report_text(report));
        }
    }
    if (options.format == Format::kJson) {
        print(report_json(reports, how));
    }
    return worst == Verdict::kAccepted     ? EXIT_SUCCESS
           : worst == Verdict::kIncomplete ? kIncomplete
                                           : kPlugin;
}

}  // namespace ptp::inspect
