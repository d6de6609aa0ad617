#include "pipeline/signature.hpp"

#include "base/text.hpp"
#include "pipeline/setting_signature.hpp"
#include "plugin/enum_names.hpp"
#include "plugin/manifest_members.hpp"

#include <fmt/core.h>

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

// An item's name in a message: "input 'x'". Two of one name have different conditions.
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

// The word for a member of an item in a message, where it differs from its key.
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

// Another formula may result in the same sizes, and another meaning may fit; this is checked when
// both are assembled.
bool is_breaking(std::string_view key) {
    return key != "value" && key != "decimals" && key != "meaning";
}

class ComponentComparison {
public:
    ComponentComparison(const Component& running, const Component& offered)
        : running_(running), offered_(offered) {}

    std::vector<SignatureDifference> all() {
        if (running_.kind != offered_.kind) {
            add_breaking(fmt::format("kind was {}, is {}", plugin::to_string(running_.kind),
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
    void add(std::string text) { differences_.push_back({std::move(text)}); }
    void add_breaking(std::string text) { differences_.push_back({std::move(text), true}); }

    void compare(const auto& running, const auto& offered);

    void gone(const auto& item) { add_breaking(label(item) + " has vanished"); }
    void come(const Port& port);
    void come(const auto& item) { add_breaking(label(item) + " is new"); }

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
        add_breaking(
            fmt::format("order of {} was {}, is {}", noun, join(before, ", "), join(after, ", ")));
    }
}

void ComponentComparison::compare(const auto& running, const auto& offered) {
    const auto before = MemberTexts::of(running);
    const auto after = MemberTexts::of(offered);
    for (std::size_t i = 0; i < before.size(); ++i) {
        const auto& [key, text] = before[i];
        if (text == after[i].text || key == "help") {
            continue;
        }
        if (key == "optional") {
            add(label(running) +
                (text == "no" ? " is optional now" : " was optional, is required now"));
        } else {
            differences_.push_back({fmt::format("{} of {} was {}, is {}", noun_of(key),
                                                label(running), shown(text), shown(after[i].text)),
                                    is_breaking(key)});
        }
    }
}

void ComponentComparison::come(const Port& port) {
    if (port.direction == Direction::kOutput) {
        add_breaking(label(port) + " is new");
    } else if (port.is_optional) {
        add(label(port) + " is new and optional");
    } else {
        add_breaking(label(port) + " is new and required");
    }
}

}  // namespace

std::vector<SignatureDifference> compare_signatures(const Component& running,
                                                    const Component& offered) {
    return ComponentComparison(running, offered).all();
}

}  // namespace ptp::pipeline
