// All includes for a file with a component. Such a file ends with the line
//
//   template const ptp_component_info& ptp::component<LeNet5>();
//
// unless the same file has PTP_PLUGIN.
//
// A component is a class with
//   static constexpr   kind, name, summary; (optional) description, ports, globals, statistics,
//                      requirements
//   struct Config      (optional) its settings, see ptp/settings.hpp
//   a constructor      (const Config&, ptp::Setup&), without the second, or without both. It does
//                      everything that can fail
//   forward()          a parameter for each input, a result for each output; (optional) last a
//                      const ptp::Step&, or, for a transform that processes each sample
//                      independently, a const ptp::Samples&. Tensors are at::Tensor; ports that are
//                      optional or have when() are passed by pointer
// and optionally with
//   torch::nn::Module& module()                       parameters, buffers, train and eval mode
//   void set_training(bool)                           the mode, if there is no module
//   collect(set), aggregate(set), reset(set)          statistics, as std::array<double, N>
//   static constexpr std::array sample_values{"loss"}   names of numbers for each sample, and
//   collect_samples(uint64_t samples, std::span<double> out)   those of the last batch: a row of
//                                                     `samples` numbers for each name
//   static constexpr auto state()                     the members that persist between calls and
//                                                     are not tensors of module(): ptp/state.hpp
//   export_state(), import_state(version, data), state_version   the same, written by hand
//   migrate(const ptp::OldTensors&)                   converts the tensors of an older build, see
//                                                     ptp/migrate.hpp
//   static constexpr bool is_per_sample               a transform processes each sample separately,
//                                                     though it takes no ptp::Samples: see there
// A task has, instead of forward(),
//   int64_t size() const                              the number of samples
//   fetch(const ptp::Fetch&)                          a batch of them, or
//   sample(int64_t index, ptp::Random&)               one, as a std::tuple; the SDK makes the batch
//   static constexpr const char* sample_count         (optional) a formula for size(), by which
//                                                     samplers are checked before anything runs
//   static constexpr bool is_concurrent               (optional) fetch() or sample() may run on
//                                                     several threads at once
//
// The compiler rejects a class that does not conform, with a message that begins with "ptp:".
#pragma once

#include <ptp/by_set.hpp>
#include <ptp/detail/check_abilities.hpp>
#include <ptp/detail/describe.hpp>

#include <string>
#include <tuple>
#include <vector>

namespace ptp {

namespace detail {

template <class T>
constexpr bool has_main_function() {
    if constexpr (T::kind == PTP_TASK) {
        return check_task<T>();
    } else {
        return check_forward<T>();
    }
}

// Returns whether T is a component; if not, the compiler has reported the error.
template <class T>
constexpr bool is_component() {
    if constexpr (is_declared<T>()) {
        constexpr bool is_made = check_constructor<T>();
        constexpr bool works = has_main_function<T>();
        constexpr bool has_right_abilities = check_abilities<T>();
        return is_made && works && has_right_abilities;
    }
    return false;
}

template <class T>
const ptp_component_info& describe() {
    // Never destroyed: the host may access it until the process ends.
    static const Description& description = *[] {
        auto* made = new Description();
        made->template declare<T>();
        made->functions().create = create<T>;
        made->functions().destroy = destroy<T>;
        if constexpr (T::kind != PTP_TASK) {
            made->functions().forward = forward<T>;
        }
        made->functions().extension = extension<T>;
        return made;
    }();
    return description.info();
}

}  // namespace detail

// Returns the description of a component, which is created by the first call.
template <class T>
const ptp_component_info& component() {
    // Everything below would report the same errors again, less clearly.
    if constexpr (detail::is_component<T>()) {
        return detail::describe<T>();
    } else {
        static const ptp_component_info none{};
        return none;
    }
}

}  // namespace ptp
