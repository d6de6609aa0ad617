// The compiler's checks of the functions of a component class, after those of its declarations.
// Each message states what the author has to change; the lines that the compiler prints around it
// name the class and the number of the port.
#pragma once

#include <ptp/detail/arguments.hpp>
#include <ptp/detail/check_declarations.hpp>
#include <ptp/setup.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace ptp::detail {

// Checks the parameter of forward() for input port number `n`.
template <class T, std::size_t n, class Parameter>
constexpr bool check_parameter() {
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
        "ptp: forward() takes an input that is not a tensor as const ptp::Strings& (STRING), "
        "ptp::TokenLists& (TOKENS), ptp::TensorList& (TENSOR_LIST) or ptp::Value& (ANY)");
    return fits;
}

template <class T, std::size_t n, class Result>
constexpr bool check_result() {
    constexpr bool fits = fits_output<Result>(kPort<T, PTP_OUTPUT, n>);
    static_assert(
        fits,
        "ptp: a tensor output is returned as at::Tensor (without libtorch: ptp::TensorData), a "
        "STRING one as std::vector<std::string>, TOKENS as a vector of these, TENSOR_LIST as "
        "std::vector<at::Tensor>; with streams_from() tensors are std::vector<at::Tensor>, and "
        "STRINGs a vector with what each stream is");
    return fits;
}

// The result of forward() or fetch() as a tuple type; void if there are no outputs.
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
constexpr bool check_results() {
    using Results = typename ResultTuple<Result>::Type;
    constexpr std::size_t kCount = count_ports<T>(PTP_OUTPUT);
    constexpr bool has_right_count = std::tuple_size_v<Results> == kCount;
    static_assert(
        has_right_count,
        "ptp: one value is returned for each output port, in declared order: the value itself, a "
        "std::tuple of several, or void for none");
    if constexpr (has_right_count) {
        return []<std::size_t... n>(std::index_sequence<n...>) {
            return (check_result<T, n, std::tuple_element_t<n, Results>>() && ... && true);
        }
        (std::make_index_sequence<kCount>());
    }
    return false;
}

// Returns whether the last parameter of forward() is of this type.
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

// Returns whether each sample is processed independently: forward() takes ptp::Samples, or the
// class has is_per_sample.
template <class T>
constexpr bool is_per_sample() {
    if constexpr (T::kind == PTP_TASK) {
        return false;
    } else if constexpr (requires { T::is_per_sample; }) {
        return T::is_per_sample;
    } else {
        return takes_samples<T>();
    }
}

template <class T>
constexpr bool check_signature() {
    using Signature = Method<decltype(&T::forward)>;
    using Arguments = typename Signature::Arguments;
    constexpr std::size_t kInputs = count_ports<T>(PTP_INPUT);
    constexpr bool has_right_count =
        std::tuple_size_v<Arguments> == kInputs + (takes_step<T>() || takes_samples<T>() ? 1 : 0);
    constexpr bool may_be_samplewise =
        !is_per_sample<T>() || (T::kind == PTP_TRANSFORM && !takes_step<T>());
    static_assert(
        has_right_count,
        "ptp: forward() has one parameter for each input port, in declared order, and may have a "
        "last one, const ptp::Step& or, of a transform, const ptp::Samples&");
    static_assert(may_be_samplewise,
                  "ptp: only a transform treats each sample by itself, and it has no ptp::Step");
    constexpr bool has_right_results = check_results<T, typename Signature::Result>();
    if constexpr (has_right_count) {
        return []<std::size_t... n>(std::index_sequence<n...>) {
            return (check_parameter<T, n, std::tuple_element_t<n, Arguments>>() && ... && true);
        }
        (std::make_index_sequence<kInputs>()) && may_be_samplewise&& has_right_results;
    }
    return false;
}

template <class T>
concept HasForward = requires {
    typename Method<decltype(&T::forward)>::Result;
};

template <class T>
constexpr bool check_forward() {
    static_assert(HasForward<T>,
                  "ptp: a component that is not a task has one public function forward(), neither "
                  "overloaded nor a template nor static");
    if constexpr (HasForward<T>) {
        return check_signature<T>();
    }
    return false;
}

// The way to construct T.
template <class T>
struct Construction {
    static constexpr bool from_setup = std::is_constructible_v<T, Setup&>;
    static constexpr bool from_config = false;
    static constexpr bool from_both = false;
};
template <class T>
requires requires {
    typename T::Config;
}
struct Construction<T> {
    using Config = typename T::Config;
    static constexpr bool from_setup = std::is_constructible_v<T, Setup&>;
    static constexpr bool from_config = std::is_constructible_v<T, const Config&>;
    static constexpr bool from_both = std::is_constructible_v<T, const Config&, Setup&>;
};

template <class T>
constexpr bool check_constructor() {
    using How = Construction<T>;
    constexpr bool is_made =
        std::is_destructible_v<T> && (How::from_both || How::from_config || How::from_setup ||
                                      std::is_default_constructible_v<T>);
    if constexpr (requires { typename T::Config; }) {
        static_assert(is_made,
                      "ptp: a component with a Config is made by a public constructor T(const "
                      "Config&, ptp::Setup&), T(const Config&), T(ptp::Setup&) or T()");
    } else {
        static_assert(is_made,
                      "ptp: a component without a Config is made by a public constructor "
                      "T(ptp::Setup&) or T()");
    }
    return is_made;
}

}  // namespace ptp::detail
