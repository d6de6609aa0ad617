// The parts of plugin/compare.hpp: one function for each kind of declaration, in separate files.
#pragma once

#include "plugin/compare.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::plugin {

// Collects the differences of one declaration.
class Judgement {
public:
    void add(Change change, std::string reason);
    // Adds differing texts: "range was [0, 1), is none".
    void add_text(Change change, std::string_view what, const std::string& older,
                  const std::string& newer);
    // The changes for a property such as "required" that becomes set or unset.
    struct Ways {
        Change set = Change::kBreaking;
        Change unset = Change::kBreaking;
    };
    void add_flag(Ways ways, bool older, bool newer, std::string_view what);
    // Compares the conditions under which a declaration exists.
    void add_condition(const std::string& older, const std::string& newer, bool is_demand);

    [[nodiscard]] Change change() const { return change_; }
    [[nodiscard]] const std::vector<std::string>& reasons() const { return reasons_; }

private:
    Change change_ = Change::kIdentical;
    std::vector<std::string> reasons_;
};

// Collects the results for a component.
class Comparison {
public:
    explicit Comparison(std::string component) : component_(std::move(component)) {}

    void add(std::string kind, std::string name, const Judgement& judgement);
    void add(std::string kind, std::string name, Change change, std::string reason);
    [[nodiscard]] std::vector<Compared> take() { return std::move(compared_); }

private:
    std::string component_;
    std::vector<Compared> compared_;
};

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

// Calls both(older, newer) for items in both lists, old(older) and fresh(newer) for the others. Of
// several items with one name those of the same case are matched first, then the others in order.
template <class Item, class Both, class Old, class Fresh>
void match_by_name(const std::vector<Item>& older, const std::vector<Item>& newer, Both both,
                   Old old, Fresh fresh) {
    std::vector<const Item*> partners(older.size(), nullptr);
    const auto find_partners = [&](auto fits) {
        for (std::size_t i = 0; i < older.size(); ++i) {
            const auto found = std::ranges::find_if(newer, [&](const Item& item) {
                return item.name == older[i].name && fits(older[i], item) &&
                       std::ranges::find(partners, &item) == partners.end();
            });
            if (partners[i] == nullptr && found != newer.end()) {
                partners[i] = &*found;
            }
        }
    };
    find_partners(is_same_case<Item>);
    find_partners([](const Item&, const Item&) { return true; });
    for (std::size_t i = 0; i < older.size(); ++i) {
        if (partners[i] != nullptr) {
            both(older[i], *partners[i]);
        } else {
            old(older[i]);
        }
    }
    for (const Item& item : newer) {
        if (std::ranges::find(partners, &item) == partners.end()) {
            fresh(item);
        }
    }
}

// Compares settings. `prefix` is the table that contains them: "optimizer.".
void compare_settings(const std::vector<Setting>& older, const std::vector<Setting>& newer,
                      const std::string& prefix, Comparison& comparison);
void compare_ports(const Component& older, const Component& newer, Comparison& comparison);
void compare_globals(const Component& older, const Component& newer, Comparison& comparison);
void compare_statistics(const Component& older, const Component& newer, Comparison& comparison);
void compare_abilities(const Component& older, const Component& newer, Comparison& comparison);

}  // namespace ptp::plugin
