// `ptp-inspect diff`: the tensors and the state of a plugin's components, found by creating them.

#include "base/json.hpp"
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

// Returns the layout from the process in which the component is created.
std::string layout_text(const Attempt& attempt, LoneTrial& trial) {
    const LoneTrial::Saved saved = trial.save();
    Json tensors = Json::array();
    for (const NamedTensor& named : saved.tensors) {
        tensors.push_back({{"name", named.name}, {"form", form_text(named)}});
    }
    return ptp::text_of(Json{{"attempt", text_of(attempt)},
                             {"tensors", tensors},
                             {"state", saved.state ? Json(saved.state->version) : Json()}});
}

void read_layout(const std::string& text, ComponentLayout& layout) {
    const auto json = parsed_json(text);
    if (!json) {
        layout.problem = "its process ended without a result";
        return;
    }
    layout.attempt = (*json)["attempt"].get<std::string>();
    for (const Json& tensor : (*json)["tensors"]) {
        layout.tensors.push_back(
            {tensor["name"].get<std::string>(), tensor["form"].get<std::string>()});
    }
    if (const Json& state = (*json)["state"]; !state.is_null()) {
        layout.state_version = state.get<std::int64_t>();
    }
}

ComponentLayout layout_of(const LayoutRequest& request, const plugin::Component& component,
                          const ptp_component_info& info, const std::filesystem::path& folder) {
    ComponentLayout layout{.component = component.name, .attempt = {}};
    const auto known = request.attempts.find(component.name);
    if (known == request.attempts.end()) {
        const auto missing = missing_settings(component, Value::table());
        if (!missing.empty()) {
            layout.problem = fmt::format("nothing can be made up for {}", quoted_names(missing));
            return layout;
        }
    }
    const LoneEntry lone{request.plugin, component, entry_without_settings(component),
                         request.home};
    SharedText last_step;
    std::string found;
    const auto work = [&](std::string& output) -> RuleResult {
        const Attempt attempt = known != request.attempts.end()
                                    ? attempt_from(known->second, lone)
                                    : find_attempt(lone, info, folder / "attempts");
        if (attempt.pipeline == nullptr) {
            return rule_skipped(attempt.reason);
        }
        LoneTrial trial(*attempt.pipeline, info, {folder / "trial", attempt.reals});
        output = layout_text(attempt, trial);
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
