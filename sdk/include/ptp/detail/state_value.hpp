// Converts values of the types in ptp/state.hpp to data and back.
#pragma once

#include <ptp/data.hpp>
#include <ptp/detail/state_tensor.hpp>
#include <ptp/error.hpp>
#include <ptp/random.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ptp::detail {

template <class Owner, class Member>
struct Kept {
    const char* name;
    Member Owner::*member;
};

// The result of state() for a class that is saved as its only member.
template <class Owner, class Member>
struct Same {
    Member Owner::*member;
};

template <class T>
struct StateForm {
    static constexpr bool is_table = false;
    static constexpr bool is_same = false;
};
template <class... Owner, class... Member>
struct StateForm<std::tuple<Kept<Owner, Member>...>> {
    static constexpr bool is_table = true;
    static constexpr bool is_same = false;
};
template <class Owner, class Member>
struct StateForm<Same<Owner, Member>> {
    static constexpr bool is_table = false;
    static constexpr bool is_same = true;
};

template <class T>
concept HasKeptMembers = requires {
    requires StateForm<std::remove_cvref_t<decltype(T::state())>>::is_table;
};
template <class T>
concept SavedAsItsMember = requires {
    requires StateForm<std::remove_cvref_t<decltype(T::state())>>::is_same;
};
template <class T>
concept SavesItself = requires(const T& value, const Data& data) {
    { value.save() } -> std::convertible_to<Data>;
    { T::restored(data) } -> std::convertible_to<T>;
};

template <class T>
struct Container {
    static constexpr bool is_list = false, is_array = false, is_optional = false, is_map = false;
};
template <class T>
struct Container<std::vector<T>> : Container<void> {
    static constexpr bool is_list = true;
};
template <class T, std::size_t count>
struct Container<std::array<T, count>> : Container<void> {
    static constexpr bool is_array = true;
};
template <class T>
struct Container<std::optional<T>> : Container<void> {
    static constexpr bool is_optional = true;
};
template <class Key, class T>
struct Container<std::map<Key, T>> : Container<void> {
    static constexpr bool is_map = true;
};

// Returns whether values of this type, and all values in them, can be saved and restored.
template <class T>
constexpr bool can_be_kept() {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, Data> ||
                  std::is_same_v<T, std::string> || std::is_same_v<T, Random> ||
                  std::is_same_v<T, OutputTensor>) {
        return true;
    } else if constexpr (Container<T>::is_list || Container<T>::is_array ||
                         Container<T>::is_optional) {
        return can_be_kept<typename T::value_type>();
    } else if constexpr (Container<T>::is_map) {
        using Key = typename T::key_type;
        constexpr bool is_key = std::integral<Key> || std::is_same_v<Key, std::string>;
        return is_key && can_be_kept<typename T::mapped_type>();
    } else if constexpr (SavedAsItsMember<T>) {
        return can_be_kept<std::remove_cvref_t<decltype(std::declval<T&>().*T::state().member)>>();
    } else if constexpr (HasKeptMembers<T>) {
        return []<class... Owner, class... Member>(std::tuple<Kept<Owner, Member>...>*) {
            return (can_be_kept<Member>() && ... && true);
        }(static_cast<std::remove_cvref_t<decltype(T::state())>*>(nullptr));
    } else {
        return SavesItself<T>;
    }
}

template <class T>
Data save_value(const T& value);

template <class T>
Data save_list(const T& values) {
    Data::List items;
    for (const auto& item : values) {
        items.push_back(save_value<typename T::value_type>(item));
    }
    return items;
}

template <class T>
Data save_map(const T& values) {
    Data::List pairs;
    for (const auto& [key, item] : values) {
        pairs.push_back(Data::List{save_value(key), save_value(item)});
    }
    return pairs;
}

template <class T>
Data save_members(const T& value) {
    Data::Table table;
    const auto add = [&](const auto& kept) {
        table.push_back({kept.name, save_value(value.*kept.member)});
    };
    std::apply([&](const auto&... each) { (add(each), ...); }, T::state());
    return table;
}

template <class T>
Data save_value(const T& value) {
    if constexpr (std::is_same_v<T, Data> || std::is_same_v<T, std::string> ||
                  std::is_same_v<T, bool> || std::floating_point<T>) {
        return value;
    } else if constexpr (std::integral<T> || std::is_enum_v<T>) {
        return static_cast<std::int64_t>(value);
    } else if constexpr (std::is_same_v<T, Random>) {
        return static_cast<std::int64_t>(value.state());
    } else if constexpr (std::is_same_v<T, OutputTensor>) {
        return save_tensor(value);
    } else if constexpr (Container<T>::is_list || Container<T>::is_array) {
        return save_list(value);
    } else if constexpr (Container<T>::is_optional) {
        return value ? Data::List{save_value(*value)} : Data::List{};
    } else if constexpr (Container<T>::is_map) {
        return save_map(value);
    } else if constexpr (SavedAsItsMember<T>) {
        return save_value(value.*T::state().member);
    } else if constexpr (HasKeptMembers<T>) {
        return save_members(value);
    } else {
        return value.save();
    }
}

// The completeness of a table: kComplete, with exactly the members of the struct, if this version
// saved it.
enum class Completeness { kComplete, kOlder };

// The context of restoring a value: its place in the state ("sets[1].right"), and how complete the
// saved data must be.
struct RestoreContext {
    std::string where = {};
    Completeness completeness = Completeness::kComplete;

    [[nodiscard]] RestoreContext member(const std::string& name) const {
        return {where.empty() ? name : where + "." + name, completeness};
    }
    [[nodiscard]] RestoreContext item(std::size_t index) const {
        return {where + "[" + std::to_string(index) + "]", completeness};
    }

    template <class... Parts>
    [[noreturn]] void fail(const Parts&... parts) const {
        throw DataError("the saved state", where.empty() ? "" : " '" + where + "'", ": ", parts...);
    }

    // Calls `read`, which may throw ConfigError, as the readers of Data do.
    template <class Read>
    decltype(auto) reading(Read read) const {
        try {
            return read();
        } catch (const ConfigError& error) {
            fail(error.what());
        }
    }
};

template <class T>
void restore_value(const Data& data, T& value, const RestoreContext& context);

// Restores a struct that an older version has saved as a list.
template <class T>
void restore_in_order(const Data::List& items, T& value, const RestoreContext& context) {
    std::size_t next = 0;
    const auto take = [&](const auto& kept) {
        if (next < items.size()) {
            restore_value(items[next], value.*kept.member, context.member(kept.name));
        }
        ++next;
    };
    std::apply([&](const auto&... each) { (take(each), ...); }, T::state());
}

template <class T>
void restore_members(const Data& data, T& value, const RestoreContext& context) {
    std::size_t known = 0;
    const auto take = [&](const auto& kept) {
        if (const Data* member = data.find(kept.name)) {
            restore_value(*member, value.*kept.member, context.member(kept.name));
            ++known;
        } else if (context.completeness == Completeness::kComplete) {
            context.member(kept.name).fail("is missing");
        }
    };
    std::apply([&](const auto&... each) { (take(each), ...); }, T::state());
    if (known != data.as_table().size() && context.completeness == Completeness::kComplete) {
        context.fail("has members that the component does not know");
    }
}

template <class T>
void restore_struct(const Data& data, T& value, const RestoreContext& context) {
    if (data.is_list() && context.completeness == Completeness::kOlder) {
        restore_in_order(data.as_list(), value, context);
    } else {
        context.reading([&] { return data.as_table().size(); });  // throws unless it is a table
        restore_members(data, value, context);
    }
}

template <class T>
void restore_map(const Data::List& pairs, T& values, const RestoreContext& context) {
    values.clear();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const Data::List& pair = context.reading([&]() -> auto& { return pairs[i].as_list(); });
        if (pair.size() != 2) {
            context.item(i).fail("is not a key and a value");
        }
        typename T::key_type key{};
        restore_value(pair[0], key, context.item(i));
        restore_value(pair[1], values[key], context.item(i));
    }
}

template <class T>
void restore_list(const Data::List& items, T& value, const RestoreContext& context) {
    if constexpr (Container<T>::is_array) {
        if (items.size() != value.size()) {
            context.fail("has ", items.size(), " items, not ", value.size());
        }
        for (std::size_t i = 0; i < items.size(); ++i) {
            restore_value(items[i], value[i], context.item(i));
        }
    } else if constexpr (Container<T>::is_optional) {
        value.reset();
        if (!items.empty()) {
            restore_value(items[0], value.emplace(), context);
        }
    } else if constexpr (Container<T>::is_map) {
        restore_map(items, value, context);
    } else {
        value.clear();
        for (std::size_t i = 0; i < items.size(); ++i) {
            typename T::value_type item{};
            restore_value(items[i], item, context.item(i));
            value.push_back(std::move(item));
        }
    }
}

template <class T>
void restore_value(const Data& data, T& value, const RestoreContext& context) {
    const auto read = [&](auto get) { return context.reading(get); };
    if constexpr (std::is_same_v<T, Data>) {
        value = data;
    } else if constexpr (std::is_same_v<T, bool>) {
        value = read([&] { return data.as_bool(); });
    } else if constexpr (std::integral<T> || std::is_enum_v<T>) {
        value = static_cast<T>(read([&] { return data.as_integer(); }));
    } else if constexpr (std::floating_point<T>) {
        value = static_cast<T>(read([&] { return data.as_real(); }));
    } else if constexpr (std::is_same_v<T, std::string>) {
        value = read([&] { return data.as_text(); });
    } else if constexpr (std::is_same_v<T, Random>) {
        value = Random(static_cast<std::uint64_t>(read([&] { return data.as_integer(); })));
    } else if constexpr (std::is_same_v<T, OutputTensor>) {
        read([&] { restore_tensor(data, value); });
    } else if constexpr (SavedAsItsMember<T>) {
        restore_value(data, value.*T::state().member, context);
    } else if constexpr (HasKeptMembers<T>) {
        restore_struct(data, value, context);
    } else if constexpr (SavesItself<T>) {
        value = read([&] { return T::restored(data); });
    } else {
        const Data::List& items = context.reading([&]() -> auto& { return data.as_list(); });
        restore_list(items, value, context);
    }
}

}  // namespace ptp::detail
