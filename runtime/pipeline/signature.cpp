#include "pipeline/signature.hpp"

#include "pipeline/setting_signature.hpp"
#include "plugin/enum_names.hpp"
#include "plugin/manifest_members.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
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

std::string shown(const std::string& text) {
    return text.empty() ? "none" : text;
}

// The members of an item as texts, in the order of visit_members().
class MemberTexts {
public:
    struct Member {
        std::string_view key;
        std::string text;
    };

    template <class Item>
    static std::vector<Member> of(const Item& item) {
        MemberTexts texts;
        plugin::visit_members(item, texts);
        return std::move(texts.members_);
    }

    template <class T, class Source>
    void operator()(std::string_view key, const T& member, const Source& /*source*/,
                    unsigned /*rules*/ = 0) {
        members_.push_back({key, text_of(member)});
    }

private:
    static std::string text_of(const std::string& text) { return text; }
    static std::string text_of(bool value) { return value ? "yes" : "no"; }
    static std::string text_of(std::int32_t number) { return fmt::format("{}", number); }
    static std::string text_of(plugin::HasWords auto value) {
        return std::string(plugin::to_string(value));
    }

    std::vector<Member> members_;
};

// What a member of an item is in a message, where that is not its key.
std::string_view noun_of(std::string_view key) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kNouns = {
        {{"when", "condition"},
         {"streams_setting", "setting of streams"},
         {"loss", "being a loss"},
         {"reshaped", "being reshaped"},
         {"hidden", "being hidden"},
         {"integer", "being an integer"},
         {"spread", "having a spread"},
         {"set_only", "being of sets only"},
         {"decimals", "number of decimals"}}};
    const auto* const found =
        std::ranges::find(kNouns, key, &std::pair<std::string_view, std::string_view>::first);
    return found != kNouns.end() ? found->second : key;
}

// How bad it is that a member of an item differs.
Change change_of(std::string_view key) {
    // Another formula may give the same sizes; whether it does is seen when both are assembled.
    if (key == "value" || key == "decimals") {
        return Change::widened;
    }
    return key == "help" ? Change::identical : Change::breaking;
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

    void compare(const auto& running, const auto& offered);

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

void ComponentComparison::compare(const auto& running, const auto& offered) {
    const auto before = MemberTexts::of(running);
    const auto after = MemberTexts::of(offered);
    for (std::size_t i = 0; i < before.size(); ++i) {
        const auto& [key, text] = before[i];
        const Change change = change_of(key);
        if (text == after[i].text || change == Change::identical) {
            continue;
        }
        if (key == "optional") {
            const bool is_optional = text == "no";
            add(is_optional ? Change::widened : Change::narrowed,
                label(running) +
                    (is_optional ? " is optional now" : " was optional, is required now"));
        } else {
            add(change, fmt::format("{} of {} was {}, is {}", noun_of(key), label(running),
                                    shown(text), shown(after[i].text)));
        }
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
