// The compiler's checks of a component class. Each message says what the author has to change; the
// lines that the compiler prints around it name the class and the number of the port.
#pragma once

#include <ptp/detail/arguments.hpp>
#include <ptp/settings.hpp>

#include <array>
#include <string_view>
#include <tuple>
#include <utility>

namespace ptp::detail {

constexpr bool is_snake_case(std::string_view name) {
    for (const char c : name) {
        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_') {
            return false;
        }
    }
    return !name.empty() && (name[0] < '0' || name[0] > '9');
}

constexpr bool is_reserved(std::string_view name) {
    constexpr std::string_view kReserved[] = {"type",       "priority", "streams", "globals",
                                              "statistics", "load",     "freeze"};
    for (const std::string_view reserved : kReserved) {
        if (name == reserved) {
            return true;
        }
    }
    return false;
}

template <class Owner, class Member>
constexpr void check_setting(const Setting<Owner, Member>&) {
    static_assert(
        setting_type<Member>(false) != 0,
        "ptp: a setting is a bool, int64_t, double, std::string, std::filesystem::path, an enum "
        "class, ptp::Data or a struct with settings(), or a std::vector or std::optional of these");
    static_assert(SettingType<Member>::depth <= 2,
                  "ptp: lists of settings are nested at most twice");
    static_assert(
        setting_type<Member>(false) != PTP_SETTING_TABLE || SettingType<Member>::depth <= 1,
        "ptp: a table may be in one list, not in a list of lists");
}

template <class Config>
consteval bool settings_have_names() {
    bool is_right = true;
    const auto check = [&](const auto& setting) {
        check_setting(setting);
        is_right = is_right && is_snake_case(setting.name) && !is_reserved(setting.name);
    };
    std::apply([&](const auto&... each) { (check(each), ...); }, Config::settings());
    return is_right;
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
constexpr void check_declarations() {
    static_assert(
        requires {
            { T::kind } -> std::convertible_to<ptp_kind>;
            { T::name } -> std::convertible_to<const char*>;
            { T::summary } -> std::convertible_to<const char*>;
        },
        "ptp: a component has `static constexpr` kind, name and summary");
    static_assert(names_are_unique<T>(),
                  "ptp: port names are snake_case; two may be equal only if when() says that just "
                  "one exists");
    if constexpr (requires { typename T::Config; }) {
        static_assert(
            settings_have_names<typename T::Config>(),
            "ptp: names of settings are snake_case and not a key of the experiment's own (type, "
            "priority, streams, globals, statistics, load, freeze)");
        static_assert(
            enumerations_have_choices<typename T::Config>(),
            "ptp: a setting of an enum type needs .choices, the names of its enumerators");
    }
    static_assert(stream_settings_exist<T>(),
                  "ptp: streams_from() names a setting that is a std::vector<std::string>");
}

// The parameter of forward() for input port number `n`.
template <class T, std::size_t n, class Parameter>
constexpr void check_parameter() {
    constexpr Port port = kPort<T, PTP_INPUT, n>;
    constexpr bool fits = Argument<T, n>::template accepts<Parameter>();
    constexpr bool is_single = !port.is_list();
    constexpr bool is_tensor = port.element <= PTP_BYTE;
    static_assert(
        fits || is_single,
        "ptp: forward() takes an input with streams_from() as ptp::List<at::Tensor>, or a List "
        "of what a single input of that element would be");
    static_assert(
        fits || !is_single || !port.may_be_absent(),
        "ptp: forward() takes an input that is optional or has when() by pointer, null if there "
        "is none: const at::Tensor*, const ptp::Strings*, ...");
    static_assert(
        fits || !is_single || port.may_be_absent() || !is_tensor,
        "ptp: forward() takes a tensor input as const at::Tensor& (without libtorch: const "
        "ptp::TensorView&)");
    static_assert(
        fits || !is_single || port.may_be_absent() || is_tensor,
        "ptp: forward() takes an input that is no tensor as const ptp::Strings& (STRING), "
        "ptp::TokenLists& (TOKENS), ptp::TensorList& (TENSOR_LIST) or ptp::Value& (ANY)");
}

template <class T, std::size_t n, class Result>
constexpr void check_result() {
    static_assert(
        fits_output<Result>(kPort<T, PTP_OUTPUT, n>),
        "ptp: a tensor output is returned as at::Tensor (without libtorch: ptp::TensorData), a "
        "STRING one as std::vector<std::string>, TOKENS as a vector of these, TENSOR_LIST and "
        "streams_from() as std::vector<at::Tensor>");
}

// What forward() or fetch() returns, as a tuple type; void stands for no outputs.
template <class Result>
struct ResultTuple {
    using Type = std::tuple<std::remove_cvref_t<Result>>;
};
template <>
struct ResultTuple<void> {
    using Type = std::tuple<>;
};
template <class... Each>
struct ResultTuple<std::tuple<Each...>> {
    using Type = std::tuple<Each...>;
};

template <class T, class Result>
constexpr void check_results() {
    using Results = typename ResultTuple<Result>::Type;
    constexpr std::size_t kCount = count_ports<T>(PTP_OUTPUT);
    static_assert(
        std::tuple_size_v<Results> == kCount,
        "ptp: one value is returned for each output port, in declared order: the value itself, a "
        "std::tuple of several, or void for none");
    if constexpr (std::tuple_size_v<Results> == kCount) {
        [&]<std::size_t... n>(std::index_sequence<n...>) {
            (check_result<T, n, std::tuple_element_t<n, Results>>(), ...);
        }
        (std::make_index_sequence<kCount>());
    }
}

// Whether the last parameter of forward() is of this type.
template <class T, class Wanted>
constexpr bool takes_last() {
    using Arguments = typename Method<decltype(&T::forward)>::Arguments;
    constexpr std::size_t kCount = std::tuple_size_v<Arguments>;
    if constexpr (kCount == 0) {
        return false;
    } else {
        using Last = std::tuple_element_t<kCount - 1, Arguments>;
        return std::is_same_v<std::remove_cvref_t<Last>, Wanted>;
    }
}

template <class T>
constexpr bool takes_step() {
    return takes_last<T, Step>();
}

template <class T>
constexpr bool takes_samples() {
    return takes_last<T, Samples>();
}

// Whether each sample is treated for itself: forward() takes the samples, or the class says so.
template <class T>
constexpr bool is_samplewise() {
    if constexpr (T::kind == PTP_TASK) {
        return false;
    } else if constexpr (requires { T::is_samplewise; }) {
        return T::is_samplewise;
    } else {
        return takes_samples<T>();
    }
}

template <class T>
constexpr void check_signature() {
    using Signature = Method<decltype(&T::forward)>;
    using Arguments = typename Signature::Arguments;
    constexpr std::size_t kInputs = count_ports<T>(PTP_INPUT);
    constexpr bool has_right_count =
        std::tuple_size_v<Arguments> == kInputs + (takes_step<T>() || takes_samples<T>() ? 1 : 0);
    static_assert(
        has_right_count,
        "ptp: forward() has one parameter for each input port, in declared order, and may have a "
        "last one, const ptp::Step& or, of a transform, const ptp::Samples&");
    static_assert(!is_samplewise<T>() || (T::kind == PTP_TRANSFORM && !takes_step<T>()),
                  "ptp: only a transform treats samples for themselves, and it knows no ptp::Step");
    if constexpr (has_right_count) {
        [&]<std::size_t... n>(std::index_sequence<n...>) {
            (check_parameter<T, n, std::tuple_element_t<n, Arguments>>(), ...);
        }
        (std::make_index_sequence<kInputs>());
    }
    check_results<T, typename Signature::Result>();
}

template <class T>
constexpr void check_forward() {
    if constexpr (requires { &T::forward; }) {
        check_signature<T>();
    } else {
        static_assert(
            requires { &T::forward; },
            "ptp: a component that is no task has one public function forward(), neither "
            "overloaded nor a template");
    }
}

}  // namespace ptp::detail
