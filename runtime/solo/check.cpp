// `ptp-inspect --check`: tries the components of a plugin by all rules, and explains which settings
// to provide if none can be made up.

#include "base/text.hpp"
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

// Tries all rules on one component, with the settings from its author or with made-up ones.
class ComponentCheck {
public:
    ComponentCheck(const CheckRequest& request, const Component& component,
                   const ComponentEntry* given, const ptp_component_info& info, fs::path folder)
        : request_(request),
          component_(component),
          is_given_(given != nullptr),
          info_(info),
          folder_(std::move(folder)),
          lone_{request.plugin, component, is_given_ ? *given : entry_without_settings(component),
                request.home} {}

    std::vector<ComponentVerdict> run() {
        if (const auto missing = missing_settings(component_, lone_.entry.settings);
            !missing.empty()) {
            add(RuleId::kRuns, without(missing));
            return std::move(verdicts_);
        }
        Value found;
        RuleResult runs = try_rule(
            {TrialLimit(request_.time_limit_s), folder_ / "search"}, last_step_,
            [&](Value& output) { return search(output); }, &found);
        if (runs.outcome == RuleOutcome::kTimedOut) {
            runs.fix =
                fmt::format("give settings of {} that take less time {}, or a longer --time-limit",
                            table(), kHowToGive);
        }
        const bool can_be_tried = runs.outcome == RuleOutcome::kPassed;
        add(RuleId::kRuns, std::move(runs));
        if (can_be_tried) {
            try_further_rules(attempt_from(found, lone_));
        }
        return std::move(verdicts_);
    }

private:
    [[nodiscard]] std::string title() const {
        return is_given_ ? fmt::format("{} ({})", component_.name, lone_.entry.place.text())
                         : component_.name;
    }

    // Returns the name of its table in a file of settings.
    [[nodiscard]] std::string table() const {
        return fmt::format("[{}]", toml_key(component_.name));
    }

    [[nodiscard]] std::string how_to_give(const std::vector<const plugin::Setting*>& some) const {
        return fmt::format("give {} of {} {}", quoted_names(some), table(), kHowToGive);
    }

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
        verdicts_.push_back(
            {title(), rule, result.outcome, std::move(result.reason), std::move(result.fix)});
    }

    // Returns why it is not tried if nothing can be made up for some settings.
    [[nodiscard]] RuleResult without(const std::vector<const plugin::Setting*>& missing) const {
        std::string reason = fmt::format("nothing can be made up for {}", quoted_names(missing));
        for (const plugin::Setting* setting : missing) {
            reason += setting->obtain.empty() ? "" : fmt::format(" ({})", setting->obtain);
        }
        return {RuleOutcome::kUntried, std::move(reason), how_to_give(missing)};
    }

    // Finds what the component runs with.
    RuleResult search(Value& output) {
        const fs::path folder = folder_ / "attempts";
        const Attempt attempt = find_attempt(lone_, info_, folder, request_.seed);
        if (attempt.pipeline == nullptr) {
            return refused(attempt);
        }
        const auto is_list = [](const plugin::Setting& setting) {  // it is made up without layers
            return setting.type == plugin::SettingType::kLayers;
        };
        if (component_.kind == plugin::Kind::kModel &&  // some have buffers alone
            std::ranges::none_of(component_.settings, is_list) &&
            LoneTrial(*attempt.pipeline, info_, {folder_ / "tensors", attempt.reals})
                .tensors()
                .empty()) {
            return rule_failed(kNoParameters, kNoParametersFix);
        }
        output = attempt_table(attempt);
        return {};
    }

    [[nodiscard]] RuleResult refused(const Attempt& attempt) const {
        if (attempt.stage == Stage::kEvaluation) {  // whatever was made up is not the cause
            return rule_failed(
                fmt::format("runs in training and fails in evaluation: {}", attempt.reason),
                kEvaluationFix);
        }
        const std::string made_up = made_up_text();
        if (is_given_ || (attempt.code == kPluginError && made_up.empty())) {
            const std::string place = lone_.entry.place.text() + ": ";  // the title has it already
            return rule_failed(is_given_ && attempt.refusal.starts_with(place)
                                   ? attempt.refusal.substr(place.size())
                                   : attempt.refusal);
        }
        const bool was_created = attempt.stage == Stage::kStep;
        return {
            RuleOutcome::kUntried,
            fmt::format("{}{}{}", was_created ? "fails in every step with what was made up: " : "",
                        brief(attempt.reason),
                        made_up.empty() ? "" : fmt::format(" (tried first with {})", made_up)),
            advice(was_created)};
    }

    // Returns the made-up settings: "size = [2, 2], dim = 4"; "" if nothing was.
    [[nodiscard]] std::string made_up_text() const {
        std::vector<std::string> texts;
        const Value first = made_up_settings(component_, lone_.entry.settings).front();
        for (const Member& member : first.members()) {
            if (lone_.entry.settings.find(member.key) == nullptr) {
                texts.push_back(fmt::format("{} = {}", member.key, short_text(member.value)));
            }
        }
        return join(texts, ", ");
    }

    // Returns which settings to provide for a component that has refused all made-up ones.
    [[nodiscard]] std::string advice(bool was_created) const {
        std::vector<const plugin::Setting*> data;  // whose default path may not exist
        for (const plugin::Setting& setting : component_.settings) {
            if (!setting.obtain.empty() && setting.default_value) {
                data.push_back(&setting);
            }
        }
        if (!data.empty()) {
            return how_to_give(data);
        }
        const bool takes_nothing = component_.settings.empty() && component_.globals.empty();
        if (was_created) {
            return takes_nothing
                       ? "correct what the message names"
                       : fmt::format(
                             "correct what the message names, or give what it runs with in a table "
                             "{} {}",
                             table(), kHowToGive);
        }
        return !component_.settings.empty()
                   ? fmt::format("give settings of {} that go together {}", table(), kHowToGive)
               : takes_nothing ? "try it in a pipeline, with ptprun EXPERIMENT --swap-check 5"
                               : fmt::format("give {} globals = {{ ... }} {}", table(), kHowToGive);
    }

    void try_further_rules(const Attempt& attempt) {
        for (const ComponentRule& rule : component_rules()) {
            if (std::ranges::find(request_.rules, rule.id) == request_.rules.end()) {
                continue;
            }
            if (rule.concerns != nullptr && !rule.concerns(component_)) {
                add(rule.id, rule_skipped());
                continue;
            }
            const fs::path folder = folder_ / std::string(engine::rule_of(rule.id).name);
            const RuleContext context{lone_,         attempt,   info_, folder / "trials",
                                      request_.seed, last_step_};
            add(rule.id, try_rule({TrialLimit(request_.time_limit_s), folder}, last_step_,
                                  [&](Value&) { return rule.check(context); }));
        }
    }

    const CheckRequest& request_;
    const Component& component_;
    const bool is_given_;
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
    for (const Component& component : request.plugin.manifest.components) {
        std::vector<const ComponentEntry*> entries;
        for (const ComponentEntry& given : request.given) {
            if (given.type == component.name) {
                entries.push_back(&given);
            }
        }
        if (entries.empty()) {
            entries.push_back(nullptr);
        }
        for (const ComponentEntry* const given : entries) {
            const fs::path folder = request.folder / fmt::format("{}", ++number);
            ComponentCheck check(request, component, given, *plugin.component(component.name),
                                 folder);
            std::ranges::move(check.run(), std::back_inserter(result.verdicts));
            fs::remove_all(folder);
        }
    }
}

}  // namespace ptp::solo
