// `ptp-inspect --check`: checks each file, prints the reports, and remembers crashes for the
// programs that load plugins.

#include "options.hpp"

#include "base/diagnostics.hpp"
#include "base/file_error.hpp"
#include "base/paths.hpp"
#include "check.hpp"
#include "common/render.hpp"
#include "plugin/companions.hpp"
#include "plugin/crash_memory.hpp"
#include "plugin/load_trial.hpp"
#include "plugin/note.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <utility>

namespace ptp::inspect {

namespace {

using engine::RuleId;
using engine::RuleOutcome;
using plugin::Tried;
using plugin::TriedWork;

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

// Remembers the worst crash or hang of the report, or that loading the plugin succeeded; nothing if
// the file has changed since it had `hash`. A crash counts only if it is caused by the plugin, and
// a hang of loading only after the time that other programs wait. Returns why it cannot be written,
// or "".
std::string remember_check(const PluginReport& report, const std::string& hash, int time_limit_s) {
    std::optional<Tried> tried = worst_in(report, time_limit_s);
    if (!tried && !has_loaded(report)) {
        return "";
    }
    if (!tried) {
        tried = Tried{.hash = {}};
    }
    tried->hash = hash;
    if (hash.empty() || hash_of(report.file) != hash) {
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
std::vector<experiment::ComponentEntry> given_settings(const tools::Given& given,
                                                       ptp::Diagnostics& problems) {
    if (!given.has("with")) {
        return {};
    }
    std::vector<plugin::Component> components;
    for (const std::string& file : given.operands()) {
        try {
            std::ranges::move(plugin::read_manifest(file).components,
                              std::back_inserter(components));
        } catch (const std::exception&) {  // reported by the check of the file
            continue;
        }
    }
    static_cast<void>(
        read_given_settings({given.text("with"), home_folder()}, components, problems));
    if (!problems.ok()) {
        return {};
    }
    // Errors name the file as given; the settings are absolute, because the rules are tried in
    // other folders.
    const std::filesystem::path file = std::filesystem::absolute(given.text("with"));
    return read_given_settings({file, home_folder()}, components, problems);
}

}  // namespace

int run_check(const tools::Given& given) {
    if (given.operands().empty()) {
        throw tools::UsageError("--check needs the files of plugins");
    }
    ptp::Diagnostics problems;
    const CheckOptions how{.time_limit_s = static_cast<int>(*given.integer("time-limit")),
                           .home = home_folder(),
                           .given = given_settings(given, problems),
                           .rules = rules_from(given.texts("only")),
                           .seed = static_cast<std::uint64_t>(*given.integer("seed")),
                           .is_strict = given.has("strict")};
    if (!problems.ok()) {
        std::fputs(
            tools::rendered(problems, "ptp-inspect", {}, tools::style_for(STDERR_FILENO)).c_str(),
            stderr);
        return kUsage;
    }
    Verdict worst = Verdict::kAccepted;
    Engine engine;
    std::vector<PluginReport> reports;
    for (const std::string& file : given.operands()) {
        const std::string hash = hash_of(file);
        PluginReport report = check_plugin(file, how, engine);
        if (const std::string problem = remember_check(report, hash, how.time_limit_s);
            !problem.empty()) {
            warn("what came of it cannot be remembered: " + problem);
        }
        worst = std::max(worst, report.verdict());
        if (given.has("json")) {
            reports.push_back(std::move(report));
        } else {
            print(check_report_text(report));
        }
    }
    if (given.has("json")) {
        print(report_json(reports, how));
    }
    return worst == Verdict::kAccepted     ? EXIT_SUCCESS
           : worst == Verdict::kIncomplete ? kIncomplete
                                           : kPlugin;
}

}  // namespace ptp::inspect
