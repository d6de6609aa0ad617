// Searches in a list, and makes one list of another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ptp {

template <class List, class Wanted>
bool contains(const List& list, const Wanted& wanted) {
    return std::ranges::find(list, wanted) != std::ranges::end(list);
}

// Returns the first element whose `key`, a member or a function, is `wanted`; nullptr if there is
// none.
template <class List, class Wanted, class Key>
auto* find_by(List& list, const Wanted& wanted, Key key) {
    const auto found = std::ranges::find(list, wanted, key);
    return found == std::ranges::end(list) ? nullptr : &*found;
}

// Returns the element that has this name; nullptr if there is none.
template <class List>
auto* find_named(List& list, std::string_view name) {
    return find_by(list, name, [](const auto& one) -> std::string_view { return one.name; });
}

// Returns the result of `function`, or this member, for each element in order. The results are
// converted to `Result` if it is given.
template <class Result = void, class List, class Function>
auto transformed(List&& list, Function function) {
    using Made = std::invoke_result_t<Function&, std::ranges::range_reference_t<List>>;
    using Kept = std::conditional_t<std::is_void_v<Result>, std::remove_cvref_t<Made>, Result>;
    std::vector<Kept> results;
    if constexpr (std::ranges::sized_range<List>) {
        results.reserve(static_cast<std::size_t>(std::ranges::size(list)));
    }
    for (auto&& element : list) {
        results.emplace_back(std::invoke(function, element));
    }
    return results;
}

}  // namespace ptp
