// Checks that components which are tried in turn are transforms of single samples with the same
// streams, and finds the last of them, which calls the others.

#include "pipeline/tried.hpp"

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/component_stages.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

namespace ptp::pipeline {

namespace {

std::set<std::string> stream_names(const Assembly& assembly, const std::vector<int>& streams) {
    std::set<std::string> names;
    for (const int stream : streams) {
        names.insert(assembly.stream(stream).name);
    }
    return names;
}

std::string quoted(const std::set<std::string>& names) {
    std::vector<std::string> all;
    for (const std::string& name : names) {
        all.push_back(fmt::format("'{}'", name));
    }
    return all.empty() ? "nothing" : joined(all);
}

class TriedCheck {
public:
    TriedCheck(const Assembly& assembly, Diagnostics& problems)
        : assembly_(assembly), problems_(problems) {}

    void run(const experiment::TryEntry& entry) {
        for (const experiment::Renaming& renaming : entry.names.streams) {
            check_port(entry, renaming);
        }
        const Draft* first = nullptr;
        for (const std::string& name : entry.components) {
            const auto found = std::ranges::find_if(
                assembly_.components, [&](const Draft& draft) { return draft.node.name == name; });
            if (found == assembly_.components.end()) {
                continue;
            }
            if (const std::string reason = reason_not_to_try(*found->node.component);
                !reason.empty()) {
                const auto place =
                    std::ranges::find(entry.components, name) - entry.components.begin();
                problems_.error(Value(name).at(entry.components_place),
                                fmt::format("{}.try[{}]", entry.path, place),
                                Explanation{reason, "leave it out of try"});
            } else if (found->node.tried_in != entry.name) {
                continue;  // of another `try`, which is refused where it is named
            } else if (first == nullptr) {
                first = &*found;
            } else {
                compare(*first, *found, true);
                compare(*first, *found, false);
            }
        }
    }

private:
    // Reports a port that no component has which is tried.
    void check_port(const experiment::TryEntry& entry, const experiment::Renaming& renaming) {
        std::vector<std::string> ports;
        for (const Draft& draft : assembly_.components) {
            if (draft.node.tried_in == entry.name) {
                std::ranges::copy(transformed(draft.node.component->ports, &plugin::Port::name),
                                  std::back_inserter(ports));
            }
        }
        if (!contains(ports, renaming.from) && assembly_.are_streams_known) {
            problems_.error(
                renaming.from_place,
                fmt::format("{}.streams.{}", entry.path, toml_key(renaming.from)),
                "no component that it tries has a port of this name" + hint(renaming.from, ports));
        }
    }

    void compare(const Draft& first, const Draft& other, bool are_inputs) {
        const auto of = [&](const Draft& draft) {
            return stream_names(
                assembly_, are_inputs ? draft.node.read_streams() : draft.node.written_streams());
        };
        const std::set<std::string> wanted = of(first);
        const std::set<std::string> found = of(other);
        if (wanted == found || found.empty() || !assembly_.are_streams_known) {
            return;
        }
        const char* const verb = are_inputs ? "reads" : "writes";
        report(
            other.node, other.node.place,
            Explanation{
                fmt::format("{} {}, but {}, which '{}' tries, too, {} {}", verb, quoted(found),
                            node_text(first.node), other.node.tried_in, verb, quoted(wanted)),
                fmt::format("name the same ones by streams = {{ ... }} in [{}]", other.node.path)},
            problems_);
    }

    const Assembly& assembly_;
    Diagnostics& problems_;
};

}  // namespace

std::string reason_not_to_try(const plugin::Component& component) {
    const bool is_transform = component.kind == plugin::Kind::kTransform;
    if (is_transform && is_per_sample(component)) {
        return "";
    }
    return fmt::format(
        "{} is a {}{}; only transforms that treat each sample by itself can be tried",
        component.name, plugin::to_string(component.kind),
        is_transform ? " that computes on whole batches" : "");
}

void check_tried(const Assembly& assembly, Diagnostics& problems) {
    for (const experiment::TryEntry& entry : assembly.experiment->pipeline.tries) {
        if (entry.is_enabled) {
            TriedCheck(assembly, problems).run(entry);
        }
    }
}

void warn_of_unread_try(const Assembly& assembly, const Node& node, const std::string& streams,
                        Diagnostics& problems) {
    const auto* const tries = find_named(assembly.experiment->pipeline.tries, node.tried_in);
    if (tries == nullptr || node.turn > 0) {
        return;
    }
    problems.warning(
        tries->place, "",
        Explanation{
            fmt::format("{}: nothing reads {}, so that what it tries has no effect", tries->path,
                        streams),
            fmt::format("name the stream in a component that should read it, or set {}.enabled = "
                        "false",
                        tries->path)});
}

void name_tried(Plan& plan) {
    for (Node& node : plan.nodes) {
        std::vector<const Node*> turns;
        for (const Node& other : plan.nodes) {
            if (!node.tried_in.empty() && other.tried_in == node.tried_in) {
                turns.push_back(&other);
            }
        }
        std::ranges::sort(turns, {}, &Node::turn);
        if (!turns.empty() && turns.back() == &node) {
            node.tries = transformed(turns, [](const Node* turn) { return turn->name; });
        }
    }
}

}  // namespace ptp::pipeline
