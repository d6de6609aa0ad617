// Checks the optional functions of a component (module(), state(), collect() and the like) when it
// is compiled. A function of the right name with a wrong signature would otherwise be silently
// ignored.
#pragma once

#include <ptp/detail/abilities.hpp>

#include <concepts>
#include <type_traits>

namespace ptp::detail {

// The concepts below detect public members of these names, of any type.
template <class T>
concept NamesModule = requires {
    &T::module;
};
template <class T>
concept NamesMode = requires {
    &T::set_training;
};
template <class T>
concept NamesMigrate = requires {
    &T::migrate;
};
template <class T>
concept NamesOnnx = requires {
    &T::onnx;
};
template <class T>
concept NamesSampleWeights = requires {
    &T::sample_weights;
};
template <class T>
concept NamesSampleClasses = requires {
    &T::sample_classes;
};
template <class T>
concept NamesExport = requires {
    &T::export_state;
}
|| requires {
    &T::import_state;
};
template <class T>
concept NamesState = requires {
    T::state();
};

// True if module() returns a reference to an object with parameters and buffers.
template <class T>
concept GivesModule = requires(T& component) {
    requires std::is_lvalue_reference_v<decltype(component.module())>;
    component.module().named_parameters();
    component.module().named_buffers();
    component.module().train(true);
};

template <class T>
constexpr bool check_state() {
    constexpr bool exports = !NamesExport<T> || ExportsState<T>;
    constexpr bool keeps = !NamesState<T> || KeepsMembers<T>;
    constexpr bool is_one = !(NamesExport<T> && NamesState<T>);
    static_assert(exports,
                  "ptp: a component with state of its own has all three: `ptp::Data export_state() "
                  "const`, `void import_state(uint32_t version, const ptp::Data&)` and `static "
                  "constexpr uint32_t state_version`; or just state(), see ptp/state.hpp");
    static_assert(
        keeps,
        "ptp: state() is `static constexpr` and returns a std::tuple of ptp::kept(\"name\", "
        "&Class::member), or ptp::kept(&Class::member) alone");
    constexpr bool can_keep = !KeepsMembers<T> || can_be_kept<T>();
    static_assert(can_keep,
                  "ptp: a member that state() names is a bool, a number, an enum, a std::string, "
                  "ptp::Data, ptp::Random, a tensor, a struct with state(), or a std::vector, "
                  "std::array, std::optional or std::map of these");
    static_assert(is_one, "ptp: a component has state() or export_state() and import_state()");
    return exports && keeps && can_keep && is_one;
}

template <class T>
constexpr bool check_statistics() {
    using Values = std::array<double, kStatistics<T>>;
    constexpr bool collects_right = !collects<T>() || requires(T & component, std::uint64_t set) {
        { component.collect(set) } -> std::same_as<Values>;
    };
    constexpr bool computes_right = !computes<T>() || requires(T & component, std::uint64_t set) {
        { component.aggregate(set) } -> std::same_as<Values>;
        component.reset(set);
    };
    static_assert(collects_right,
                  "ptp: a component with statistics has collect(uint64_t set), which returns a "
                  "std::array<double, N> with one number for each of them, in declared order");
    static_assert(computes_right,
                  "ptp: a component with computed() statistics has reset(uint64_t set) and "
                  "aggregate(uint64_t set), which returns a std::array<double, N> with one number "
                  "for each statistic");
    constexpr bool saves_counts = !computes<T>() || HasState<T>;
    static_assert(saves_counts,
                  "ptp: a component with computed() statistics has state(), or export_state() and "
                  "import_state(), so that what it has counted outlives an interruption of the "
                  "training; see ptp/state.hpp");
    return collects_right && computes_right && saves_counts;
}

template <class T>
constexpr bool check_abilities() {
    constexpr bool module_is_right = !NamesModule<T> || GivesModule<T>;
    constexpr bool mode_is_right = !NamesMode<T> || HasMode<T>;
    constexpr bool migrate_is_right = !NamesMigrate<T> || HasMigrate<T>;
    constexpr bool onnx_is_right = !NamesOnnx<T> || WritesOnnx<T>;
    static_assert(onnx_is_right, "ptp: onnx() takes (ptp::OnnxGraph&)");
    static_assert(module_is_right,
                  "ptp: module() returns a reference, torch::nn::Module&, and needs libtorch");
    static_assert(mode_is_right, "ptp: set_training() takes (bool is_training)");
    static_assert(migrate_is_right, "ptp: migrate() takes (const ptp::OldTensors&)");
    constexpr bool weights_are_right = !NamesSampleWeights<T> || HasSampleWeights<T>;
    constexpr bool classes_are_right = !NamesSampleClasses<T> || HasSampleClasses<T>;
    constexpr bool are_of_a_task = !HasSampling<T> || T::kind == PTP_TASK;
    static_assert(weights_are_right,
                  "ptp: sample_weights() is const and returns a std::vector<double>");
    static_assert(classes_are_right,
                  "ptp: sample_classes() is const and returns a std::vector<std::int64_t>");
    static_assert(are_of_a_task, "ptp: sample_weights() and sample_classes() are a task's");
    constexpr bool values_are_right = !HasSampleValues<T> || CollectsSamples<T>;
    static_assert(values_are_right,
                  "ptp: a component with sample_values, a std::array of names, has "
                  "collect_samples(uint64_t samples, std::span<double> out)");
    constexpr bool state_is_right = check_state<T>();
    constexpr bool statistics_are_right = check_statistics<T>();
    return module_is_right && mode_is_right && migrate_is_right && onnx_is_right &&
           weights_are_right && classes_are_right && are_of_a_task && values_are_right &&
           state_is_right && statistics_are_right;
}

}  // namespace ptp::detail
