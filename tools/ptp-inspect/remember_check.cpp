#include "remember_check.hpp"

#include "base/file_error.hpp"
#include "base/sha256.hpp"
#include "plugin/crash_memory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace ptp::inspect {

namespace {

using engine::RuleId;
using engine::RuleOutcome;
using plugin::Tried;
using plugin::TriedWork;

const engine::CheckRule& rule_with(RuleId id) {
    return *std::ranges::find(engine::kCheckRules, id, &engine::CheckRule::id);
}

// "rule 204 (runs): Net: forward() crashed (SIGSEGV)".
std::string step_of(RuleId rule, const Finding& finding) {
    std::string step = fmt::format("rule {} ({})", static_cast<int>(rule), rule_with(rule).name);
    for (const std::string& part : {finding.component, finding.reason}) {
        step += part.empty() ? "" : ": " + part.substr(0, part.find('\n'));
    }
    return step;
}

// The first finding of a rule with this outcome, as it is remembered.
std::optional<Tried> crash_of(const RuleReport& rule, RuleOutcome outcome) {
    const auto found = std::ranges::find(rule.findings, outcome, &Finding::outcome);
    if (found == rule.findings.end()) {
        return std::nullopt;
    }
    return Tried{.hash = {},
                 .work = rule.rule == RuleId::kLoads ? TriedWork::kLoading : TriedWork::kChecking,
                 .end = outcome == RuleOutcome::kCrashed ? "crashed" : "took too long",
                 .step = step_of(rule.rule, *found)};
}

// One of loading it before all others, and a crash before what took too long. nullopt: none.
std::optional<Tried> worst_in(const PluginReport& report) {
    std::optional<Tried> worst;
    for (const RuleOutcome outcome : {RuleOutcome::kCrashed, RuleOutcome::kTimedOut}) {
        for (const RuleReport& rule : report.rules) {
            std::optional<Tried> crash = crash_of(rule, outcome);
            if (crash && (!worst || (crash->work == TriedWork::kLoading &&
                                     worst->work != TriedWork::kLoading))) {
                worst = std::move(crash);
            }
        }
    }
    return worst;
}

// Whether the code of the plugin has run, and all of it that every program runs.
bool has_loaded(const PluginReport& report) {
    return std::ranges::any_of(report.rules, [](const RuleReport& rule) {
        return rule.rule == RuleId::kLoads && rule.outcome == RuleOutcome::kPassed;
    });
}

}  // namespace

std::string remember_check(const PluginReport& report) {
    std::optional<Tried> tried = worst_in(report);
    if (!tried && !has_loaded(report)) {
        return "";
    }
    if (!tried) {
        tried = Tried{.hash = {}};
    }
    try {
        tried->hash = sha256_of_file(report.file);
    } catch (const FileError&) {  // the check reports why it cannot be read
        return "";
    }
    tried->file = std::filesystem::absolute(report.file).lexically_normal().string();
    return plugin::CrashMemory(plugin::memory_file()).remember(std::move(*tried));
}

}  // namespace ptp::inspect
