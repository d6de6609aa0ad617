// The parts of plugin/compare.hpp: one function for each kind of declaration, in separate files.
#pragma once

#include "plugin/compare.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::plugin {

// Collects the differences of one declaration.
class Judgement {
public:
    // The plugin and the component itself have no name in the remarks on a running training.
    // `usual` is what the differences mean for one.
    Judgement(std::string kind, std::string name, OnSwap usual = OnSwap::kNothing)
        : compared_{.component = {}, .kind = std::move(kind), .name = std::move(name)},
          usual_(usual) {}

    // Adds a difference, which an identical declaration has only for a running training. `more` is
    // said about that training alone.
    void add(Change change, const std::string& reason, std::optional<OnSwap> on_swap = {},
             std::string_view more = "");
    // Adds differing texts: "range was [0, 1), is none".
    void add_text(Change change, std::string_view what, std::string_view older,
                  std::string_view newer, std::optional<OnSwap> on_swap = {});
    // The changes for a property such as "required" that becomes set or unset.
    struct Ways {
        Change set = Change::kBreaking;
        Change unset = Change::kBreaking;
    };
    void add_flag(Ways ways, bool older, bool newer, std::string_view what,
                  std::optional<OnSwap> on_swap = {});
    // Compares the conditions under which a declaration exists.
    void add_condition(const std::string& older, const std::string& newer, bool is_demand);

    // Returns the result and leaves this empty.
    Compared take() { return std::move(compared_); }

private:
    Compared compared_;
    OnSwap usual_;
};

// A declaration in both builds or in one of them; nullptr is where it is not.
template <class Item>
using Pair = std::pair<const Item*, const Item*>;

// Returns whether both exist under the same condition and, for streams, in the same direction. A
// component may declare one name several times, such as `predictions` with a shape for each layout.
template <class Item>
bool is_same_case(const Item& older, const Item& newer) {
    bool is_same = true;
    if constexpr (requires { older.when; }) {
        is_same = older.when == newer.when;
    }
    if constexpr (requires { older.direction; }) {
        is_same = is_same && older.direction == newer.direction;
    }
    return is_same;
}

// Returns the items of the older list with their partners of the same name, then the new ones. Of
// several items with one name those of the same case are matched first, then the others in order.
template <class Item>
std::vector<Pair<Item>> matched(const std::vector<Item>& older, const std::vector<Item>& newer) {
    std::vector<Pair<Item>> pairs;
    for (const Item& item : older) {
        pairs.emplace_back(&item, nullptr);
    }
    const auto is_taken = [&](const Item& item) {
        return std::ranges::find(pairs, &item, &Pair<Item>::second) != pairs.end();
    };
    for (const bool needs_same_case : {true, false}) {
        for (auto& [before, now] : pairs) {
            for (const Item& item : newer) {
                if (now == nullptr && item.name == before->name && !is_taken(item) &&
                    (!needs_same_case || is_same_case(*before, item))) {
                    now = &item;
                }
            }
        }
    }
    for (const Item& item : newer) {
        if (!is_taken(item)) {
            pairs.emplace_back(nullptr, &item);
        }
    }
    return pairs;
}

// The functions that compare the declarations of one kind.
template <class Item>
struct Rules {
    const char* kind;
    OnSwap usual;
    void (*judge)(const Item& older, const Item& newer, Judgement& judgement);
    void (*judge_new)(const Item& item, Judgement& judgement);
    void (*judge_gone)(const Item& item, Judgement& judgement) =
        [](const Item&, Judgement& judgement) { judgement.add(Change::kBreaking, "is gone"); };
};

// `prefix` is the table that contains settings: "optimizer.".
template <class Item>
void compare_items(const std::vector<Item>& older, const std::vector<Item>& newer,
                   const Rules<Item>& rules, std::vector<Compared>& all,
                   const std::string& prefix = "") {
    for (const auto& [before, now] : matched(older, newer)) {
        const std::string name = prefix + (before != nullptr ? before : now)->name;
        Judgement judgement(rules.kind, name, rules.usual);
        if (before == nullptr) {
            rules.judge_new(*now, judgement);
        } else if (now == nullptr) {
            rules.judge_gone(*before, judgement);
        } else {
            rules.judge(*before, *now, judgement);
        }
        all.push_back(judgement.take());
        if constexpr (requires { before->members; }) {
            if (before != nullptr && now != nullptr) {
                compare_items(before->members, now->members, rules, all, name + ".");
            }
        }
    }
}

extern const Rules<Setting> kSettingRules;
extern const Rules<Port> kPortRules;

}  // namespace ptp::plugin
