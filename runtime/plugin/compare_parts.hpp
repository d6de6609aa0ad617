// The parts of plugin/compare.hpp: one function for each kind of declaration, in separate files.
#pragma once

#include "plugin/compare.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::plugin {

inline std::string_view or_none(std::string_view text) {
    return text.empty() ? "none" : text;
}

// Collects the differences of one declaration.
class Judgement {
public:
    // `label` is the declaration in a sentence: "input 'x'". `usual` is what its differences mean
    // for a running training.
    explicit Judgement(std::string label, OnSwap usual = OnSwap::kNothing)
        : label_(std::move(label)), usual_(usual) {}

    // Adds a difference, which an identical declaration has only for a running training. An empty
    // remark is the reason after the label: "global 'x' is new".
    void add(Change change, const std::string& reason, std::string remark = "",
             std::optional<OnSwap> on_swap = {});
    // Adds differing texts: "range was [0, 1), is none".
    void add_text(Change change, std::string_view what, const std::string& older,
                  const std::string& newer, std::optional<OnSwap> on_swap = {});
    // The changes for a property such as "required" that becomes set or unset.
    struct Ways {
        Change set = Change::kBreaking;
        Change unset = Change::kBreaking;
    };
    // `noun` is the property in a remark: "being a loss of output 'x' was no, is yes".
    void add_flag(Ways ways, bool older, bool newer, std::string_view what,
                  std::string_view noun = "", std::optional<OnSwap> on_swap = {});
    // Compares the conditions under which a declaration exists.
    void add_condition(const std::string& older, const std::string& newer, bool is_demand);

    // Returns "range of input 'x' was [0, 1), is none".
    [[nodiscard]] std::string remark_on(std::string_view what, std::string_view older,
                                        std::string_view newer) const;

    // Returns the result and leaves this empty.
    Compared take(std::string kind, std::string name);

private:
    std::string label_;
    OnSwap usual_;
    Compared compared_;
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

// Compares settings. `prefix` is the table that contains them: "optimizer.".
void compare_settings(const std::vector<Setting>& older, const std::vector<Setting>& newer,
                      const std::string& prefix, std::vector<Compared>& all);
void compare_ports(const Component& older, const Component& newer, std::vector<Compared>& all);

}  // namespace ptp::plugin
