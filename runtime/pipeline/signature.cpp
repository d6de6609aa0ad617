#include "pipeline/signature.hpp"

#include "pipeline/setting_signature.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ptp::pipeline {

namespace {

using plugin::Component;
using plugin::Direction;
using plugin::Global;
using plugin::Port;
using plugin::Statistic;

// What stands in a message for an item: "input 'x'". Two of one name have different conditions.
std::string label(const Port& port) {
    return fmt::format("{} '{}'", plugin::to_string(port.direction), port.name);
}
std::string label(const Global& global) {
    return fmt::format("global '{}'", global.name);
}
std::string label(const Statistic& statistic) {
    return fmt::format("statistic '{}'", statistic.name);
}

std::string shown(std::string_view text) {
    return text.empty() ? "none" : std::string(text);
}
std::string shown(bool value) {
    return value ? "yes" : "no";
}
std::string shown(std::int32_t number) {
    return fmt::format("{}", number);
}

class ComponentComparison {
public:
    ComponentComparison(const Component& running, const Component& offered)
        : running_(running), offered_(offered) {}

    std::vector<SignatureDifference> all() {
        if (running_.kind != offered_.kind) {
            add(Change::breaking,
                fmt::format("kind was {}, is {}", plugin::to_string(running_.kind),
                            plugin::to_string(offered_.kind)));
        }
        compare_settings(running_.settings, offered_.settings, "", differences_);
        items(running_.ports, offered_.ports);
        order("ports", running_.ports, offered_.ports);
        items(running_.globals, offered_.globals);
        items(running_.statistics, offered_.statistics);
        order("statistics", running_.statistics, offered_.statistics);
        return std::move(differences_);
    }

private:
    void add(Change change, std::string text) { differences_.push_back({change, std::move(text)}); }

    // `what` of an item: "shape of input 'x' was B,2, is B,3".
    template <class Value>
    void same(std::string_view what, const std::string& item, Value running, Value offered,
              Change change = Change::breaking) {
        if (running != offered) {
            add(change,
                fmt::format("{} of {} was {}, is {}", what, item, shown(running), shown(offered)));
        }
    }

    void compare(const Port& running, const Port& offered);
    void compare(const Global& running, const Global& offered);
    void compare(const Statistic& running, const Statistic& offered);

    void gone(const auto& item) { add(Change::breaking, label(item) + " has vanished"); }
    void come(const Port& port);
    void come(const auto& item) { add(Change::breaking, label(item) + " is new"); }

    template <class Item>
    void items(const std::vector<Item>& running, const std::vector<Item>& offered);
    template <class Item>
    void order(std::string_view noun, const std::vector<Item>& running,
               const std::vector<Item>& offered);

    const Component& running_;
    const Component& offered_;
    std::vector<SignatureDifference> differences_;
};

// The item of that name; among several, the one with that condition.
template <class Item>
const Item* counterpart(const Item& item, const std::vector<Item>& own,
                        const std::vector<Item>& others) {
    const auto is_named = [&](const Item& other) { return other.name == item.name; };
    const bool is_single =
        std::ranges::count_if(own, is_named) == 1 && std::ranges::count_if(others, is_named) == 1;
    const auto found = std::ranges::find_if(others, [&](const Item& other) {
        return is_named(other) && (is_single || other.when == item.when);
    });
    return found != others.end() ? &*found : nullptr;
}

template <class Item>
void ComponentComparison::items(const std::vector<Item>& running,
                                const std::vector<Item>& offered) {
    for (const Item& item : running) {
        if (const Item* other = counterpart(item, running, offered)) {
            compare(item, *other);
        } else {
            gone(item);
        }
    }
    for (const Item& item : offered) {
        if (counterpart(item, offered, running) == nullptr) {
            come(item);
        }
    }
}

// A component gets its ports by their places, and files have their columns so.
template <class Item>
void ComponentComparison::order(std::string_view noun, const std::vector<Item>& running,
                                const std::vector<Item>& offered) {
    const auto names_in_both = [](const std::vector<Item>& own, const std::vector<Item>& others) {
        std::vector<std::string> names;
        for (const Item& item : own) {
            if (counterpart(item, own, others) != nullptr) {
                names.push_back(item.name);
            }
        }
        return names;
    };
    const auto before = names_in_both(running, offered);
    const auto after = names_in_both(offered, running);
    if (before != after) {
        add(Change::breaking, fmt::format("order of {} was {}, is {}", noun,
                                          fmt::join(before, ", "), fmt::join(after, ", ")));
    }
}

void ComponentComparison::compare(const Port& running, const Port& offered) {
    const std::string port = label(running);
    same("direction", port, plugin::to_string(running.direction),
         plugin::to_string(offered.direction));
    same("element", port, plugin::to_string(running.element), plugin::to_string(offered.element));
    same("shape", port, std::string_view(running.shape), std::string_view(offered.shape));
    same("condition", port, std::string_view(running.when), std::string_view(offered.when));
    same("setting of streams", port, std::string_view(running.streams_setting),
         std::string_view(offered.streams_setting));
    same("being a loss", port, running.is_loss, offered.is_loss);
    same("being reshaped", port, running.is_reshaped, offered.is_reshaped);
    if (offered.is_optional != running.is_optional) {
        add(offered.is_optional ? Change::widened : Change::narrowed,
            port + (offered.is_optional ? " is optional now" : " was optional, is required now"));
    }
}

void ComponentComparison::come(const Port& port) {
    if (port.direction == Direction::output) {
        add(Change::breaking, label(port) + " is new");
    } else if (port.is_optional) {
        add(Change::widened, label(port) + " is new and optional");
    } else {
        add(Change::breaking, label(port) + " is new and required");
    }
}

void ComponentComparison::compare(const Global& running, const Global& offered) {
    const std::string global = label(running);
    same("access", global, plugin::to_string(running.access), plugin::to_string(offered.access));
    // Another formula may give the same sizes; whether it does is seen when both are assembled.
    same("value", global, std::string_view(running.value), std::string_view(offered.value),
         Change::widened);
    same("condition", global, std::string_view(running.when), std::string_view(offered.when));
}

void ComponentComparison::compare(const Statistic& running, const Statistic& offered) {
    const std::string statistic = label(running);
    same("aggregation", statistic, plugin::to_string(running.aggregation),
         plugin::to_string(offered.aggregation));
    same("weight", statistic, std::string_view(running.weight), std::string_view(offered.weight));
    same("condition", statistic, std::string_view(running.when), std::string_view(offered.when));
    same("being hidden", statistic, running.is_hidden, offered.is_hidden);
    same("being an integer", statistic, running.is_integer, offered.is_integer);
    same("having a spread", statistic, running.has_spread, offered.has_spread);
    same("being of sets only", statistic, running.is_set_only, offered.is_set_only);
    same("number of decimals", statistic, running.decimals, offered.decimals, Change::widened);
}

SignatureComparison summed_up(std::vector<SignatureDifference> differences) {
    SignatureComparison comparison;
    for (const SignatureDifference& difference : differences) {
        comparison.change = std::max(comparison.change, difference.change);
    }
    comparison.differences = std::move(differences);
    return comparison;
}

const Component* find(const plugin::Manifest& manifest, const std::string& type) {
    const auto found = std::ranges::find(manifest.components, type, &Component::name);
    return found != manifest.components.end() ? &*found : nullptr;
}

}  // namespace

std::string_view to_string(Change change) {
    switch (change) {
        case Change::identical:
            return "identical";
        case Change::widened:
            return "widened";
        case Change::narrowed:
            return "narrowed";
        case Change::breaking:
            return "breaking";
    }
    return "";
}

SignatureComparison compare_signatures(const Component& running, const Component& offered) {
    return summed_up(ComponentComparison(running, offered).all());
}

SignatureComparison compare_signatures(const plugin::Manifest& running,
                                       const plugin::Manifest& offered,
                                       std::span<const std::string> types) {
    std::vector<SignatureDifference> differences;
    if (running.name != offered.name) {
        differences.push_back({Change::breaking, fmt::format("plugin was '{}', is '{}'",
                                                             running.name, offered.name)});
    }
    for (const std::string& type : types) {
        const Component* before = find(running, type);
        const Component* after = find(offered, type);
        if (before == nullptr || after == nullptr) {
            differences.push_back(
                {Change::breaking, fmt::format("component {} has vanished", type)});
            continue;
        }
        for (SignatureDifference& difference : ComponentComparison(*before, *after).all()) {
            differences.push_back(
                {difference.change, fmt::format("{}: {}", type, difference.text)});
        }
    }
    return summed_up(std::move(differences));
}

}  // namespace ptp::pipeline
