// Prints the report of --check, as text and as JSON.

#include "check.hpp"

#include "base/json.hpp"
#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <sstream>

namespace ptp::inspect {

namespace {

using engine::CheckRule;
using engine::RuleOutcome;

constexpr std::string_view kReportIndent = "         ";

constexpr std::string_view kUntriedFix =
    "repair the installation of ptp and check again; without its engine and libtorch these rules "
    "cannot be tried";

std::size_t widest_name() {
    std::size_t width = 0;
    for (const CheckRule& rule : engine::kCheckRules) {
        width = std::max(width, rule.name.size());
    }
    return width;
}

// Returns the text with its first line after `before`, and the others indented.
std::string lines_of(const std::string& before, const std::string& text) {
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::string_view rest = out.empty() ? std::string_view(line) : trimmed(line);
        out += fmt::format("{}{}{}\n", kReportIndent, out.empty() ? before : "    ", rest);
    }
    return out;
}

// Returns a finding, which begins with its outcome if that differs from the rule's.
std::string finding_text(const Finding& finding, const RuleReport& report) {
    std::string before =
        finding.outcome == report.outcome ? "" : fmt::format("{}: ", to_string(finding.outcome));
    before += finding.component.empty() ? "" : finding.component + ": ";
    std::string text = lines_of(before, finding.reason);
    if (!finding.fix.empty()) {  // more indented for a component than for the rule
        text += lines_of(finding.component.empty() ? "fix: " : "    fix: ", finding.fix);
    }
    return text;
}

// Returns the reason why nothing was tried, if it is the only finding; otherwise "".
std::string reason_for_skipping(const RuleReport& report) {
    if (report.outcome != RuleOutcome::kSkipped && report.outcome != RuleOutcome::kUntried) {
        return "";
    }
    const bool is_without_reason = std::ranges::all_of(
        report.findings, [](const Finding& finding) { return finding.reason.empty(); });
    const Finding& first = report.findings.front();
    const bool is_one = report.findings.size() == 1 && first.component.empty() &&
                        (first.fix.empty() || first.outcome == RuleOutcome::kUntried);
    return is_without_reason ? std::string(rule_of(report.rule).nothing)
           : is_one          ? first.reason
                             : "";
}

std::string findings_text(const RuleReport& report) {
    std::string text;
    bool needs_fix = false;
    for (const Finding& finding : report.findings) {
        if (!finding.reason.empty()) {
            text += finding_text(finding, report);
            needs_fix =
                needs_fix || (finding.outcome > RuleOutcome::kUntried && finding.fix.empty());
        }
    }
    return needs_fix ? text + lines_of("fix: ", std::string(rule_of(report.rule).fix)) : text;
}

std::string rule_text(const RuleReport& report) {
    const CheckRule& rule = rule_of(report.rule);
    const std::string reason = reason_for_skipping(report);
    return fmt::format("  {}  {:<{}}  {}{}{}\n", rule.number(), rule.name, widest_name(),
                       to_string(report.outcome), reason.empty() ? "" : ": ", reason) +
           (reason.empty() ? findings_text(report) : "");
}

// Returns "28 passed, 1 failed, 1 skipped".
std::string counts_of(const PluginReport& report) {
    std::string text;
    constexpr std::array kOrder = {
        RuleOutcome::kPassed,   RuleOutcome::kWarning, RuleOutcome::kFailed, RuleOutcome::kCrashed,
        RuleOutcome::kTimedOut, RuleOutcome::kSkipped, RuleOutcome::kUntried};
    for (const RuleOutcome outcome : kOrder) {
        const auto count = std::ranges::count(report.rules, outcome, &RuleReport::outcome);
        if (count > 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(outcome));
        }
    }
    return text;
}

// Returns "Locked, Numbers": the components that were not tried; "" if none was tried.
std::string untried_components(const PluginReport& report) {
    std::string names;
    for (const RuleReport& rule : report.rules) {
        for (const Finding& finding : rule.findings) {
            if (finding.outcome == RuleOutcome::kUntried && !finding.component.empty()) {
                names += (names.empty() ? "" : ", ") + finding.component;
            }
        }
    }
    return names;
}

// Returns what the untried rules need: one text for all, or that of each component's finding.
std::string text_of_untried(const PluginReport& report) {
    if (const std::string names = untried_components(report); !names.empty()) {
        return fmt::format("{}not tried: {}; see {}\n", kReportIndent, names,
                           rule_title(engine::RuleId::kRuns));
    }
    const auto rule = std::ranges::find(report.rules, RuleOutcome::kUntried, &RuleReport::outcome);
    const std::string fix = rule->findings.front().fix;
    return fmt::format("{}fix: {}\n", kReportIndent, fix.empty() ? kUntriedFix : fix);
}

Json json_of_finding(const Finding& finding, const CheckRule& rule) {
    Json json = {{"outcome", std::string(to_string(finding.outcome))}};
    if (!finding.component.empty()) {
        json["component"] = finding.component;
    }
    json["reason"] = finding.reason.empty() ? std::string(rule.nothing) : finding.reason;
    const bool is_fixable = finding.outcome > RuleOutcome::kUntried;
    if (is_fixable || !finding.fix.empty()) {
        json["fix"] = finding.fix.empty() ? std::string(rule.fix) : finding.fix;
    } else if (finding.outcome == RuleOutcome::kUntried) {
        json["fix"] = std::string(kUntriedFix);
    }
    return json;
}

Json json_of_report(const PluginReport& report) {
    Json rules = Json::array();
    for (const RuleReport& each : report.rules) {
        const CheckRule& rule = rule_of(each.rule);
        Json findings = Json::array();
        for (const Finding& finding : each.findings) {
            findings.push_back(json_of_finding(finding, rule));
        }
        rules.push_back({{"number", rule.number()},
                         {"name", std::string(rule.name)},
                         {"outcome", std::string(to_string(each.outcome))},
                         {"findings", std::move(findings)}});
    }
    return {{"file", report.file.string()},
            {"is_accepted", report.verdict() == Verdict::kAccepted},
            {"is_complete", report.is_complete()},
            {"rules", std::move(rules)}};
}

}  // namespace

std::string check_report_text(const PluginReport& report) {
    std::string text = report.file.string() + "\n";
    constexpr std::size_t kMaxAlike = 3;  // of more that are skipped, the first and last are named
    const auto& rules = report.rules;
    const bool is_no_plugin = rules.size() > kMaxAlike + 1 &&
                              rules.front().rule == engine::RuleId::kPluginFile &&
                              engine::is_refusal(rules.front().outcome);
    for (const RuleReport& rule : std::span(rules).first(is_no_plugin ? 1 : rules.size())) {
        text += rule_text(rule);
    }
    if (is_no_plugin) {
        text += fmt::format("  {} to {}  {}: {}\n", rule_of(rules[1].rule).number(),
                            rule_of(rules.back().rule).number(), to_string(rules[1].outcome),
                            reason_for_skipping(rules[1]));
    }
    text += fmt::format("  {}: {}\n", to_string(report.verdict()), counts_of(report));
    return report.is_complete() ? text : text + text_of_untried(report);
}

std::string report_json(const std::vector<PluginReport>& reports, const CheckOptions& options) {
    Json plugins = Json::array();
    for (const PluginReport& report : reports) {
        plugins.push_back(json_of_report(report));
    }
    constexpr int kIndentation = 2;
    return text_of(Json{{"seed", options.seed}, {"plugins", std::move(plugins)}}, kIndentation) +
           "\n";
}

}  // namespace ptp::inspect
