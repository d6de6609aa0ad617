// Converts data to TOML text, and to the tree of C structs of the ABI.
#pragma once

#include <ptp/data.hpp>

#include <charconv>
#include <cmath>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::detail {

inline std::string quoted(std::string_view text) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            result += "\\u00";
            result += kDigits[c >> 4];
            result += kDigits[c & 15];
        } else {
            result += c;
        }
    }
    return result + '"';
}

// Returns the shortest text that reads back as the same number.
inline std::string real_text(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value < 0 ? "-inf" : "inf";
    }
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    std::string text(buffer, end);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

inline std::string key_text(std::string_view key) {
    constexpr std::string_view kBare =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const bool is_bare = !key.empty() && key.find_first_not_of(kBare) == std::string_view::npos;
    return is_bare ? std::string(key) : quoted(key);
}

inline std::string list_text(const Data::List& items) {
    std::string result;
    for (const Data& item : items) {
        result += (result.empty() ? "" : ", ") + item.toml();
    }
    return "[" + result + "]";
}

inline std::string table_text(const Data::Table& members) {
    std::string result;
    for (const Data::Member& member : members) {
        result += (result.empty() ? "" : ", ") + key_text(member.key) + " = " + member.value.toml();
    }
    return result.empty() ? "{}" : "{ " + result + " }";
}

// The C structs for a value. Pointers into them are valid during the lifetime of this object, which
// does not move.
class DataTree {
public:
    explicit DataTree(Data data) : data_(std::move(data)), root_(convert(data_, nullptr)) {}
    ~DataTree() = default;
    DataTree(const DataTree&) = delete;
    DataTree& operator=(const DataTree&) = delete;

    const ptp_data* root() const { return &root_; }

private:
    ptp_data convert(const Data& data, const char* key) {
        ptp_data result{.type = PTP_DATA_ABSENT,
                        .reserved = 0,
                        .key = key,
                        .integer = 0,
                        .real = 0,
                        .text = nullptr,
                        .items = nullptr,
                        .item_count = 0};
        if (data.is_bool()) {
            result.type = PTP_DATA_BOOL;
            result.integer = data.as_bool() ? 1 : 0;
        } else if (data.is_integer()) {
            result.type = PTP_DATA_INTEGER;
            result.integer = data.as_integer();
        } else if (data.is_real()) {
            result.type = PTP_DATA_REAL;
            result.real = data.as_real();
        } else if (data.is_text()) {
            result.type = PTP_DATA_TEXT;
            result.text = data.as_text().c_str();
        } else if (data.is_list() || data.is_table()) {
            fill(result, data);
        }
        return result;
    }

    void fill(ptp_data& result, const Data& data) {
        std::vector<ptp_data> items;
        if (data.is_list()) {
            result.type = PTP_DATA_LIST;
            for (const Data& item : data.as_list()) {
                items.push_back(convert(item, nullptr));
            }
        } else {
            result.type = PTP_DATA_TABLE;
            for (const Data::Member& member : data.as_table()) {
                items.push_back(convert(member.value, member.key.c_str()));
            }
        }
        blocks_.push_back(std::move(items));
        result.items = blocks_.back().data();
        result.item_count = blocks_.back().size();
    }

    Data data_;
    std::deque<std::vector<ptp_data>> blocks_;
    ptp_data root_;
};

}  // namespace ptp::detail

namespace ptp {

inline std::string Data::toml() const {
    if (is_bool()) {
        return as_bool() ? "true" : "false";
    }
    if (is_integer()) {
        return std::to_string(as_integer());
    }
    if (is_real()) {
        return detail::real_text(as_real());
    }
    if (is_text()) {
        return detail::quoted(as_text());
    }
    if (is_list()) {
        return detail::list_text(as_list());
    }
    if (is_table()) {
        return detail::table_text(as_table());
    }
    return {};
}

}  // namespace ptp
