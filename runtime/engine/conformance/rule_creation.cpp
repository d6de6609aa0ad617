#include "engine/conformance/rule_creation.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>

namespace ptp::engine {

namespace {

using Trial = std::unique_ptr<LoneTrial>;

void use(LoneTrial& trial) {
    trial.begin_set();
    static_cast<void>(trial.step(0));
    static_cast<void>(trial.evaluation(1));
}

// An empty list or text often represents a missing setting.
bool is_empty(const Value& value) {
    return (value.is_list() && value.items().empty()) ||
           (value.is_string() && value.as_string().empty());
}

// Returns settings with a default that had to be changed for it to run: "width = 4"; "" if there
// are none.
std::string changed_defaults(const RuleContext& context) {
    std::string text;
    for (const plugin::Setting& setting : context.candidate.component.settings) {
        const Value* const value = context.attempt.entry->settings.find(setting.name);
        if (value == nullptr || !setting.default_value) {
            continue;
        }
        const std::optional<Value> usual = read_toml_value(*setting.default_value);
        if (usual && !is_empty(*usual) && *usual != *value) {
            text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", setting.name,
                                short_text(*value));
        }
    }
    return text;
}

}  // namespace

RuleResult check_created_twice(const RuleContext& context) {
    context.step("the first instance");
    use(*context.new_trial("first"));
    try {
        context.step("an instance after the first was destroyed");
        Trial second = context.new_trial("second");
        use(*second);
        context.step("an instance beside another one");
        const Trial third = context.new_trial("third");
        use(*third);
        context.step("an instance after the one beside it was destroyed");
        second.reset();
        use(*third);
    } catch (const RunError& error) {
        return rule_failed(
            fmt::format("{} fails: {}", context.last_step.get(), explanation_of(error).reason));
    }
    return {};
}

RuleResult check_defaults(const RuleContext& context) {
    const std::string changed = changed_defaults(context);
    if (!context.attempt.refuses_defaults || changed.empty()) {
        return {};
    }
    return rule_failed(fmt::format("refuses its own defaults: {}; it runs with {}",
                                   context.attempt.reason, changed));
}

}  // namespace ptp::engine
