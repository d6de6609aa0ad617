// Combines two sets of options for a sampler.

#pragma once

#include <iterator>
#include <utility>
#include <vector>

namespace ptp::experiment {

template <class Item>
std::vector<Item> both(std::vector<Item> first, std::vector<Item> second) {
    first.insert(first.end(), std::make_move_iterator(second.begin()),
                 std::make_move_iterator(second.end()));
    return first;
}

}  // namespace ptp::experiment
