// The ability of tasks: their size, and samples by index.
#pragma once

#include <ptp/detail/instance.hpp>

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
    OutputTensor batch() && { return stack_tensors(values_); }

private:
    std::vector<OutputTensor> values_;
};
template <>
class Column<bool> {
public:
    void add(bool value) { values_.push_back({value}); }
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

template <class T>
auto fetch_batch(T& task, const Fetch& fetch) {
    if constexpr (FetchesBatches<T>) {
        return as_tuple(task.fetch(fetch));
    } else {
        using Result = typename Method<decltype(&T::sample)>::Result;
        return collate(std::type_identity<typename ResultTuple<Result>::Type>(), fetch.size(),
                       [&](std::size_t place) {
                           Random random = fetch.random(place);
                           return task.sample(fetch.indices()[place], random);
                       });
    }
}

template <class T>
struct Task {
    static ptp_status size(void* instance, std::int64_t* out) {
        return on_instance<T>(instance, [&](Instance<T>& self) { *out = self.component.size(); });
    }

    static ptp_status fetch(void* instance, const ptp_fetch* wanted, ptp_value* const* outputs) {
        return on_instance<T>(instance, [&](Instance<T>& self) {
            write_outputs<T>(fetch_batch(self.component, Fetch(*wanted)), *self.host, self.outputs,
                             outputs);
        });
    }

    static consteval std::uint32_t flags() {
        if constexpr (requires { T::is_concurrent; }) {
            return T::is_concurrent ? std::uint32_t{PTP_TASK_CONCURRENT} : 0u;
        } else {
            return 0;
        }
    }

    static constexpr ptp_task kTable{
        .struct_size = sizeof(ptp_task), .flags = flags(), .size = size, .fetch = fetch};
};

template <class T>
constexpr void check_task() {
    static_assert(count_ports<T>(PTP_INPUT) == 0, "ptp: the ports of a task are all outputs");
    static_assert(
        requires(const T& task) {
            { task.size() } -> std::same_as<std::int64_t>;
        },
        "ptp: a task has `int64_t size() const`");
    static_assert(
        FetchesBatches<T> != MakesSamples<T>,
        "ptp: a task has either fetch(const ptp::Fetch&), which returns a batch of samples, or "
        "sample(int64_t index, ptp::Random&), which returns one");
    if constexpr (FetchesBatches<T>) {
        check_results<T, typename Method<decltype(&T::fetch)>::Result>();
    }
}

}  // namespace ptp::detail
