// Reads the tables of [pipeline] with `try`: components that are tried in turn on each sample.

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "experiment/phase_keys.hpp"
#include "experiment/possible_keys.hpp"
#include "experiment/readers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace ptp::experiment {

namespace {

// Receives the keys of such a table.
struct TryKeys {
    TryEntry entry;
    CommonKeys common;

    [[nodiscard]] std::vector<Field> fields() {
        std::vector<Field> fields = {
            {.name = "try",
             .into = &entry.components,
             .help = "in place of a type: components that treat each sample by itself; a sample "
                     "becomes what the first makes of it that takes it",
             .length = "[1, inf)",
             .is_filled = true,
             .is_required = true,
             .expected = "a list of names of components, such as [\"iso\", \"german\"]"}};
        const std::vector<Field> phases = phase_fields(entry);
        fields.insert(fields.end(), phases.begin(), phases.end());
        const std::vector<Field> names = common.fields("");
        fields.push_back(*std::ranges::find(names, std::string_view("streams"), &Field::name));
        return fields;
    }
};

// Refuses the keys of a component that are those of the `try` that names it.
void refuse_phases(const Scope& scope, const ComponentEntry& component) {
    const Value* const table = scope.table.find(component.name);
    for (const char* key : {"phases", "skip_if_missing", "pass_through", "stage"}) {
        if (const Value* written = table == nullptr ? nullptr : table->find(key)) {
            scope.problems.error(
                *written, fmt::format("{}.{}", component.path, key),
                Explanation{fmt::format("has no meaning in a component that '{}' tries",
                                        component.tried_in),
                            fmt::format("write it in [pipeline.{}]", component.tried_in)});
        }
    }
}

}  // namespace

TryEntry read_try(const Scope& scope, const std::string& name) {
    TryKeys keys;
    keys.entry.name = name;
    keys.entry.place = scope.table.place();
    keys.entry.path = scope.path;
    for (const Member* member : read_fields(scope, keys.fields())) {
        scope.problems.error(
            member->key_place, scope.key(member->key),
            "has no meaning beside try: it is written where each component that is tried is");
    }
    keys.entry.names = keys.common.names();
    keys.entry.components_place = scope.table.find("try")->place();
    read_phase_places(scope, keys.entry);
    return keys.entry;
}

void resolve_tries(const Scope& scope, Pipeline& pipeline) {
    for (const TryEntry& entry : pipeline.tries) {
        std::size_t turn = 0;
        for (std::size_t i = 0; i < entry.components.size(); ++i) {
            const std::string& name = entry.components[i];
            const auto refuse = [&](const std::string& message) {
                scope.problems.error(Value(name).at(entry.components_place),
                                     fmt::format("{}.try[{}]", entry.path, i), message);
            };
            ComponentEntry* const component = find_named(pipeline.components, name);
            if (find_named(pipeline.tries, name) != nullptr) {
                refuse("tries components itself; name these");
            } else if (component == nullptr) {
                refuse("unknown component" +
                       hint(name, transformed(pipeline.components, &ComponentEntry::name)));
            } else if (!component->tried_in.empty()) {
                refuse(fmt::format("is tried in '{}' already", component->tried_in));
            } else {
                component->tried_in = entry.name;
                component->turn = turn;
                component->is_enabled = component->is_enabled && entry.is_enabled;
                turn += component->is_enabled ? 1 : 0;
                refuse_phases(scope, *component);
            }
        }
        if (entry.is_enabled && turn == 0 && scope.problems.ok()) {
            scope.problems.error(entry.components_place, entry.path + ".try",
                                 "all components that it names are disabled");
        }
    }
}

std::vector<schema::Key> try_keys() {
    TryKeys keys;
    return transformed(keys.fields(), [](const Field& field) { return schema::key_of(field); });
}

}  // namespace ptp::experiment
