// The ability of tasks: their size, and samples by index.
#pragma once

#include <ptp/ext/task.h>
#include <ptp/detail/instance.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace ptp::detail {

template <class T>
concept FetchesBatches = requires {
    &T::fetch;
};
template <class T>
concept MakesSamples = requires {
    &T::sample;
};

// Collects the values of one port over the samples of a batch.
template <class Value>
class Column {
public:
    void add(Value&& value) { values_.push_back(std::move(value)); }
    OutputTensor batch() && { return stack_numbers(values_); }

private:
    std::vector<Value> values_;
};
template <>
class Column<OutputTensor> {
public:
    void add(OutputTensor&& value) { values_.push_back(std::move(value)); }
    // Undefined where a sample leaves the output out, which must then be absent.
    OutputTensor batch() && {
        const bool is_left_out = std::ranges::any_of(
            values_, [](const OutputTensor& value) { return !is_defined(value); });
        return is_left_out ? OutputTensor() : stack_tensors(values_);
    }

private:
    std::vector<OutputTensor> values_;
};
template <>
class Column<bool> {
public:
    void add(bool value) { values_.push_back(value); }
    OutputTensor batch() && { return stack_numbers(values_); }

private:
    std::vector<bool> values_;
};
template <>
class Column<std::string> {
public:
    void add(std::string&& value) { values_.push_back(std::move(value)); }
    std::vector<std::string> batch() && { return std::move(values_); }

private:
    std::vector<std::string> values_;
};
template <>
class Column<std::vector<std::string>> {
public:
    void add(std::vector<std::string>&& value) { values_.push_back(std::move(value)); }
    std::vector<std::vector<std::string>> batch() && { return std::move(values_); }

private:
    std::vector<std::vector<std::string>> values_;
};

template <class... Values, class Make>
auto collate(std::type_identity<std::tuple<Values...>>, std::size_t count, Make&& make) {
    std::tuple<Column<Values>...> columns;
    for (std::size_t place = 0; place < count; ++place) {
        [&]<std::size_t... n>(std::index_sequence<n...>, std::tuple<Values...> sample) {
            (std::get<n>(columns).add(std::move(std::get<n>(sample))), ...);
        }
        (std::index_sequence_for<Values...>(), std::tuple<Values...>(make(place)));
    }
    return std::apply([](auto&&... each) { return std::tuple{std::move(each).batch()...}; },
                      std::move(columns));
}

// `index` is the index of the sample being made; -1 otherwise.
template <class T>
auto fetch_batch(T& task, const Fetch& fetch, [[maybe_unused]] std::int64_t& index) {
    if constexpr (FetchesBatches<T>) {
        return as_tuple(task.fetch(fetch));
    } else {
        using Result = typename Method<decltype(&T::sample)>::Result;
        return collate(std::type_identity<typename ResultTuple<Result>::Type>(), fetch.size(),
                       [&](std::size_t place) {
                           Random random = fetch.random(place);
                           index = fetch.indices()[place];
                           auto sample = task.sample(index, random);
                           index = -1;
                           return sample;
                       });
    }
}

template <class T>
constexpr std::uint32_t task_flags() {
    if constexpr (requires { T::is_concurrent; }) {
        return T::is_concurrent ? std::uint32_t{PTP_TASK_CONCURRENT} : 0u;
    } else {
        return 0;
    }
}

template <class T>
struct Task {
    static ptp_status size(void* instance, std::int64_t* out) {
        return on_instance<T>(instance, [&](Instance<T>& self) { *out = self.component.size(); });
    }

    static ptp_status fetch(void* instance, const ptp_fetch* wanted, ptp_value* const* outputs) {
        auto& self = Instance<T>::from(instance);
        std::int64_t index = -1;
        return guarded(
            *self.host,
            [&] {
                write_outputs<T>(fetch_batch(self.component, Fetch(*wanted), index), *self.host,
                                 self.outputs, outputs);
            },
            [&] { return index < 0 ? "" : "sample " + std::to_string(index) + ": "; });
    }

    static constexpr ptp_task kTable{
        .struct_size = sizeof(ptp_task), .flags = task_flags<T>(), .size = size, .fetch = fetch};
};

// True if sample() may return this for one output port; the SDK makes the batch of it.
template <class Value>
constexpr bool fits_sample(const Port& port) {
    if (port.is_list() || port.element == PTP_TENSOR_LIST) {
        return false;
    }
    if (port.element == PTP_STRING) {
        return std::is_same_v<Value, std::string>;
    }
    if (port.element == PTP_TOKENS) {
        return std::is_same_v<Value, std::vector<std::string>>;
    }
    return std::is_same_v<Value, OutputTensor> || std::is_arithmetic_v<Value>;
}

template <class T, std::size_t n, class Value>
constexpr bool check_sample_value() {
    constexpr bool fits = fits_sample<Value>(kPort<T, PTP_OUTPUT, n>);
    static_assert(fits,
                  "ptp: sample() returns for a tensor output an at::Tensor (without libtorch "
                  "ptp::TensorData) or a number, for a STRING one a std::string, for TOKENS a "
                  "std::vector<std::string>; for TENSOR_LIST write fetch() instead");
    return fits;
}

template <class T>
constexpr bool check_sample() {
    using Values = typename ResultTuple<typename Method<decltype(&T::sample)>::Result>::Type;
    constexpr std::size_t kCount = count_ports<T>(PTP_OUTPUT);
    constexpr bool has_right_count = std::tuple_size_v<Values> == kCount;
    constexpr bool is_called = requires(T & task, std::int64_t index, Random & random) {
        task.sample(index, random);
    };
    static_assert(is_called, "ptp: sample() takes (int64_t index, ptp::Random&)");
    static_assert(has_right_count,
                  "ptp: sample() returns one value for each output port, in declared order: the "
                  "value itself, or a std::tuple of several");
    if constexpr (has_right_count) {
        return []<std::size_t... n>(std::index_sequence<n...>) {
            return (check_sample_value<T, n, std::tuple_element_t<n, Values>>() && ... && true);
        }
        (std::make_index_sequence<kCount>()) && is_called;
    }
    return false;
}

template <class T>
constexpr bool check_task() {
    constexpr bool has_outputs_only = count_ports<T>(PTP_INPUT) == 0;
    constexpr bool has_size = requires(const T& task) {
        { task.size() } -> std::same_as<std::int64_t>;
    };
    constexpr bool has_one_source = FetchesBatches<T> != MakesSamples<T>;
    static_assert(has_outputs_only, "ptp: the ports of a task are all outputs");
    static_assert(has_size, "ptp: a task has `int64_t size() const`");
    static_assert(
        has_one_source,
        "ptp: a task has either fetch(const ptp::Fetch&), which returns a batch of samples, or "
        "sample(int64_t index, ptp::Random&), which returns one; it is public and not overloaded");
    if constexpr (has_outputs_only && has_size && has_one_source) {
        if constexpr (FetchesBatches<T>) {
            constexpr bool is_called = requires(T & task, const Fetch& fetch) {
                task.fetch(fetch);
            };
            static_assert(is_called, "ptp: fetch() takes (const ptp::Fetch&)");
            return check_results<T, typename Method<decltype(&T::fetch)>::Result>() && is_called;
        } else {
            return check_sample<T>();
        }
    }
    return false;
}

}  // namespace ptp::detail
