#include "check_running.hpp"

#include "base/temporary_path.hpp"
#include "engine/check_request.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace ptp::inspect {

namespace {

using engine::CheckRule;
using engine::RuleId;
using engine::RuleOutcome;

std::vector<RuleId> running_rules(const CheckOptions& options) {
    std::vector<RuleId> rules;
    for (const CheckRule& rule : engine::kCheckRules) {
        const bool is_wanted = options.rules.empty() ||
                               std::ranges::find(options.rules, rule.id) != options.rules.end();
        if (rule.id >= RuleId::kRuns && is_wanted) {
            rules.push_back(rule.id);
        }
    }
    return rules;
}

std::vector<RuleFinding> ask_engine(const Engine& engine, const engine::CheckRequest& request) {
    engine::CheckResult result;
    engine.check(request, result);
    std::vector<RuleFinding> findings;
    if (!result.error.empty()) {
        findings.push_back({RuleId::kRuns, {RuleOutcome::kFailed, result.error}});
    }
    for (engine::ComponentVerdict& verdict : result.verdicts) {
        findings.push_back({verdict.rule,
                            {verdict.outcome, std::move(verdict.reason),
                             std::move(verdict.component), std::move(verdict.fix)}});
    }
    return findings;
}

// Skips all rules without findings: no component could be tried.
void add_skipped(const std::vector<RuleId>& rules, const std::string& reason,
                 std::vector<RuleFinding>& findings) {
    for (const RuleId rule : rules) {
        if (std::ranges::find(findings, rule, &RuleFinding::rule) == findings.end()) {
            findings.push_back({rule, {RuleOutcome::kSkipped, reason}});
        }
    }
}

}  // namespace

std::vector<RuleFinding> check_running(const plugin::CatalogEntry& entry,
                                       const CheckOptions& options, const Engine& engine) {
    const std::vector<RuleId> rules = running_rules(options);
    const TemporaryPath folder = TemporaryPath::new_folder();
    const auto tries = static_cast<int>((entry.manifest.components.size() + options.given.size()) *
                                        (rules.size() + 1));
    constexpr int kGrace = 15;  // seconds: the engine itself ends each component
    ChildFindings child = try_in_child(
        [&] {
            return ask_engine(engine, {entry, folder.path(), options.home, options.time_limit_s,
                                       options.seed, options.given, rules});
        },
        kGrace + tries * (options.time_limit_s + kGrace));
    std::vector<RuleFinding> findings = std::move(child.findings);
    if (child.failure.outcome != RuleOutcome::kPassed) {
        child.failure.reason = "running its components " + child.failure.reason;
        findings.push_back({RuleId::kRuns, child.failure});
    }
    add_skipped(rules, "no component was run, see rule 204 (runs)", findings);
    return findings;
}

}  // namespace ptp::inspect
