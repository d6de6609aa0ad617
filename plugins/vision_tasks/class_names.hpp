// Tables from the names of classes to their numbers.
#pragma once

#include <ptp/data.hpp>

#include <string>

// REQUIRES: `names` is a range of strings. They are numbered from 0.
template <class Names>
ptp::Data::Table word_mappings(const Names& names) {
    ptp::Data::Table mappings;
    int64_t number = 0;
    for (const auto& name : names) {
        mappings.push_back({std::string(name), number++});
    }
    return mappings;
}
