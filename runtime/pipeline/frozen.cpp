// Warns of models that are frozen with the weights of their creation, and of those that are frozen
// up to an epoch that the training does not reach.

#include "pipeline/stages.hpp"

#include "base/number.hpp"
#include "base/ranges.hpp"
#include "pipeline/assemble.hpp"

#include <ptp/ext/parameters.h>

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::pipeline {

namespace {

using experiment::ComponentEntry;

const ComponentEntry* entry_of(const Assembly& assembly, const Draft& draft) {
    const auto& entries = assembly.experiment->pipeline.components;
    const auto found = std::ranges::find(entries, draft.node.name, &ComponentEntry::name);
    return found == entries.end() ? nullptr : &*found;
}

bool may_have_parameters(const plugin::Component& component) {
    return component.kind == plugin::Kind::kModel &&
           (!component.abilities || contains(*component.abilities, PTP_EXTENSION_PARAMETERS));
}

// Returns whether it stays as it is created, but for biases: those often begin at 0.
bool is_kept(const Node& node) {
    return !node.frozen_until &&
           (node.is_frozen || std::ranges::any_of(node.frozen_layers, [](const std::string& layer) {
                return !layer.ends_with("bias");
            }));
}

// `ptprun check` cannot know whether a component brings weights of its own.
std::string kept_weights(const std::string& whose) {
    return fmt::format(
        "nothing loads weights into {}, so that those of its creation stay, which are usually random",
        whose);
}

void warn_of_random_weights(const Assembly& assembly, Diagnostics& problems) {
    const experiment::Pipeline& pipeline = assembly.experiment->pipeline;
    bool is_any_loaded = pipeline.load.has_value();
    const Draft* first = nullptr;  // of those that [pipeline] freezes
    for (const Draft& draft : assembly.components) {
        const ComponentEntry* const entry = entry_of(assembly, draft);
        is_any_loaded |= entry != nullptr && entry->load.has_value();
        if (entry == nullptr || !is_kept(draft.node) || !begins_at_random(assembly, draft)) {
            continue;
        }
        if (entry->freeze_place == SourceLocation()) {
            first = first == nullptr ? &draft : first;
            continue;
        }
        problems.warning(entry->freeze_place, entry->path + ".freeze",
                         Explanation{kept_weights(draft.node.component->name),
                                     fmt::format("write load = \"RUN\" in {}, or leave freeze out",
                                                 entry->path)});
    }
    if (first != nullptr && !is_any_loaded) {
        problems.warning(pipeline.place, "pipeline.freeze",
                         Explanation{kept_weights(fmt::format("'{}'", first->node.name)),
                                     "write load = \"RUN\" in [pipeline], or leave freeze out"});
    }
}

}  // namespace

bool may_read_weights(const Node& node) {
    using plugin::SettingType;
    for (std::size_t i = 0; i < node.settings.size(); ++i) {
        const plugin::Setting& declared = node.component->settings[i];
        const std::optional<Value>& value = node.settings[i];
        const bool may_be_file =
            declared.type == SettingType::kPath ||
            (declared.type == SettingType::kString && declared.choices.empty());
        if (may_be_file && value && value->is_string() && value->place() != SourceLocation() &&
            std::filesystem::path(value->as_string()).has_extension()) {
            return true;
        }
    }
    return false;
}

bool begins_at_random(const Assembly& assembly, const Draft& draft) {
    const ComponentEntry* const entry = entry_of(assembly, draft);
    return may_have_parameters(*draft.node.component) && draft.node.share.empty() &&
           !assembly.experiment->pipeline.load && (entry == nullptr || !entry->load) &&
           !may_read_weights(draft.node);
}

std::optional<Explanation> freeze_advice(const experiment::ComponentEntry& component,
                                         const experiment::TerminalConditions& limits,
                                         std::optional<std::int64_t> episodes_per_epoch) {
    const bool is_fast_dev_run = limits.epoch_limit == 1 && limits.episode_limit == 1;
    if (!component.is_enabled || !component.frozen_until || !component.share.empty() ||
        is_fast_dev_run) {
        return std::nullopt;
    }
    const std::int64_t until = *component.frozen_until;
    std::string end;
    if (limits.epoch_limit >= 0 && until >= limits.epoch_limit) {
        end = counted(limits.epoch_limit, "epoch");
    } else if (const std::int64_t length = episodes_per_epoch.value_or(0);
               limits.episode_limit >= 0 && length > 0 && until * length >= limits.episode_limit) {
        end = fmt::format("{}, {} in an epoch", counted(limits.episode_limit, "episode"), length);
    } else {
        return std::nullopt;
    }
    return Explanation{fmt::format("until_epoch = {}, and the training has at most {}: what is "
                                   "frozen stays so to the end",
                                   until, end),
                       "take a smaller until_epoch, or a longer training"};
}

void warn_of_freezing(const Assembly& assembly, Diagnostics& problems) {
    warn_of_random_weights(assembly, problems);
    const experiment::TerminalConditions& limits =
        assembly.experiment->training.terminal_conditions;
    for (const ComponentEntry& entry : assembly.experiment->pipeline.components) {
        if (const auto advice = freeze_advice(entry, limits)) {
            problems.warning(entry.freeze_place, entry.path + ".freeze", *advice);
        }
    }
}

}  // namespace ptp::pipeline
