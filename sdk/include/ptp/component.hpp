// Everything that a file with a component needs to include. Such a file ends with the line
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
//                      all that can fail
//   forward()          a parameter for each input, a result for each output; (optional) last a
//                      const ptp::Step&, or, of a transform that processes each sample
//                      independently, a const ptp::Samples&. Tensors are at::Tensor; what is
//                      optional or has when() is taken by pointer
// and may have
//   torch::nn::Module& module()                       parameters, buffers, train and eval mode
//   void set_training(bool)                           the mode, where there is no module
//   collect(set), aggregate(set), reset(set)          statistics, as std::array<double, N>
//   static constexpr auto state()                     the members that last from call to call and
//                                                     are not tensors of module(): ptp/state.hpp
//   export_state(), import_state(version, data), state_version   the same, written by hand
//   migrate(const ptp::OldTensors&)                   other tensors than an older build had, see
//                                                     ptp/migrate.hpp
//   static constexpr bool is_per_sample               a transform treats each sample for itself,
//                                                     though it takes no ptp::Samples: see there
// A task has, instead of forward(),
//   int64_t size() const                              how many samples there are
//   fetch(const ptp::Fetch&)                          a batch of them, or
//   sample(int64_t index, ptp::Random&)               one, as a std::tuple; the SDK makes the batch
//   static constexpr const char* sample_count         (optional) a formula for size(), by which
//                                                     samplers are checked before anything runs
//   static constexpr bool is_concurrent               (optional) the former may run on several
//                                                     threads at once
//
// What does not fit is refused by the compiler with a message that begins with "ptp:".
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

// Whether T is a component; if not, the compiler has reported what is wrong with it.
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
    // Never destroyed: the host may look at it until the process ends.
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

// The description of a component, made on the first call.
template <class T>
const ptp_component_info& component() {
    // Everything below would report the same errors again, and less clearly.
    if constexpr (detail::is_component<T>()) {
        return detail::describe<T>();
    } else {
        static const ptp_component_info none{};
        return none;
    }
}

}  // namespace ptp
