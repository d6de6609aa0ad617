// `ptp-inspect diff`: the tensors and the state of a plugin's components, found by creating them.

#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "plugin/loader.hpp"
#include "solo/attempt.hpp"
#include "solo/rule.hpp"
#include "solo/solo.hpp"

#include <c10/core/ScalarType.h>
#include <fmt/core.h>

#include <string>
#include <utility>

namespace ptp::solo {

namespace {

using engine::ComponentLayout;
using engine::LayoutRequest;
using engine::LayoutResult;

std::string form_text(const NamedTensor& named) {
    return fmt::format("{} {}", named.role == PTP_PARAMETER ? "parameter" : "buffer",
                       tensor_text(named.tensor));
}

// Returns the layout, for the process that waits for it.
Value layout_table(const Attempt& attempt, LoneTrial& trial) {
    const LoneTrial::Saved saved = trial.save();
    std::vector<Value> tensors;
    for (const NamedTensor& named : saved.tensors) {
        tensors.push_back(Value::table({{"name", named.name}, {"form", form_text(named)}}));
    }
    Value table = Value::table({{"attempt", to_toml(attempt_table(attempt))},
                                {"tensors", Value::list(std::move(tensors))}});
    if (saved.state) {
        table.set("state", saved.state->version);
    }
    return table;
}

void read_layout(const Value& table, ComponentLayout& layout) {
    layout.attempt = table.find("attempt")->as_string();
    for (const Value& tensor : table.find("tensors")->items()) {
        layout.tensors.push_back(
            {tensor.find("name")->as_string(), tensor.find("form")->as_string()});
    }
    if (const Value* const state = table.find("state")) {
        layout.state_version = state->as_integer();
    }
}

ComponentLayout layout_of(const LayoutRequest& request, const plugin::Component& component,
                          const ptp_component_info& info, const std::filesystem::path& folder) {
    ComponentLayout layout{.component = component.name, .attempt = {}};
    const auto known = request.attempts.find(component.name);
    const bool is_known = known != request.attempts.end();
    if (!is_known) {
        const auto missing = missing_settings(component, Value::table());
        if (!missing.empty()) {
            layout.problem = fmt::format("nothing can be made up for {}", quoted_names(missing));
            return layout;
        }
    }
    const LoneEntry lone{request.plugin, component, entry_without_settings(component),
                         request.home};
    SharedText last_step;
    Value found;
    const auto work = [&](Value& output) -> RuleResult {
        Diagnostics problems;
        const Attempt attempt =
            is_known ? attempt_from(read_toml(known->second, "", problems).value(), lone)
                     : find_attempt(lone, info, folder / "attempts");
        if (attempt.pipeline == nullptr) {
            return rule_skipped(attempt.reason);
        }
        LoneTrial trial(*attempt.pipeline, info, {folder / "trial", attempt.reals});
        output = layout_table(attempt, trial);
        return {};
    };
    const RuleResult result =
        try_rule({engine::TrialLimit(request.time_limit_s), folder}, last_step, work, &found);
    if (result.outcome == RuleOutcome::kPassed) {
        read_layout(found, layout);
    } else {
        layout.problem = result.reason;
    }
    return layout;
}

}  // namespace

void find_layouts(const LayoutRequest& request, LayoutResult& result) {
    const plugin::Generation plugin =
        plugin::Loader(request.folder / "copies").load(request.plugin);
    int number = 0;
    for (const plugin::Component& component : request.plugin.manifest.components) {
        result.components.push_back(layout_of(request, component, *plugin.component(component.name),
                                              request.folder / fmt::format("{}", ++number)));
    }
}

}  // namespace ptp::solo
