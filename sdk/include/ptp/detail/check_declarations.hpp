// The compiler's checks of the declarations of a component class. Each message states what the
// author has to change. A failed check keeps the next one, and all code that relies on it, from
// being compiled, so that the message comes first.
#pragma once

#include <ptp/reserved_names.h>
#include <ptp/detail/signature.hpp>
#include <ptp/settings.hpp>

#include <array>
#include <concepts>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace ptp::detail {

constexpr bool is_snake_case(std::string_view name) {
    for (const char c : name) {
        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_') {
            return false;
        }
    }
    return !name.empty() && (name[0] < '0' || name[0] > '9');
}

// True for a std::tuple of ptp::setting(...).
template <class T>
struct IsSettings : std::false_type {};
template <class... Owner, class... Member>
struct IsSettings<std::tuple<Setting<Owner, Member>...>> : std::true_type {};

template <class Config>
concept DeclaresSettings = requires {
    requires IsSettings<std::remove_cvref_t<decltype(Config::settings())>>::value;
    Config();
};

template <class Owner, class Member>
constexpr bool is_setting(const Setting<Owner, Member>*) {
    constexpr auto kType = setting_type<Member>(false);
    constexpr auto kDepth = SettingType<Member>::depth;
    static_assert(
        kType != 0,
        "ptp: a setting is a bool, int64_t, double, std::string, std::filesystem::path, an enum "
        "class, ptp::Data, ptp::Layers or a struct with settings(), or a std::vector or "
        "std::optional of these");
    static_assert(kDepth <= 2, "ptp: lists of settings are nested at most twice");
    static_assert(kType != PTP_SETTING_TABLE || kDepth <= 1,
                  "ptp: a table may be in one list, not in a list of lists");
    return kType != 0 && kDepth <= (kType == PTP_SETTING_TABLE ? 1 : 2);
}

template <class... Each>
constexpr bool are_settings(const std::tuple<Each...>*) {
    return (is_setting(static_cast<const Each*>(nullptr)) && ...);
}

template <class Config>
consteval bool settings_have_names() {
    bool is_right = true;
    const auto check = [&](const auto& setting) {
        is_right = is_right && is_snake_case(setting.name);
    };
    std::apply([&](const auto&... each) { (check(each), ...); }, Config::settings());
    return is_right;
}

template <class Config>
constexpr bool has_setting(std::string_view name) {
    return std::apply([&](const auto&... each) { return ((name == each.name) || ...); },
                      Config::settings());
}

// Checks the names in a component's own Config; the members of a table may have any name.
template <class Config>
constexpr bool are_names_free() {
#define PTP_REFUSE_NAME(name)                                           \
    static_assert(!has_setting<Config>(name),                           \
                  "ptp: a setting is named '" name                      \
                  "', which is a key of the experiment's own, so that " \
                  "it could never be given: rename it");
    PTP_FOR_EACH_RESERVED_NAME(PTP_REFUSE_NAME)
#undef PTP_REFUSE_NAME
    for (const std::string_view reserved : {PTP_RESERVED_NAMES}) {
        if (has_setting<Config>(reserved)) {
            return false;
        }
    }
    return true;
}

template <class Config>
consteval bool enumerations_have_choices() {
    bool is_right = true;
    const auto check = [&]<class Owner, class Member>(const Setting<Owner, Member>& setting) {
        is_right = is_right && (!std::is_enum_v<typename SettingType<Member>::Innermost> ||
                                setting.text.choices != nullptr);
    };
    std::apply([&](const auto&... each) { (check(each), ...); }, Config::settings());
    return is_right;
}

template <class Config>
consteval bool is_list_of_strings(std::string_view wanted) {
    bool is_found = false;
    const auto check = [&]<class Owner, class Member>(const Setting<Owner, Member>& setting) {
        is_found = is_found ||
                   (wanted == setting.name && std::is_same_v<Member, std::vector<std::string>>);
    };
    std::apply([&](const auto&... each) { (check(each), ...); }, Config::settings());
    return is_found;
}

template <class T>
consteval bool stream_settings_exist() {
    for (const Port& port : ports_of<T>()) {
        if constexpr (requires { typename T::Config; }) {
            if (port.is_list() && !is_list_of_strings<typename T::Config>(port.streams_setting)) {
                return false;
            }
        } else if (port.is_list()) {
            return false;
        }
    }
    return true;
}

template <class T>
consteval bool names_are_unique() {
    constexpr auto ports = ports_of<T>();
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (!is_snake_case(ports[i].name)) {
            return false;
        }
        for (std::size_t j = 0; j < i; ++j) {
            const bool are_alternatives =
                ports[i].condition != nullptr && ports[j].condition != nullptr &&
                std::string_view(ports[i].condition) != ports[j].condition;
            if (std::string_view(ports[i].name) == ports[j].name && !are_alternatives) {
                return false;
            }
        }
    }
    return true;
}

template <class T>
concept NamesItself = requires {
    typename std::integral_constant<ptp_kind, T::kind>;
    { T::name } -> std::convertible_to<const char*>;
    { T::summary } -> std::convertible_to<const char*>;
    requires T::kind >= PTP_TASK&& T::kind <= PTP_VIEWER;
};

template <class T, class Item>
struct IsArrayOf : std::false_type {};
template <class Item, std::size_t count>
struct IsArrayOf<const std::array<Item, count>, Item> : std::true_type {};

// True if the list is missing, or a constant array.
template <class T>
concept DeclaresPorts = !requires {
    T::ports;
}
|| requires {
    requires IsArrayOf<decltype(T::ports), Port>::value;
    typename std::bool_constant<T::ports.empty() || T::ports.front().direction != 0>;
};
template <class T>
concept DeclaresGlobals = !requires {
    T::globals;
}
|| requires {
    requires IsArrayOf<decltype(T::globals), Global>::value;
};
template <class T>
concept DeclaresStatistics = !requires {
    T::statistics;
}
|| requires {
    requires IsArrayOf<decltype(T::statistics), Statistic>::value;
    typename std::bool_constant<T::statistics.empty() || T::statistics.front().digits >= 0>;
};

template <class T>
constexpr bool has_identity() {
    constexpr bool is_complete = requires {
        sizeof(T);
    };
    static_assert(
        is_complete,
        "ptp: the class of this component is only declared here; the file with PTP_PLUGIN "
        "includes ptp/entry.hpp alone, and that of the component ends with `template const "
        "ptp_component_info& ptp::component<...>();`");
    if constexpr (is_complete) {
        static_assert(NamesItself<T>,
                      "ptp: a component has `static constexpr` kind, name and summary, which are "
                      "public: `static constexpr ptp_kind kind = PTP_MODEL`");
        return NamesItself<T>;
    }
    return false;
}

template <class T>
constexpr bool has_lists() {
    static_assert(DeclaresPorts<T>,
                  "ptp: ports is a `static constexpr std::array` of ptp::input(...) and "
                  "ptp::output(...)");
    static_assert(DeclaresGlobals<T>,
                  "ptp: globals is a `static constexpr std::array` of ptp::reads(...), "
                  "ptp::reads_if_named(...) and ptp::publishes(...)");
    static_assert(DeclaresStatistics<T>,
                  "ptp: statistics is a `static constexpr std::array` of ptp::mean(...), "
                  "ptp::sum(...) and ptp::computed(...)");
    return DeclaresPorts<T> && DeclaresGlobals<T> && DeclaresStatistics<T>;
}

template <class Config>
constexpr bool are_settings() {
    static_assert(DeclaresSettings<Config>,
                  "ptp: a Config is made without arguments and has `static constexpr auto "
                  "settings()`, which returns a std::tuple of ptp::setting(...)");
    if constexpr (DeclaresSettings<Config>) {
        if constexpr (are_settings(static_cast<decltype(Config::settings())*>(nullptr))) {
            constexpr bool have_names = settings_have_names<Config>();
            constexpr bool have_free_names = are_names_free<Config>();
            constexpr bool have_choices = enumerations_have_choices<Config>();
            static_assert(have_names, "ptp: names of settings are snake_case");
            static_assert(
                have_choices,
                "ptp: a setting of an enum type needs .choices, the names of its enumerators");
            return have_names && have_free_names && have_choices;
        }
    }
    return false;
}

template <class T>
constexpr bool has_settings() {
    if constexpr (requires { typename T::Config; }) {
        return are_settings<typename T::Config>();
    }
    return true;
}

template <class T>
constexpr bool has_right_ports() {
    constexpr bool are_unique = names_are_unique<T>();
    constexpr bool exist = stream_settings_exist<T>();
    static_assert(are_unique,
                  "ptp: port names are snake_case; two may be equal only if when() says that just "
                  "one exists");
    static_assert(exist, "ptp: streams_from() names a setting that is a std::vector<std::string>");
    return are_unique && exist;
}

// Returns whether the declarations of T are readable and valid.
template <class T>
constexpr bool is_declared() {
    if constexpr (has_identity<T>()) {
        if constexpr (has_lists<T>() && has_settings<T>()) {
            return has_right_ports<T>();
        }
    }
    return false;
}

}  // namespace ptp::detail
