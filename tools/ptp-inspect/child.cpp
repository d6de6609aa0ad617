#include "child.hpp"

#include "base/child_process.hpp"
#include "plugin/load_trial.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <sstream>
#include <string_view>

namespace ptp::inspect {

namespace {

using engine::RuleId;
using engine::RuleOutcome;

// From one process to the other: a number for the rule and one for the outcome, then texts; each
// ends with what is in no text.
constexpr char kEnd = '\0';

std::string record_of(const RuleFinding& each) {
    const Finding& finding = each.finding;
    std::string text = std::to_string(static_cast<int>(each.rule)) + kEnd +
                       std::to_string(static_cast<int>(finding.outcome)) + kEnd;
    for (const std::string* part : {&finding.component, &finding.reason, &finding.fix}) {
        text.append(part->data(), std::strlen(part->c_str())) += kEnd;
    }
    return text;
}

std::vector<RuleFinding> findings_from(const std::string& records) {
    std::vector<RuleFinding> findings;
    std::istringstream in(records);
    std::string rule;
    std::string outcome;
    Finding finding;
    while (std::getline(in, rule, kEnd) && std::getline(in, outcome, kEnd) &&
           std::getline(in, finding.component, kEnd) && std::getline(in, finding.reason, kEnd) &&
           std::getline(in, finding.fix, kEnd)) {
        finding.outcome = static_cast<RuleOutcome>(std::stoi(outcome));
        findings.push_back({static_cast<RuleId>(std::stoi(rule)), finding});
    }
    return findings;
}

Finding failure_of(const ChildEnd& end, int time_limit_s) {
    if (end.has_timed_out) {
        return {RuleOutcome::kTimedOut, fmt::format("took longer than {} s", time_limit_s)};
    }
    if (WIFSIGNALED(end.status)) {
        const int signal = WTERMSIG(end.status);
        return {.outcome = RuleOutcome::kCrashed,
                .reason = fmt::format("ended by signal {} ({})", signal, ::strsignal(signal)),
                .is_conclusive = plugin::is_crash_signal(signal),
                .signal = signal};
    }
    const int code = WEXITSTATUS(end.status);
    return code == 0
               ? Finding{RuleOutcome::kPassed, ""}
               : Finding{RuleOutcome::kCrashed, fmt::format("ended with exit status {}", code)};
}

}  // namespace

ChildFindings try_in_child(const std::function<std::vector<RuleFinding>()>& work,
                           int time_limit_s) {
    // The text that it writes at its end, and otherwise has not come to it.
    constexpr std::string_view kDone = "done";
    ChildEnd end = run_in_child(
        [&] {
            ::dup2(STDERR_FILENO, STDOUT_FILENO);  // the report's place, not the plugin's
            const rlimit no_core_dump{0, 0};
            ::setrlimit(RLIMIT_CORE, &no_core_dump);
            // A sanitizer's own handler would end the process with a status instead of the signal.
            std::signal(SIGSEGV, SIG_DFL);
            std::string records;
            for (const RuleFinding& each : work()) {
                records += record_of(each);
            }
            return records.append(kDone);
        },
        std::chrono::seconds(time_limit_s));
    ChildFindings result;
    result.failure = failure_of(end, time_limit_s);
    if (end.output.ends_with(kDone)) {
        end.output.resize(end.output.size() - kDone.size());
    } else if (result.failure.outcome == RuleOutcome::kPassed) {
        result.failure = {RuleOutcome::kCrashed, "ended the process"};
    }
    result.findings = findings_from(end.output);
    return result;
}

Findings find_in_child(const std::function<Findings()>& work, int time_limit_s) {
    const ChildFindings child = try_in_child(
        [&] {
            std::vector<RuleFinding> all;
            try {
                for (Finding& finding : work()) {
                    all.push_back({RuleId{}, std::move(finding)});
                }
            } catch (const std::exception& error) {
                all.push_back({RuleId{}, {RuleOutcome::kFailed, error.what()}});
            }
            return all;
        },
        time_limit_s);
    Findings findings;
    for (const RuleFinding& each : child.findings) {
        findings.push_back(each.finding);
    }
    if (child.failure.outcome != RuleOutcome::kPassed) {
        findings.push_back(child.failure);
    }
    return findings;
}

}  // namespace ptp::inspect
