// The arguments of forward() for ports that are not single tensors: lists, and values of any kind.
#pragma once

#include <ptp/abi.h>
#include <ptp/detail/host.hpp>
#include <ptp/text.hpp>

#ifdef PTP_LIBTORCH_FINGERPRINT
#include <ptp/detail/tensor_torch.hpp>
#else
#include <ptp/detail/tensor_plain.hpp>
#endif

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <type_traits>

namespace ptp {

// at::Tensor in plugins built with libtorch, ptp::TensorView in those without.
using Tensor = detail::InputTensor;

namespace detail {

// A value as it arrives: the host that explains it, how it is wired, where it is, and the port.
struct Arrival {
    const ptp_host* host;
    const ptp_binding* binding;
    const ptp_value* value;
    const char* port;  // its name
};

template <class T>
class Reader;

}  // namespace detail

// A tensor of its own size for each sample (PTP_TENSOR_LIST). Valid during the call that got it.
class TensorList {
public:
    explicit TensorList(const detail::Arrival& from)
        : host_(from.host),
          port_(from.port),
          list_(reinterpret_cast<const ptp_tensor_list*>(from.value)) {}

    std::size_t size() const { return list_->count; }
    // A const at::Tensor&, or a TensorView.
    decltype(auto) operator[](std::size_t sample) const {
        return detail::TensorReader(*host_, list_->items[sample], port_).get();
    }

private:
    const ptp_host* host_;
    const char* port_;
    const ptp_tensor_list* list_;
};

// Whatever a stream carries (PTP_ANY). Valid during the call that got it.
class Value {
public:
    explicit Value(const detail::Arrival& from) : from_(from) {}

    ptp_element element() const { return from_.binding->element; }
    const char* stream() const { return from_.binding->stream; }
    bool is_tensor() const { return element() <= PTP_BYTE; }

    // Return the value of a stream of that kind; throw std::logic_error for another kind.
    decltype(auto) tensor() const {
        require(is_tensor());
        return detail::TensorReader(*from_.host, from_.value, from_.port).get();
    }
    Strings strings() const {
        require(element() == PTP_STRING);
        return Strings(*reinterpret_cast<const ptp_text*>(from_.value));
    }
    TokenLists token_lists() const {
        require(element() == PTP_TOKENS);
        return TokenLists(*reinterpret_cast<const ptp_text*>(from_.value));
    }
    TensorList tensor_list() const {
        require(element() == PTP_TENSOR_LIST);
        return TensorList(from_);
    }

private:
    static void require(bool is_right) {
        if (!is_right) {
            throw detail::Mistake("ptp::Value: the stream carries something else");
        }
    }

    detail::Arrival from_;
};

namespace detail {

// Holds one arrived value for the time of a call; get() is what the component sees.
template <>
class Reader<InputTensor> : public TensorReader {
public:
    explicit Reader(const Arrival& from) : TensorReader(*from.host, from.value, from.port) {}
};
template <>
class Reader<Strings> {
public:
    explicit Reader(const Arrival& from) : view_(*reinterpret_cast<const ptp_text*>(from.value)) {}
    const Strings& get() const { return view_; }

private:
    Strings view_;
};
template <>
class Reader<TokenLists> {
public:
    explicit Reader(const Arrival& from) : view_(*reinterpret_cast<const ptp_text*>(from.value)) {}
    const TokenLists& get() const { return view_; }

private:
    TokenLists view_;
};
template <>
class Reader<TensorList> {
public:
    explicit Reader(const Arrival& from) : view_(from) {}
    const TensorList& get() const { return view_; }

private:
    TensorList view_;
};
template <>
class Reader<Value> {
public:
    explicit Reader(const Arrival& from) : view_(from) {}
    const Value& get() const { return view_; }

private:
    Value view_;
};

}  // namespace detail

// The streams of a port that represents several (Port::streams_from), in the order of its setting.
// T is the argument type of a single port of that element. Valid during the call that got it.
template <class T>
class List {
public:
    List(const ptp_host& host, const ptp_binding* const* bindings, const ptp_value* const* values,
         std::size_t count, const char* port)
        : host_(&host), bindings_(bindings), values_(values), count_(count), port_(port) {}

    std::size_t size() const { return count_; }
    // A const at::Tensor& for tensors with libtorch; else a value.
    decltype(auto) operator[](std::size_t index) const {
        const detail::Arrival from{host_, bindings_[index], values_[index], port_};
        if constexpr (std::is_same_v<T, detail::InputTensor>) {
            return detail::TensorReader(*host_, from.value, port_).get();
        } else {
            return T(detail::Reader<T>(from).get());
        }
    }

private:
    const ptp_host* host_;
    const ptp_binding* const* bindings_;
    const ptp_value* const* values_;
    std::size_t count_;
    const char* port_;
};

}  // namespace ptp
