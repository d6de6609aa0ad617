// The names that an experiment assigns to a component's streams, globals and statistics.
#include "pipeline/draft.hpp"

#include "base/suggest.hpp"
#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

using experiment::Renaming;

const Renaming* find_renaming(const std::vector<Renaming>& map, const std::string& name) {
    const auto found = std::ranges::find(map, name, &Renaming::from);
    return found == map.end() ? nullptr : &*found;
}

// The ports, globals and statistics of a component, and which exist with the given settings.
class Inventory {
public:
    // `when` must outlive it.
    void add(const std::string& name, bool exists, std::string_view when) {
        const auto found = std::ranges::find(entries_, name, &Entry::name);
        if (found == entries_.end()) {
            entries_.push_back({name, exists, when});
        } else if (exists) {
            found->exists = true;
        }
    }

    // Judges every name of `map`; `what` is "port", and `table` "streams", of the component.
    void judge(const std::vector<Renaming>& map, std::string_view what, std::string_view table,
               const Node& node, Diagnostics& problems) const {
        const std::string& type = node.component->name;
        for (const Renaming& renaming : map) {
            const auto found = std::ranges::find(entries_, renaming.from, &Entry::name);
            if (found != entries_.end() && found->exists) {
                continue;
            }
            const std::string path =
                fmt::format("{}.{}.{}", node.path, table, toml_key(renaming.from));
            if (found == entries_.end()) {
                const std::string none = fmt::format("{} has no {} of this name", type, what);
                problems.error(renaming.from_place, path, none + hint(renaming.from, names()));
                continue;
            }
            problems.warning(renaming.from_place, path,
                             fmt::format("has no effect: {} has this {} only {}", type, what,
                                         condition_text(parse_condition(found->when))));
        }
    }

private:
    struct Entry {
        std::string name;
        bool exists = false;
        std::string_view when;
    };

    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> result;
        std::ranges::transform(entries_, std::back_inserter(result), &Entry::name);
        return result;
    }

    std::vector<Entry> entries_;
};

// The ports that a list setting names.
void add_renamed(const plugin::Port& port, const Binding& binding, const Value& streams,
                 std::vector<Binding>& bindings, std::vector<Wire>& wires) {
    for (std::size_t i = 0; i < streams.items().size(); ++i) {
        const Value& stream = streams.items()[i];
        Binding one = binding;
        one.name = fmt::format("{}[{}]", port.streams_setting, i);
        bindings.push_back(std::move(one));
        wires.push_back({stream.as_string(), stream.place(), true});
    }
}

// The stream of a port: of its own name, unless the experiment has another; "" without the port.
Wire wire_of(const plugin::Port& port, bool exists, const Renaming* renaming,
             const SourceLocation& place) {
    if (exists && renaming != nullptr) {
        return {renaming->to, renaming->to_place, true};
    }
    return {exists ? port.name : "", place, false};
}

void add_ports(Draft& draft, const std::vector<Renaming>& renamings, const Settings& settings,
               Inventory& inventory) {
    const auto& ports = draft.node.component->ports;
    const auto inputs = static_cast<std::size_t>(
        std::ranges::count(ports, plugin::Direction::kInput, &plugin::Port::direction));
    draft.node.inputs.reserve(inputs);
    draft.inputs.reserve(inputs);
    draft.node.outputs.reserve(ports.size() - inputs);
    draft.outputs.reserve(ports.size() - inputs);
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const plugin::Port& port = ports[i];
        const bool exists = holds(parse_condition(port.when), settings);
        const bool is_input = port.direction == plugin::Direction::kInput;
        auto& bindings = is_input ? draft.node.inputs : draft.node.outputs;
        auto& wires = is_input ? draft.inputs : draft.outputs;
        Binding binding{.port = static_cast<int>(i), .name = port.name};
        if (!port.streams_setting.empty()) {
            const Value* streams = settings.find(port.streams_setting);
            if (exists && streams != nullptr) {
                add_renamed(port, binding, *streams, bindings, wires);
            }
            continue;
        }
        inventory.add(port.name, exists, port.when);
        bindings.push_back(std::move(binding));
        wires.push_back(
            wire_of(port, exists, find_renaming(renamings, port.name), draft.node.place));
    }
}

// The names of a global: its own, or for "$keys" the ones that the setting lists.
std::vector<std::string> renamed_names(const plugin::Global& global, const Settings& settings) {
    if (!global.name.starts_with('$')) {
        return {global.name};
    }
    std::vector<std::string> names;
    const Value* listed = settings.find(global.name.substr(1));
    if (listed == nullptr || !listed->is_list()) {
        return names;
    }
    for (const Value& name : listed->items()) {
        names.push_back(name.as_string());
    }
    return names;
}

void refuse_constant(const Node& node, const Renaming& renaming, Diagnostics& problems) {
    problems.error(
        *renaming.constant, fmt::format("{}.globals.{}", node.path, toml_key(renaming.from)),
        fmt::format("must be a name (a string): {} publishes this global, and a constant "
                    "can only be read",
                    node.component->name));
}

void rename_global(Node& node, const plugin::Global& global, const Renaming& renaming,
                   Diagnostics& problems) {
    if (!renaming.constant) {
        node.globals[renaming.from] = renaming.to;
    } else if (global.is_written()) {
        refuse_constant(node, renaming, problems);
    } else {
        node.constants[renaming.from] = *renaming.constant;
    }
}

void add_globals(Node& node, const std::vector<Renaming>& renamings, const Settings& settings,
                 Inventory& inventory, Diagnostics& problems) {
    for (const plugin::Global& global : node.component->globals) {
        const bool exists = holds(parse_condition(global.when), settings);
        node.has_global.push_back(exists);
        for (const std::string& name : renamed_names(global, settings)) {
            inventory.add(name, exists, global.when);
            const Renaming* renaming = find_renaming(renamings, name);
            if (exists && renaming != nullptr) {
                rename_global(node, global, *renaming, problems);
            } else if (exists && !global.is_only_if_named()) {
                node.globals[name] = name;
            }
        }
    }
}

void add_statistics(Draft& draft, const std::vector<Renaming>& renamings, const Settings& settings,
                    Inventory& inventory) {
    Node& node = draft.node;
    for (const plugin::Statistic& statistic : node.component->statistics) {
        const bool exists = holds(parse_condition(statistic.when), settings);
        node.has_statistic.push_back(exists);
        inventory.add(statistic.name, exists, statistic.when);
        const Renaming* renaming = find_renaming(renamings, statistic.name);
        if (exists) {
            node.statistics[statistic.name] = renaming == nullptr ? statistic.name : renaming->to;
        }
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const plugin::Port& port = draft.port(node.outputs[i]);
        if (!port.is_loss) {
            continue;
        }
        const bool exists = !draft.outputs[i].stream.empty();
        inventory.add(port.name, exists, port.when);
        const Renaming* renaming = find_renaming(renamings, port.name);
        if (exists) {
            node.statistics[port.name] =
                renaming == nullptr ? draft.outputs[i].stream : renaming->to;
        }
    }
}

}  // namespace

void apply_names(Draft& draft, const experiment::Names& names, const Settings& settings,
                 Diagnostics& problems) {
    Node& node = draft.node;
    Inventory ports;
    Inventory globals;
    Inventory statistics;
    if (node.component->kind == plugin::Kind::kTask) {
        ports.add("indices", true, "");
    }
    add_ports(draft, names.streams, settings, ports);
    add_globals(node, names.globals, settings, globals, problems);
    add_statistics(draft, names.statistics, settings, statistics);
    ports.judge(names.streams, "port", "streams", node, problems);
    globals.judge(names.globals, "global", "globals", node, problems);
    statistics.judge(names.statistics, "statistic", "statistics", node, problems);
}

}  // namespace ptp::pipeline
