// Makes tables from the names of classes to their numbers.
#pragma once

#include <ptp/data.hpp>

#include <cstdint>
#include <string>

namespace ptp::support {

// Numbers the names from 0. REQUIRES: `names` is a range of strings.
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
