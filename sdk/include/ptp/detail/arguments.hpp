// Turns the C arrays of inputs and outputs into arguments and results of a component's function.
// Which goes where is settled by the compiler, and so are the errors of the author.
#pragma once

#include <ptp/detail/signature.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace ptp::detail {

// The first value of each port: a port named by a list setting has one value for each item.
template <class T, ptp_direction direction>
class Layout {
public:
    static constexpr std::size_t kPorts = count_ports<T>(direction);

    Layout(const ptp_binding* const* bindings, std::uint32_t count) : bindings_(bindings) {
        constexpr auto kIndices = port_indices<T, direction>();
        for (std::uint32_t i = 0; i < count; ++i) {
            for (std::size_t port = 0; port < kPorts; ++port) {
                const bool is_empty_list =
                    bindings[i]->stream == nullptr && ports_of<T>()[kIndices[port]].is_list();
                if (bindings[i]->port == kIndices[port] && !is_empty_list) {
                    start_[port] = sizes_[port] == 0 ? i : start_[port];
                    ++sizes_[port];
                }
            }
        }
    }

    std::size_t start(std::size_t port) const { return start_[port]; }
    std::size_t size(std::size_t port) const { return sizes_[port]; }
    const ptp_binding* const* bindings() const { return bindings_; }

private:
    const ptp_binding* const* bindings_;
    std::array<std::size_t, kPorts> start_{};
    std::array<std::size_t, kPorts> sizes_{};
};

// The argument of forward() for one input port.
template <class T, std::size_t n>
class Argument {
    static constexpr Port port = kPort<T, PTP_INPUT, n>;
    using Type = Carrier<port.element>;
    using Inputs = Layout<T, PTP_INPUT>;

    static auto make(const ptp_host& host, const Inputs& layout, const ptp_value* const* values) {
        const std::size_t at = layout.start(n);
        if constexpr (port.is_list()) {
            return List<Type>(host, layout.bindings() + at, values + at, layout.size(n), port.name);
        } else if constexpr (port.may_be_absent()) {
            const Arrival from{&host, layout.bindings()[at], values[at], port.name};
            return values[at] == nullptr ? std::optional<Reader<Type>>()
                                         : std::optional<Reader<Type>>(from);
        } else {
            return Reader<Type>(Arrival{&host, layout.bindings()[at], values[at], port.name});
        }
    }

public:
    Argument(const ptp_host& host, const Inputs& layout, const ptp_value* const* values)
        : held_(make(host, layout, values)) {}

    decltype(auto) get() const {
        if constexpr (port.is_list()) {
            return (held_);
        } else if constexpr (port.may_be_absent()) {
            return held_ ? &held_->get() : static_cast<const Type*>(nullptr);
        } else {
            return held_.get();
        }
    }

    template <class Parameter>
    static constexpr bool accepts() {
        using Bare = std::remove_cvref_t<Parameter>;
        constexpr bool changes = std::is_lvalue_reference_v<Parameter> &&
                                 !std::is_const_v<std::remove_reference_t<Parameter>>;
        if constexpr (port.is_list()) {
            return !changes && std::is_same_v<Bare, List<Type>>;
        } else if constexpr (port.may_be_absent()) {
            return std::is_same_v<Bare, const Type*>;
        } else {
            return !changes && std::is_same_v<Bare, Type>;
        }
    }

private:
    decltype(make(std::declval<const ptp_host&>(), std::declval<const Inputs&>(), nullptr)) held_;
};

template <class T>
struct ReadyOutput {
    T value;
    void write(const ptp_host& host, ptp_value* const* slots) {
        write_tensor(host, *slots, std::move(value));
    }
};
template <>
struct ReadyOutput<FlatText> {
    FlatText value;
    void write(const ptp_host& host, ptp_value* const* slots) {
        const ptp_text text = value.view();
        checked(host.set_text(host.context, *slots, &text));
    }
};
template <>
struct ReadyOutput<std::vector<FlatText>> {
    std::vector<FlatText> value;  // one for each stream

    void write(const ptp_host& host, ptp_value* const* slots) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            const ptp_text text = value[i].view();
            checked(host.set_text(host.context, slots[i], &text));
        }
    }
};
template <>
struct ReadyOutput<std::vector<OutputTensor>> {
    std::vector<OutputTensor> value;
    bool is_tensor_list;  // one slot with a list in it, or as many slots as tensors

    void write(const ptp_host& host, ptp_value* const* slots) {
        ptp_value* const* items = slots;
        if (is_tensor_list) {
            checked(host.resize_list(host.context, *slots, value.size()));
            items = reinterpret_cast<const ptp_tensor_list*>(*slots)->items;
        }
        for (std::size_t i = 0; i < value.size(); ++i) {
            write_tensor(host, items[i], std::move(value[i]));
        }
    }
};

[[noreturn]] inline void throw_not_computed(const Port& port) {
    throw Mistake("the output '" + std::string(port.name) + "' was not computed");
}

inline void require_computed(const Port& port, const OutputTensor& tensor) {
    if (!is_defined(tensor)) {
        throw_not_computed(port);
    }
}
inline void require_computed(const Port& port, const std::vector<OutputTensor>& tensors) {
    for (const OutputTensor& tensor : tensors) {
        require_computed(port, tensor);
    }
}

// Checks a returned value and brings it into its last form; nothing is written yet.
template <class T, std::size_t n, class Result>
auto prepare_output(Result&& result, ptp_value* const* slots, const Layout<T, PTP_OUTPUT>& layout) {
    constexpr Port port = kPort<T, PTP_OUTPUT, n>;
    if constexpr (port.element == PTP_STRING && port.is_list()) {
        if (result.size() != layout.size(n)) {
            throw_not_computed(port);
        }
        ReadyOutput<std::vector<FlatText>> ready;
        for (const auto& texts : result) {
            ready.value.emplace_back(std::span(texts));
        }
        return ready;
    } else if constexpr (port.element == PTP_STRING || port.element == PTP_TOKENS) {
        return ReadyOutput<FlatText>{FlatText(std::span(std::as_const(result)))};
    } else if constexpr (port.is_list() || port.element == PTP_TENSOR_LIST) {
        if (port.is_list() && result.size() != layout.size(n)) {
            throw_not_computed(port);
        }
        require_computed(port, result);
        return ReadyOutput<std::vector<OutputTensor>>{std::forward<Result>(result),
                                                      !port.is_list()};
    } else {
        if (slots[layout.start(n)] != nullptr) {
            require_computed(port, result);
        }
        return ReadyOutput<OutputTensor>{std::forward<Result>(result)};
    }
}

// Writes all results into the slots, or, if one of them is not right, none.
template <class T, class Results>
void write_outputs(Results&& results, const ptp_host& host, const Layout<T, PTP_OUTPUT>& layout,
                   ptp_value* const* slots) {
    [&]<std::size_t... n>(std::index_sequence<n...>) {
        auto ready =
            std::tuple{prepare_output<T, n>(std::move(std::get<n>(results)), slots, layout)...};
        const auto write = [&](auto& output, std::size_t port) {
            ptp_value* const* first = slots + layout.start(port);
            if (layout.size(port) > 0 && *first != nullptr) {
                output.write(host, first);
            }
        };
        (write(std::get<n>(ready), n), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<Results>>>());
}

// A single result as a tuple of one.
template <class Result>
auto as_tuple(Result&& result) {
    if constexpr (requires { std::tuple_size<std::remove_cvref_t<Result>>::value; }) {
        return std::forward<Result>(result);
    } else {
        return std::tuple<std::remove_cvref_t<Result>>(std::forward<Result>(result));
    }
}

}  // namespace ptp::detail
