// Checks a plugin rule by rule, and combines the findings. The rules themselves are elsewhere.

#include "check.hpp"
#include "base/ranges.hpp"

#include "base/explanation.hpp"
#include "base/file_error.hpp"
#include "base/temporary_path.hpp"
#include "plugin/note.hpp"
#include "plugin/search_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace ptp::inspect {

namespace {

namespace fs = std::filesystem;
using engine::CheckRule;
using engine::RuleId;
using engine::RuleOutcome;
using plugin::CatalogEntry;

std::vector<RuleId> running_rules(const CheckOptions& options) {
    std::vector<RuleId> rules;
    for (const CheckRule& rule : engine::kCheckRules) {
        const bool is_wanted = options.rules.empty() || contains(options.rules, rule.id);
        if (rule.id >= RuleId::kRuns && is_wanted) {
            rules.push_back(rule.id);
        }
    }
    return rules;
}

Findings ask_engine(const Engine& engine, const engine::CheckRequest& request) {
    engine::CheckResult result;
    engine.check(request, result);
    Findings findings;
    if (!result.error.empty()) {
        findings.push_back({.reason = result.error, .rule = RuleId::kRuns});
    }
    for (engine::ComponentVerdict& verdict : result.verdicts) {
        findings.push_back({.outcome = verdict.outcome,
                            .reason = std::move(verdict.reason),
                            .component = std::move(verdict.component),
                            .fix = std::move(verdict.fix),
                            .rule = verdict.rule});
    }
    return findings;
}

// Skips all rules without findings: no component could be tried.
void add_skipped(const std::vector<RuleId>& rules, const std::string& reason, Findings& findings) {
    for (const RuleId rule : rules) {
        if (std::ranges::find(findings, rule, &Finding::rule) == findings.end()) {
            findings.push_back({.outcome = RuleOutcome::kSkipped, .reason = reason, .rule = rule});
        }
    }
}

// Returns the findings of these rules for each component. A component that cannot be run on
// generated values is skipped; rule 204 has the reason.
Findings check_running(const CatalogEntry& entry, const CheckOptions& options,
                       const Engine& engine) {
    const std::vector<RuleId> rules = running_rules(options);
    const TemporaryPath folder = TemporaryPath::new_folder();
    const auto tries = static_cast<int>((entry.manifest.components.size() + options.given.size()) *
                                        (rules.size() + 1));
    constexpr int kGrace = 15;  // seconds: the engine itself ends each component
    Findings findings = find_in_child(
        [&] {
            return ask_engine(engine, {entry, folder.path(), options.home, options.time_limit_s,
                                       options.seed, options.given, rules});
        },
        kGrace + tries * (options.time_limit_s + kGrace),
        {.reason = "running its components ", .rule = RuleId::kRuns});
    add_skipped(rules, "no component was run, see rule 204 (runs)", findings);
    return findings;
}

// Returns how to name a file: that of the plugin that is found by the name, or a form.
std::string naming_file(const fs::path& path) {
    const plugin::Catalog catalog =
        plugin::scan(plugin::search_folders(plugin::search_path_here({})));
    const std::vector<plugin::Found> found = catalog.find(path.string());
    const auto named = std::ranges::find_if(catalog.plugins, [&](const CatalogEntry& entry) {
        return entry.manifest.name == path.string();
    });
    const CatalogEntry* const entry = !found.empty()                   ? found.front().plugin
                                      : named != catalog.plugins.end() ? &*named
                                                                       : nullptr;
    return entry == nullptr
               ? "name the file of a built plugin, such as build/lib/ptp/plugins/my_plugin.so"
               : "ptp-inspect --check " + shell_word(entry->path.string());
}

// Collects findings, which may come in any order of the rules.
class Report {
public:
    explicit Report(const CheckOptions& options) : wanted_(options.rules) {}

    [[nodiscard]] bool wants(RuleId rule) const {
        return wanted_.empty() || contains(wanted_, rule);
    }

    // Adds the findings of a rule; without any it has passed.
    void add(RuleId rule, Findings findings) {
        std::ranges::move(findings, std::back_inserter(findings_[rule]));
    }

    // Returns whether the rule has no finding that rejects the plugin.
    [[nodiscard]] bool passes(RuleId rule) const {
        const auto found = findings_.find(rule);
        return found == findings_.end() ||
               std::ranges::none_of(found->second, engine::is_refusal, &Finding::outcome);
    }

    // Skips all rules without findings that depend on this one.
    void skip_after(RuleId broken) {
        for (const CheckRule& rule : engine::kCheckRules) {
            if (rule.id > broken && !findings_.contains(rule.id)) {
                add(rule.id, {{RuleOutcome::kSkipped, "needs " + rule_title(broken)}});
            }
        }
    }

    // Marks this rule and all later ones as not tried, because no code can be run. The first
    // requested one states the reason.
    void leave_untried(RuleId first, const Explanation& why) {
        const CheckRule* stating = nullptr;
        for (const CheckRule& rule : engine::kCheckRules) {
            if (rule.id < first || !wants(rule.id)) {
                continue;
            }
            add(rule.id,
                {{RuleOutcome::kUntried,
                  stating == nullptr ? why.reason : "for the reason of " + rule_title(stating->id),
                  "", why.fix}});
            stating = stating == nullptr ? &rule : stating;
        }
    }

    [[nodiscard]] std::vector<RuleReport> take() {
        std::vector<RuleReport> reports;
        for (const CheckRule& rule : engine::kCheckRules) {
            RuleReport report = report_of(rule.id);
            const bool is_needed =
                engine::is_refusal(report.outcome) || report.outcome == RuleOutcome::kUntried;
            if (wants(rule.id) || is_needed) {
                reports.push_back(std::move(report));
            }
        }
        return reports;
    }

private:
    // Returns the report of a rule. If it has passed for some components and was skipped for
    // others, it has passed.
    RuleReport report_of(RuleId rule) {
        RuleReport report{rule};
        Findings& all = findings_[rule];
        const auto skipped = std::ranges::count(all, RuleOutcome::kSkipped, &Finding::outcome);
        const bool is_skipped = skipped > 0 && skipped == std::ssize(all);
        report.outcome = is_skipped ? RuleOutcome::kSkipped : RuleOutcome::kPassed;
        for (Finding& finding : all) {
            if (finding.outcome > RuleOutcome::kSkipped) {
                report.outcome = std::max(report.outcome, finding.outcome);
            }
            if (finding.outcome != RuleOutcome::kPassed) {
                report.findings.push_back(std::move(finding));
            }
        }
        return report;
    }

    const std::vector<RuleId>& wanted_;
    std::map<RuleId, Findings> findings_;
};

// Returns the manifest, if the file has one that this host accepts.
std::optional<CatalogEntry> read_plugin(const fs::path& path, Findings& findings) {
    try {
        return CatalogEntry{.path = fs::absolute(path), .manifest = plugin::read_manifest(path)};
    } catch (const UnreadableFile& error) {
        findings.push_back({RuleOutcome::kFailed, error.what(), "", naming_file(path)});
    } catch (const plugin::ManifestError& error) {
        for (const std::string& problem : error.problems()) {
            findings.push_back({RuleOutcome::kFailed, problem});
        }
    } catch (const std::exception& error) {
        const Explanation why = explanation_of(error);
        findings.push_back({RuleOutcome::kFailed, why.reason, "", why.fix});
    }
    return std::nullopt;
}

// Opens the engine, so that the processes that load a plugin already have libtorch. Returns the
// error; "" on success.
std::string open_early(Engine& engine) {
    try {
        engine.open();
        return "";
    } catch (const std::exception& error) {
        return error.what();
    }
}

// Checks rule 101: reads the file in a child process first. Returns nullopt if the rule rejects it.
std::optional<CatalogEntry> check_manifest(const fs::path& path, const CheckOptions& options,
                                           Report& report) {
    const auto read_once = [&] {
        Findings findings;
        static_cast<void>(read_plugin(path, findings));
        return findings;
    };
    report.add(RuleId::kPluginFile, find_in_child(read_once, options.time_limit_s));
    if (!report.passes(RuleId::kPluginFile)) {
        return std::nullopt;
    }
    Findings of_change;  // for a file that has been replaced meanwhile
    std::optional<CatalogEntry> entry = read_plugin(path, of_change);
    report.add(RuleId::kPluginFile, std::move(of_change));
    return entry;
}

bool wants_any(const Report& report, bool (*is_wanted)(const CheckRule&)) {
    return std::ranges::any_of(engine::kCheckRules, [&](const CheckRule& rule) {
        return is_wanted(rule) && report.wants(rule.id);
    });
}

// Checks rules 201 to 203: whether the plugin can be run.
bool check_code(const CatalogEntry& entry, const CheckOptions& options,
                const std::string& missing_engine, Report& report) {
    for (Finding& finding : check_loading(entry, options.time_limit_s, missing_engine)) {
        const RuleId rule = finding.rule;
        if (finding.outcome == RuleOutcome::kUntried) {
            report.leave_untried(rule, {finding.reason, finding.fix});
            return false;
        }
        report.add(rule, {std::move(finding)});
    }
    for (const RuleId rule : {RuleId::kLoads, RuleId::kManifestEqualsCode, RuleId::kAbilities}) {
        if (!report.passes(rule)) {
            report.skip_after(rule);
            return false;
        }
    }
    return true;
}

// Checks the rules from 204 on.
void check_components(const CatalogEntry& entry, const CheckOptions& options, const Engine& engine,
                      const std::string& missing_engine, Report& report) {
    if (!missing_engine.empty()) {
        report.leave_untried(RuleId::kRuns, {missing_engine, ""});
        return;
    }
    for (Finding& finding : check_running(entry, options, engine)) {
        const RuleId rule = finding.rule;
        report.add(rule, {std::move(finding)});
    }
}

}  // namespace

std::string rule_title(RuleId rule) {
    return fmt::format("rule {} ({})", engine::rule_of(rule).number(), engine::rule_of(rule).name);
}

std::string_view to_string(Verdict verdict) {
    constexpr std::array<std::string_view, 3> kWords = {"accepted", "incomplete", "refused"};
    return kWords[static_cast<std::size_t>(verdict)];
}

Verdict PluginReport::verdict() const {
    const bool is_refused = std::ranges::any_of(rules, [this](const RuleReport& rule) {
        return engine::is_refusal(rule.outcome) ||
               (is_strict && rule.outcome == RuleOutcome::kWarning);
    });
    return is_refused      ? Verdict::kRefused
           : is_complete() ? Verdict::kAccepted
                           : Verdict::kIncomplete;
}

bool PluginReport::is_complete() const {
    return std::ranges::none_of(rules, [](const RuleReport& rule) {
        return std::ranges::find(rule.findings, RuleOutcome::kUntried, &Finding::outcome) !=
               rule.findings.end();
    });
}

PluginReport check_plugin(const fs::path& path, const CheckOptions& options, Engine& engine) {
    Report report(options);
    const std::optional<CatalogEntry> entry = check_manifest(path, options, report);
    if (!entry) {
        report.skip_after(RuleId::kPluginFile);
        return {path, report.take(), options.is_strict};
    }
    for (const FileRule& rule : file_rules()) {
        if (report.wants(rule.id)) {
            report.add(rule.id,
                       find_in_child([&] { return rule.check(*entry); }, options.time_limit_s));
        }
    }
    if (wants_any(report, [](const CheckRule& rule) { return !rule.is_static(); })) {
        const std::string missing_engine = open_early(engine);
        if (check_code(*entry, options, missing_engine, report) &&
            wants_any(report, [](const CheckRule& rule) { return rule.id >= RuleId::kRuns; })) {
            check_components(*entry, options, engine, missing_engine, report);
        }
    }
    return {path, report.take(), options.is_strict, entry->manifest.name};
}

}  // namespace ptp::inspect
