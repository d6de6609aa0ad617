// `ptp-inspect --check`: tries the components of a plugin by all rules, and explains which settings
// to provide if none can be made up.

#include "base/toml_writer.hpp"
#include "plugin/loader.hpp"
#include "solo/attempt.hpp"
#include "solo/rule.hpp"
#include "solo/solo.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ptp::solo {

namespace {

namespace fs = std::filesystem;
using engine::CheckRequest;
using engine::CheckResult;
using engine::ComponentVerdict;
using engine::TrialLimit;
using experiment::ComponentEntry;
using plugin::Component;

constexpr const char* kHowToGive = "in FILE.toml, and FILE.toml after --with";
constexpr const char* kNoParameters = "is a model without parameters";
constexpr const char* kNoParametersFix =
    "register its layers with register_module() and its tensors with register_parameter() in "
    "module(); if it has nothing to learn it is a PTP_TRANSFORM";

constexpr const char* kEvaluationFix =
    "compute the same outputs where step.is_training is false: a validation has targets, and no "
    "gradients";

// A component with the settings from its author, or with an entry that leaves all to be made up.
struct Wanted {
    const Component& component;
    ComponentEntry entry;
    bool is_given = false;

    [[nodiscard]] std::string title() const {
        return is_given ? fmt::format("{} ({})", component.name, entry.place.text())
                        : component.name;
    }
};

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
            all.push_back({component, entry_without_settings(component), false});
        }
    }
    return all;
}

// Returns the settings for data that a user must obtain, whose default path may not exist.
std::vector<const plugin::Setting*> data_settings(const Component& component) {
    std::vector<const plugin::Setting*> found;
    for (const plugin::Setting& setting : component.settings) {
        if (!setting.obtain.empty() && setting.default_value) {
            found.push_back(&setting);
        }
    }
    return found;
}

// Returns why a component is not tried if nothing can be made up for it.
RuleResult without(const std::vector<const plugin::Setting*>& missing, const Component& component) {
    std::string reason = fmt::format("nothing can be made up for {}", quoted_names(missing));
    for (const plugin::Setting* setting : missing) {
        reason += setting->obtain.empty() ? "" : fmt::format(" ({})", setting->obtain);
    }
    return {RuleOutcome::kUntried, std::move(reason),
            fmt::format("give {} of [{}] {}", quoted_names(missing), toml_key(component.name),
                        kHowToGive)};
}

// Returns the made-up settings: "size = [2, 2], dim = 4"; "" if nothing was.
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

// Returns no more than two lines.
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

// Removes the place, which the title of a given component has already.
std::string without_place(const std::string& refusal, const Wanted& wanted) {
    const std::string place = wanted.entry.place.text() + ": ";
    return wanted.is_given && refusal.starts_with(place) ? refusal.substr(place.size()) : refusal;
}

// Returns which settings to provide for a component that has refused all made-up ones.
std::string advice_for(const Component& component, bool was_created) {
    const std::string table = toml_key(component.name);
    if (const auto data = data_settings(component); !data.empty()) {
        return fmt::format("give {} of [{}] {}", quoted_names(data), table, kHowToGive);
    }
    if (was_created) {
        const bool takes_nothing = component.settings.empty() && component.globals.empty();
        return takes_nothing ? "correct what the message names"
                             : fmt::format(
                                   "correct what the message names, or give what it runs with in a "
                                   "table [{}] {}",
                                   table, kHowToGive);
    }
    if (!component.settings.empty()) {
        return fmt::format("give settings of [{}] that go together {}", table, kHowToGive);
    }
    return component.globals.empty()
               ? "try it in a pipeline, with ptprun EXPERIMENT --swap-check 5"
               : fmt::format("give [{}] globals = {{ ... }} {}", table, kHowToGive);
}

RuleResult refused(const Wanted& wanted, const Attempt& attempt) {
    const Component& component = wanted.component;
    const std::string made_up = made_up_text(component, wanted.entry);
    if (attempt.stage == Stage::kEvaluation) {  // whatever was made up is not the cause
        return rule_failed(
            fmt::format("runs in training and fails in evaluation: {}", attempt.reason),
            kEvaluationFix);
    }
    if (wanted.is_given || (attempt.code == kPluginError && made_up.empty())) {
        return rule_failed(without_place(attempt.refusal, wanted));
    }
    const std::string reason =
        attempt.stage == Stage::kStep
            ? "fails in every step with what was made up: " + brief(attempt.reason)
            : brief(attempt.reason);
    return {RuleOutcome::kUntried,
            made_up.empty() ? reason : fmt::format("{} (tried first with {})", reason, made_up),
            advice_for(component, attempt.stage == Stage::kStep)};
}

// Returns whether it has a parameter, or at least a buffer: some models compute with numbers that
// are drawn once.
bool has_tensors(const Attempt& attempt, const ptp_component_info& info, const fs::path& folder) {
    return !LoneTrial(*attempt.pipeline, info, {folder, attempt.reals}).tensors().empty();
}

// Tries all rules on one component.
class ComponentCheck {
public:
    ComponentCheck(const CheckRequest& request, const Wanted& wanted,
                   const ptp_component_info& info, fs::path folder)
        : request_(request),
          wanted_(wanted),
          info_(info),
          folder_(std::move(folder)),
          lone_{request.plugin, wanted.component, wanted.entry, request.home} {}

    std::vector<ComponentVerdict> run() {
        const auto missing = missing_settings(wanted_.component, wanted_.entry.settings);
        if (!missing.empty()) {
            add(RuleId::kRuns, without(missing, wanted_.component));
            return std::move(verdicts_);
        }
        std::string found;
        RuleResult runs = try_rule(
            {TrialLimit(request_.time_limit_s), folder_ / "search"}, last_step_,
            [&](std::string& output) { return search(output); }, &found);
        if (runs.outcome == RuleOutcome::kTimedOut) {
            runs.fix = fmt::format(
                "give settings of [{}] that take less time {}, or a longer --time-limit",
                toml_key(wanted_.component.name), kHowToGive);
        }
        const bool can_be_tried = runs.outcome == RuleOutcome::kPassed;
        add(RuleId::kRuns, std::move(runs));
        if (can_be_tried) {
            try_further_rules(attempt_from(found, lone_));
        }
        return std::move(verdicts_);
    }

private:
    // Adds the verdict of a rule. The fix of a rule is about what the rule tries. A component that
    // crashes in an ordinary step has another mistake.
    void add(RuleId rule, RuleResult result) {
        constexpr std::array kAboutCrashes = {RuleId::kSettingLimits, RuleId::kBatchOfOne,
                                              RuleId::kEmptyBatch,    RuleId::kWrongShapes,
                                              RuleId::kThreads,       RuleId::kStridedInputs};
        if (result.outcome == RuleOutcome::kCrashed && result.fix.empty() &&
            std::ranges::find(kAboutCrashes, rule) == kAboutCrashes.end()) {
            result.fix = "a debugger shows where it crashes (gdb: set follow-fork-mode child)";
        }
        verdicts_.push_back({wanted_.title(), rule, result.outcome, std::move(result.reason),
                             std::move(result.fix)});
    }

    // Finds what the component runs with.
    RuleResult search(std::string& output) {
        const fs::path folder = folder_ / "attempts";
        const Attempt attempt = find_attempt(lone_, info_, folder, request_.seed);
        if (attempt.pipeline == nullptr) {
            return refused(wanted_, attempt);
        }
        if (wanted_.component.kind == plugin::Kind::kModel &&
            !has_tensors(attempt, info_, folder_ / "tensors")) {
            return rule_failed(kNoParameters, kNoParametersFix);
        }
        output = text_of(attempt);
        return {};
    }

    void try_further_rules(const Attempt& attempt) {
        for (const ComponentRule& rule : component_rules()) {
            if (std::ranges::find(request_.rules, rule.id) == request_.rules.end()) {
                continue;
            }
            if (rule.concerns != nullptr && !rule.concerns(wanted_.component)) {
                add(rule.id, rule_skipped());
                continue;
            }
            const fs::path folder = folder_ / std::string(engine::rule_of(rule.id).name);
            const RuleContext context{lone_,         attempt,   info_, folder / "trials",
                                      request_.seed, last_step_};
            add(rule.id, try_rule({TrialLimit(request_.time_limit_s), folder}, last_step_,
                                  [&](std::string&) { return rule.check(context); }));
        }
    }

    const CheckRequest& request_;
    const Wanted& wanted_;
    const ptp_component_info& info_;
    const fs::path folder_;
    const LoneEntry lone_;
    SharedText last_step_;
    std::vector<ComponentVerdict> verdicts_;
};

}  // namespace

void check_components(const CheckRequest& request, CheckResult& result) {
    const plugin::Generation plugin =
        plugin::Loader(request.folder / "copies").load(request.plugin);
    int number = 0;
    for (const Wanted& wanted : all_wanted(request)) {
        const fs::path folder = request.folder / fmt::format("{}", ++number);
        auto verdicts =
            ComponentCheck(request, wanted, *plugin.component(wanted.component.name), folder).run();
        std::ranges::move(verdicts, std::back_inserter(result.verdicts));
        fs::remove_all(folder);
    }
}

}  // namespace ptp::solo
