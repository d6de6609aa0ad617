// Runs work that may crash in a child process, and the rules 201 to 203, which load a plugin there.

#include "base/child_process.hpp"
#include "base/explanation.hpp"
#include "base/signals.hpp"
#include "base/temporary_path.hpp"
#include "check.hpp"
#include "plugin/abilities.hpp"
#include "plugin/load_trial.hpp"
#include "plugin/loader.hpp"

#include <ptp/ext/parameters.h>
#include <ptp/ext/statistics.h>
#include <ptp/ext/task.h>

#include <fmt/core.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <chrono>
#include <cstring>
#include <exception>
#include <sstream>

namespace ptp::inspect {

namespace {

using engine::RuleId;
using engine::RuleOutcome;
using plugin::Component;

// Checks the functions that a component must offer for its kind.
class AbilityCheck {
public:
    Findings run(const plugin::Generation& generation) {
        for (const Component& component : generation.manifest().components) {
            check(component, *generation.component(component.name));
        }
        return std::move(findings_);
    }

private:
    void check(const Component& component, const ptp_component_info& info) {
        const auto lacks = [&](const char* id) { return info.extension(id) == nullptr; };
        if (component.kind == plugin::Kind::kTask && lacks(PTP_EXTENSION_TASK)) {
            add(component, "is a task without the ability " PTP_EXTENSION_TASK);
        }
        if (component.kind == plugin::Kind::kModel && lacks(PTP_EXTENSION_PARAMETERS)) {
            add(component, "is a model without parameters",
                "give it `torch::nn::Module& module()`; if it has nothing to learn it is a "
                "PTP_TRANSFORM");
        }
        if (!component.statistics.empty() && lacks(PTP_EXTENSION_STATISTICS)) {
            add(component, "has statistics without the ability " PTP_EXTENSION_STATISTICS);
        }
        if (plugin::forgets_counts(component, info)) {
            add(component, plugin::kForgetsCounts);
        }
        if (!lacks("ptp.no_such_ability/1")) {
            add(component, "claims an ability that does not exist",
                "return NULL from extension() for every id that it does not know");
        }
    }

    void add(const Component& component, std::string reason, std::string fix = "") {
        findings_.push_back({.reason = std::move(reason),
                             .component = component.name,
                             .fix = std::move(fix),
                             .rule = RuleId::kAbilities});
    }

    Findings findings_;
};

Findings load(const plugin::CatalogEntry& entry, const std::filesystem::path& folder,
              const std::string& missing_engine) {
    try {
        return AbilityCheck().run(plugin::Loader(folder).load(entry));
    } catch (const plugin::LoadError& error) {
        if (error.phase() == plugin::LoadPhase::kOpen && !missing_engine.empty() &&
            needs_libtorch(entry.path)) {
            return {{.outcome = RuleOutcome::kUntried,
                     .reason = missing_engine,
                     .rule = RuleId::kLoads}};
        }
        if (error.refused_for() == RefusedFor::kNow) {
            const std::string& fix = error.cause().fix;
            return {{.outcome = RuleOutcome::kUntried,
                     .reason = error.cause().reason,
                     .fix = fix.empty()
                                ? "free memory, or raise the limits of this process (ulimit "
                                  "-n, ulimit -v), and check again"
                                : fix,
                     .rule = RuleId::kLoads}};
        }
        const bool is_manifest = error.phase() == plugin::LoadPhase::kCompare;
        return {{.reason = error.cause().reason,
                 .fix = error.cause().fix,
                 .rule = is_manifest ? RuleId::kManifestEqualsCode : RuleId::kLoads}};
    } catch (const std::exception& error) {
        const Explanation why = explanation_of(error);
        return {{.reason = why.reason, .fix = why.fix, .rule = RuleId::kLoads}};
    }
}

// From one process to the other: a number for the rule and one for the outcome, then texts; each
// ends with what is in no text.
constexpr char kEnd = '\0';

std::string record_of(const Finding& finding) {
    std::string text = std::to_string(static_cast<int>(finding.rule)) + kEnd +
                       std::to_string(static_cast<int>(finding.outcome)) + kEnd;
    for (const std::string* part : {&finding.component, &finding.reason, &finding.fix}) {
        text.append(part->data(), std::strlen(part->c_str())) += kEnd;
    }
    return text;
}

Findings findings_from(const std::string& records) {
    Findings findings;
    std::istringstream in(records);
    std::string rule;
    std::string outcome;
    Finding finding;
    while (std::getline(in, rule, kEnd) && std::getline(in, outcome, kEnd) &&
           std::getline(in, finding.component, kEnd) && std::getline(in, finding.reason, kEnd) &&
           std::getline(in, finding.fix, kEnd)) {
        finding.outcome = static_cast<RuleOutcome>(std::stoi(outcome));
        finding.rule = static_cast<RuleId>(std::stoi(rule));
        findings.push_back(finding);
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
                .is_conclusive = is_crash_signal(signal),
                .signal = signal};
    }
    const int code = WEXITSTATUS(end.status);
    return code == 0
               ? Finding{RuleOutcome::kPassed, ""}
               : Finding{RuleOutcome::kCrashed, fmt::format("ended with exit status {}", code)};
}

}  // namespace

Findings check_loading(const plugin::CatalogEntry& entry, int time_limit_s,
                       const std::string& missing_engine) {
    // Created here, so that it is removed even if the child crashes.
    const TemporaryPath folder = TemporaryPath::new_folder();
    return find_in_child([&] { return load(entry, folder.path(), missing_engine); }, time_limit_s,
                         {.reason = std::string(kLoadingIt), .rule = RuleId::kLoads});
}

Findings find_in_child(const std::function<Findings()>& work, int time_limit_s,
                       const Finding& failure) {
    // The text that the process writes at its end.
    constexpr std::string_view kDone = "done";
    ChildEnd end = run_in_child(
        [&] {
            ::dup2(STDERR_FILENO, STDOUT_FILENO);  // the report's place, not the plugin's
            const rlimit no_core_dump{0, 0};
            ::setrlimit(RLIMIT_CORE, &no_core_dump);
            // A sanitizer's own handler would end the process with a status instead of the signal.
            std::signal(SIGSEGV, SIG_DFL);
            std::string records;
            try {
                for (const Finding& finding : work()) {
                    records += record_of(finding);
                }
            } catch (const std::exception& error) {
                records = record_of({.outcome = RuleOutcome::kFailed,
                                     .reason = error.what(),
                                     .rule = failure.rule});
            }
            return records.append(kDone);
        },
        std::chrono::seconds(time_limit_s));
    Finding found = failure_of(end, time_limit_s);
    if (end.output.ends_with(kDone)) {
        end.output.resize(end.output.size() - kDone.size());
    } else if (found.outcome == RuleOutcome::kPassed) {
        found = {RuleOutcome::kCrashed, "ended the process"};
    }
    Findings findings = findings_from(end.output);
    if (found.outcome != RuleOutcome::kPassed) {
        found.rule = failure.rule;
        found.reason = failure.reason + found.reason;
        findings.push_back(std::move(found));
    }
    return findings;
}

}  // namespace ptp::inspect
