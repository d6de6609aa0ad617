// Tables from the names of classes to their numbers.
#pragma once

#include <ptp/data.hpp>

#include <cstdint>
#include <string>

namespace ptp::support {

// REQUIRES: `names` is a range of strings. They are numbered from 0.
template <class Names>
Data::Table class_table(const Names& names) {
    Data::Table table;
    std::int64_t number = 0;
    for (const auto& name : names) {
        table.push_back({std::string(name), number++});
    }
    return table;
}

}  // namespace ptp::support
