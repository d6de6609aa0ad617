// Plain data: values of settings without a fixed type, globals, and state other than tensors.
#pragma once

#include <ptp/abi.h>
#include <ptp/error.hpp>

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ptp {

// A value, a list of values or a table of named values; owns its content. Reading it as another
// type throws ConfigError.
class Data {
public:
    struct Member;
    using List = std::vector<Data>;
    using Table = std::vector<Member>;  // in order, keys unique

    Data() = default;  // absent
    Data(bool value) : value_(value) {}
    template <std::integral T>
    requires(!std::same_as<T, bool>) Data(T value) : value_(static_cast<std::int64_t>(value)) {}
    template <std::floating_point T>
    Data(T value) : value_(static_cast<double>(value)) {}
    Data(const char* text) : value_(std::string(text)) {}
    Data(std::string_view text) : value_(std::string(text)) {}
    Data(std::string text) : value_(std::move(text)) {}
    Data(List items) : value_(std::move(items)) {}
    Data(Table members);
    template <class T>
    requires(!std::same_as<T, Data> && !std::same_as<T, Member>) Data(const std::vector<T>& items)
        : value_(List(items.begin(), items.end())) {}
    template <class T>
    Data(const std::map<std::string, T>& members);

    explicit Data(const ptp_data& data);  // a copy

    bool is_absent() const { return std::holds_alternative<std::monostate>(value_); }
    bool is_bool() const { return std::holds_alternative<bool>(value_); }
    bool is_integer() const { return std::holds_alternative<std::int64_t>(value_); }
    bool is_real() const { return std::holds_alternative<double>(value_); }
    bool is_text() const { return std::holds_alternative<std::string>(value_); }
    bool is_list() const { return std::holds_alternative<List>(value_); }
    bool is_table() const { return std::holds_alternative<TableBox>(value_); }

    bool as_bool() const { return get<bool>("true or false"); }
    std::int64_t as_integer() const { return get<std::int64_t>("an integer"); }
    double as_real() const;  // accepts an integer
    const std::string& as_text() const { return get<std::string>("text"); }
    const List& as_list() const { return get<List>("a list"); }
    const Table& as_table() const { return *get<TableBox>("a table").members; }

    const Data* find(std::string_view key) const;  // null if the table has no such member

    const char* type_name() const;  // "an integer", for messages
    std::string toml() const;       // as TOML text on one line

    bool operator==(const Data&) const = default;

private:
    // Holds a table by value before Member is defined: clang rejects a std::vector<Member> in the
    // variant itself.
    struct TableBox {
        explicit TableBox(Table table);
        TableBox(const TableBox& other);
        TableBox(TableBox&& other) noexcept;
        TableBox& operator=(const TableBox& other);
        TableBox& operator=(TableBox&& other) noexcept;
        ~TableBox();
        bool operator==(const TableBox& other) const;

        std::unique_ptr<Table> members;  // null only after a move
    };

    template <class T>
    const T& get(const char* wanted) const {
        if (const T* value = std::get_if<T>(&value_)) {
            return *value;
        }
        throw ConfigError("expected ", wanted, ", found ", type_name());
    }

    std::variant<std::monostate, bool, std::int64_t, double, std::string, List, TableBox> value_;
};

struct Data::Member {
    std::string key;
    Data value;

    bool operator==(const Member&) const = default;
};

inline Data::TableBox::TableBox(Table table) : members(std::make_unique<Table>(std::move(table))) {}
inline Data::TableBox::TableBox(const TableBox& other)
    : members(other.members ? std::make_unique<Table>(*other.members) : nullptr) {}
inline Data::TableBox::TableBox(TableBox&& other) noexcept = default;
inline Data::TableBox& Data::TableBox::operator=(const TableBox& other) {
    return *this = TableBox(other);
}
inline Data::TableBox& Data::TableBox::operator=(TableBox&& other) noexcept {
    TableBox taken(std::move(other));  // `other` may be in a member of this one
    members.swap(taken.members);
    return *this;
}
inline Data::TableBox::~TableBox() = default;
inline bool Data::TableBox::operator==(const TableBox& other) const {
    return *members == *other.members;
}

inline Data::Data(Table members) : value_(TableBox(std::move(members))) {}

template <class T>
Data::Data(const std::map<std::string, T>& members) {
    Table table;
    for (const auto& member : members) {
        table.push_back({member.first, Data(member.second)});
    }
    value_ = TableBox(std::move(table));
}

inline const Data* Data::find(std::string_view key) const {
    for (const Member& member : as_table()) {
        if (member.key == key) {
            return &member.value;
        }
    }
    return nullptr;
}

inline double Data::as_real() const {
    return is_integer() ? static_cast<double>(as_integer()) : get<double>("a number");
}

inline const char* Data::type_name() const {
    constexpr const char* kNames[] = {"nothing", "true or false", "an integer", "a real number",
                                      "text",    "a list",        "a table"};
    return kNames[value_.index()];
}

inline Data::Data(const ptp_data& data) {
    switch (data.type) {
        case PTP_DATA_BOOL:
            value_ = data.integer != 0;
            break;
        case PTP_DATA_INTEGER:
            value_ = data.integer;
            break;
        case PTP_DATA_REAL:
            value_ = data.real;
            break;
        case PTP_DATA_TEXT:
            value_ = std::string(data.text);
            break;
        case PTP_DATA_LIST: {
            List items;
            for (std::uint64_t i = 0; i < data.item_count; ++i) {
                items.emplace_back(data.items[i]);
            }
            value_ = std::move(items);
            break;
        }
        case PTP_DATA_TABLE: {
            Table members;
            for (std::uint64_t i = 0; i < data.item_count; ++i) {
                members.push_back({data.items[i].key, Data(data.items[i])});
            }
            value_ = TableBox(std::move(members));
            break;
        }
        default:
            break;  // absent
    }
}

}  // namespace ptp

#include <ptp/detail/data_text.hpp>
