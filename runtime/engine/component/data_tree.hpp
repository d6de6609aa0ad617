// Values of the experiment as the plain data of ptp/abi.h, and back.

#pragma once

#include "base/value.hpp"

#include <ptp/abi.h>

#include <deque>
#include <string>
#include <vector>

namespace ptp::engine {

// A tree of ptp_data, which it owns; the addresses in it stay valid as long as it exists.
class DataTree {
public:
    // Constructs the value PTP_DATA_ABSENT.
    DataTree();
    explicit DataTree(const Value& value);
    ~DataTree() = default;
    DataTree(const DataTree&) = delete;
    DataTree& operator=(const DataTree&) = delete;

    [[nodiscard]] const ptp_data& root() const { return root_; }

private:
    ptp_data converted(const Value& value, const char* key);
    std::vector<ptp_data> converted_items(const Value& value);
    const char* kept(const std::string& text) { return texts_.emplace_back(text).c_str(); }

    std::deque<std::string> texts_;
    std::deque<std::vector<ptp_data>> lists_;
    ptp_data root_;
};

// Returns a copy. Throws std::invalid_argument for an invalid value: an unknown type, a missing
// text, a duplicate key, more than 64 levels.
Value to_value(const ptp_data& data);

}  // namespace ptp::engine
