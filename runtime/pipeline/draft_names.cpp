// Gives the streams, globals and statistics of a draft the names that the experiment assigns to
// them, and states how to give them others.

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/settings.hpp"
#include "pipeline/wiring.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ptp::pipeline {

namespace {

using experiment::Renaming;

const Renaming* find_renaming(const std::vector<Renaming>& map, const std::string& name) {
    return find_by(map, name, &Renaming::from);
}

// Returns what to do about a name of a component that has none: sizes of layers are in the layers.
std::string fix_of_none(const Node& node, const Renaming& renaming) {
    const bool has_layers = std::ranges::any_of(node.component->settings, [](const auto& one) {
        return one.type == plugin::SettingType::kLayers;
    });
    return has_layers && !renaming.constant
               ? fmt::format("leave it out, and write \"{}\" as the size in a layer", renaming.to)
               : "leave it out";
}

// The ports, globals and statistics of a component, and which exist with the given settings.
class Inventory {
public:
    // `when` must outlive it.
    void add(const std::string& name, bool exists, std::string_view when) {
        if (Entry* const known = find_named(entries_, name)) {
            known->exists = known->exists || exists;
        } else {
            entries_.push_back({name, exists, when});
        }
    }

    // Judges every name of `map`; `what` is "port", and `table` "streams", of the component.
    void judge(const std::vector<Renaming>& map, std::string_view what, std::string_view table,
               const Node& node, Diagnostics& problems) const {
        const std::string& type = node.component->name;
        for (const Renaming& renaming : map) {
            const Entry* const found = find_named(entries_, renaming.from);
            if (found != nullptr && found->exists) {
                continue;
            }
            const std::string path =
                fmt::format("{}.{}.{}", node.path, table, toml_key(renaming.from));
            if (found == nullptr) {
                const std::vector<std::string> names = transformed(entries_, &Entry::name);
                problems.error(renaming.from_place, path,
                               Explanation{fmt::format("{} has no {} of this name{}", type, what,
                                                       hint(renaming.from, names)),
                                           names.empty() ? fix_of_none(node, renaming) : ""});
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

    std::vector<Entry> entries_;
};

// Returns the stream of a port: of its own name, unless the experiment has another.
Wire wire_of(const plugin::Port& port, const Renaming* renaming, const SourceLocation& place) {
    return renaming == nullptr ? Wire{port.name, place}
                               : Wire{renaming->to, renaming->to_place, true};
}

void add_ports(Draft& draft, const std::vector<Renaming>& renamings, const Settings& settings,
               Inventory& inventory) {
    const auto& ports = draft.node.component->ports;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const plugin::Port& port = ports[i];
        const bool exists = holds(parse_condition(port.when), settings);
        auto& bindings =
            port.direction == plugin::Direction::kInput ? draft.node.inputs : draft.node.outputs;
        Binding binding{.port = static_cast<int>(i), .name = port.name};
        if (port.streams_setting.empty()) {
            inventory.add(port.name, exists, port.when);
            if (exists) {
                binding.wire = wire_of(port, find_renaming(renamings, port.name), draft.node.place);
            }
            bindings.push_back(std::move(binding));
            continue;
        }
        const Value* streams = settings.find(port.streams_setting);
        for (std::size_t k = 0; exists && streams != nullptr && k < streams->items().size(); ++k) {
            const Value& stream = streams->items()[k];
            binding.name = fmt::format("{}[{}]", port.streams_setting, k);
            binding.wire = {stream.as_string(), stream.place(), true};
            bindings.push_back(binding);
        }
    }
}

// The names of a global: its own, or for "$keys" the ones that the setting lists.
std::vector<std::string> names_of(const plugin::Global& global, const Settings& settings) {
    if (!global.name.starts_with('$')) {
        return {global.name};
    }
    std::vector<std::string> names;
    const Value* listed = settings.find(global.name.substr(1));
    for (std::size_t i = 0; listed != nullptr && listed->is_list() && i < listed->items().size();
         ++i) {
        names.push_back(listed->items()[i].as_string());
    }
    return names;
}

void rename_global(Node& node, const plugin::Global& global, const Renaming& renaming,
                   Diagnostics& problems) {
    if (!renaming.constant) {
        node.globals[renaming.from] = renaming.to;
    } else if (!global.is_written()) {
        node.constants[renaming.from] = *renaming.constant;
    } else {
        problems.error(
            *renaming.constant, fmt::format("{}.globals.{}", node.path, toml_key(renaming.from)),
            fmt::format("must be a name (a string): {} publishes this global, and a constant "
                        "can only be read",
                        node.component->name));
    }
}

void add_globals(Node& node, const std::vector<Renaming>& renamings, const Settings& settings,
                 Inventory& inventory, Diagnostics& problems) {
    for (const plugin::Global& global : node.component->globals) {
        const bool exists = holds(parse_condition(global.when), settings);
        node.has_global.push_back(exists);
        for (const std::string& name : names_of(global, settings)) {
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
    for (const Binding& output : node.outputs) {
        const plugin::Port& port = draft.port(output);
        if (!port.is_loss) {
            continue;
        }
        const bool exists = !output.wire.stream.empty();
        inventory.add(port.name, exists, port.when);
        const Renaming* renaming = find_renaming(renamings, port.name);
        if (exists) {
            node.statistics[port.name] = renaming == nullptr ? output.wire.stream : renaming->to;
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

std::string stream_renaming_text(const Node& node, const Binding& binding,
                                 const std::string& stream) {
    const plugin::Port& port = node.port(binding);
    if (!port.streams_setting.empty()) {
        return fmt::format("name it \"{}\" in {}", stream, port.streams_setting);
    }
    if (stream == port.name) {
        return fmt::format("leave '{}' out of its streams", port.name);
    }
    Value streams;  // with the other names, which a second line `streams` would contradict
    for (const auto* bindings : {&node.inputs, &node.outputs}) {
        for (const Binding& one : *bindings) {
            const plugin::Port& other = node.port(one);
            if (other.streams_setting.empty() && (one.wire.is_named || &one == &binding)) {
                streams.set(other.name, &one == &binding ? stream : one.wire.stream);
            }
        }
    }
    return "write streams = " + inline_toml(streams);
}

}  // namespace ptp::pipeline
