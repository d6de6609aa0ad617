// Parts of plugin/compare.hpp: one function for each kind of declaration, in a file of its own.
#pragma once

#include "plugin/compare.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::plugin {

// Collects what differs about one thing.
class Judgement {
public:
    void add(Change change, std::string reason);
    // Where the texts differ: "range was [0, 1), is none".
    void add_text(Change change, std::string_view what, const std::string& older,
                  const std::string& newer);
    // "required", of what is declared or not, and the other way round.
    struct Ways {
        Change set = Change::kBreaking;
        Change unset = Change::kBreaking;
    };
    void add_flag(Ways ways, bool older, bool newer, std::string_view what);
    // The condition under which something exists.
    void add_condition(const std::string& older, const std::string& newer, bool is_demand);

    [[nodiscard]] Change change() const { return change_; }
    [[nodiscard]] const std::vector<std::string>& reasons() const { return reasons_; }

private:
    Change change_ = Change::kIdentical;
    std::vector<std::string> reasons_;
};

// Where the result goes.
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

// Calls both(older, newer) for what both lists have, old(older) and fresh(newer) for what one has.
template <class Item, class Both, class Old, class Fresh>
void match_by_name(const std::vector<Item>& older, const std::vector<Item>& newer, Both both,
                   Old old, Fresh fresh) {
    const auto in = [](const std::vector<Item>& list, const std::string& name) -> const Item* {
        const auto found = std::ranges::find(list, name, &Item::name);
        return found == list.end() ? nullptr : &*found;
    };
    for (const Item& item : older) {
        if (const Item* const other = in(newer, item.name)) {
            both(item, *other);
        } else {
            old(item);
        }
    }
    for (const Item& item : newer) {
        if (in(older, item.name) == nullptr) {
            fresh(item);
        }
    }
}

// `prefix` is the table that they are members of: "optimizer.".
void compare_settings(const std::vector<Setting>& older, const std::vector<Setting>& newer,
                      const std::string& prefix, Comparison& comparison);
void compare_ports(const Component& older, const Component& newer, Comparison& comparison);
void compare_globals(const Component& older, const Component& newer, Comparison& comparison);
void compare_statistics(const Component& older, const Component& newer, Comparison& comparison);
void compare_abilities(const Component& older, const Component& newer, Comparison& comparison);

}  // namespace ptp::plugin
