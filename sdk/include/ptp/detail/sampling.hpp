// The ability of tasks to return the weights or the classes of their samples.
#pragma once

#include <ptp/ext/draft/sampling.h>
#include <ptp/detail/instance.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <vector>

namespace ptp::detail {

// True if T has std::vector<double> sample_weights() const: the relative probability that each
// sample is drawn.
template <class T>
concept HasSampleWeights = requires(const T& task) {
    { task.sample_weights() } -> std::convertible_to<std::vector<double>>;
};

// True if T has std::vector<std::int64_t> sample_classes() const: the class of each sample.
template <class T>
concept HasSampleClasses = requires(const T& task) {
    { task.sample_classes() } -> std::convertible_to<std::vector<std::int64_t>>;
};

template <class T>
concept HasSampling = HasSampleWeights<T> || HasSampleClasses<T>;

template <class T>
struct Sampling {
    static ptp_status weights(void* instance, double* out) {
        return on_instance<T>(instance, [&](Instance<T>& self) {
            if constexpr (HasSampleWeights<T>) {
                write(self, self.component.sample_weights(), "sample_weights()", out);
            }
        });
    }

    static ptp_status classes(void* instance, std::int64_t* out) {
        return on_instance<T>(instance, [&](Instance<T>& self) {
            if constexpr (HasSampleClasses<T>) {
                write(self, self.component.sample_classes(), "sample_classes()", out);
            }
        });
    }

    static constexpr ptp_sampling kTable{.struct_size = sizeof(ptp_sampling),
                                         .weights = HasSampleWeights<T> ? weights : nullptr,
                                         .classes = HasSampleClasses<T> ? classes : nullptr};

private:
    template <class Number>
    static void write(const Instance<T>& self, const std::vector<Number>& numbers,
                      const char* function, Number* out) {
        const auto count = static_cast<std::int64_t>(numbers.size());
        if (count != self.component.size()) {
            throw Mistake(std::string(function) + " returned " + std::to_string(count) +
                          " numbers for " + std::to_string(self.component.size()) + " samples");
        }
        std::ranges::copy(numbers, out);
    }
};

}  // namespace ptp::detail
