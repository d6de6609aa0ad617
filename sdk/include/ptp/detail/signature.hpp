// The parameters and result of a member function, and the types that the ports of a component
// require.
#pragma once

#include <ptp/declare.hpp>
#include <ptp/step.hpp>
#include <ptp/values.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace ptp::detail {

template <class>
struct Method;
template <class C, class R, class... A>
struct Method<R (C::*)(A...)> {
    using Result = R;
    using Arguments = std::tuple<A...>;
};
template <class C, class R, class... A>
struct Method<R (C::*)(A...) const> : Method<R (C::*)(A...)> {};
template <class C, class R, class... A>
struct Method<R (C::*)(A...) noexcept> : Method<R (C::*)(A...)> {};
template <class C, class R, class... A>
struct Method<R (C::*)(A...) const noexcept> : Method<R (C::*)(A...)> {};

template <class T>
constexpr auto ports_of() {
    if constexpr (requires { T::ports; }) {
        return T::ports;
    } else {
        return std::array<Port, 0>{};
    }
}

template <class T>
constexpr std::size_t count_ports(ptp_direction direction) {
    std::size_t count = 0;
    for (const Port& port : ports_of<T>()) {
        count += port.direction == direction ? 1 : 0;
    }
    return count;
}

// Returns the indices in T::ports of the inputs, or of the outputs.
template <class T, ptp_direction direction>
constexpr auto port_indices() {
    std::array<std::size_t, count_ports<T>(direction)> indices{};
    std::size_t found = 0;
    for (std::size_t i = 0; i < ports_of<T>().size(); ++i) {
        if (ports_of<T>()[i].direction == direction) {
            indices[found++] = i;
        }
    }
    return indices;
}

template <class T, ptp_direction direction, std::size_t n>
constexpr Port kPort = ports_of<T>()[port_indices<T, direction>()[n]];

template <ptp_element element>
constexpr auto carrier() {
    if constexpr (element == PTP_STRING) {
        return std::type_identity<Strings>();
    } else if constexpr (element == PTP_TOKENS) {
        return std::type_identity<TokenLists>();
    } else if constexpr (element == PTP_TENSOR_LIST) {
        return std::type_identity<TensorList>();
    } else if constexpr (element == PTP_ANY) {
        return std::type_identity<Value>();
    } else {
        return std::type_identity<InputTensor>();
    }
}

// The C++ type of an input of this element: at::Tensor, Strings, ...
template <ptp_element element>
using Carrier = typename decltype(carrier<element>())::type;

template <class T>
constexpr bool kIsString = std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>;

template <class T>
struct ItemOf {
    using Type = void;
};
template <class T>
struct ItemOf<std::vector<T>> {
    using Type = T;
};

// Returns whether a result can be stored in an output of this element.
template <class Result>
constexpr bool fits_output(const Port& port) {
    if (port.element == PTP_STRING) {
        using Item = typename ItemOf<Result>::Type;
        return port.is_list() ? kIsString<typename ItemOf<Item>::Type> : kIsString<Item>;
    }
    if (port.is_list() || port.element == PTP_TENSOR_LIST) {
        return std::is_same_v<Result, std::vector<OutputTensor>>;
    }
    if (port.element == PTP_TOKENS) {
        return std::is_same_v<Result, std::vector<std::vector<std::string>>>;
    }
    return std::is_same_v<Result, OutputTensor>;
}

}  // namespace ptp::detail
