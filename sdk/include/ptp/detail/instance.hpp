// The C functions of an instance of a component: create, destroy, forward.
#pragma once

#include <ptp/ext/samples.h>
#include <ptp/detail/check.hpp>
#include <ptp/observation.hpp>
#include <ptp/setup.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace ptp::detail {

template <class T>
const ptp_component_info& describe();

template <class T>
struct Instance {
    Instance(const ptp_host& its_host, const ptp_setup& its_setup)
        : host(&its_host),
          setup(its_host, its_setup, describe<T>()),
          inputs(its_setup.inputs, its_setup.input_count),
          outputs(its_setup.outputs, its_setup.output_count),
          component(make(its_setup)) {
        if constexpr (requires { component.module(); }) {
            // Moved after construction: random numbers of the constructor are thus the same for
            // each device.
            using Device =
                std::remove_cvref_t<decltype(component.module().parameters().front().device())>;
            component.module().to(Device(std::string(its_setup.device)));
        }
    }

    static Instance& from(void* instance) { return *static_cast<Instance*>(instance); }

    const ptp_host* host;
    Setup setup;
    Layout<T, PTP_INPUT> inputs;
    Layout<T, PTP_OUTPUT> outputs;
    std::optional<DataTree> exported;  // the last result of export_state()
    T component;

private:
    T make(const ptp_setup& its_setup) {
        if constexpr (requires { typename T::Config; }) {
            [[maybe_unused]] const auto config =
                read_settings<typename T::Config>(its_setup.settings);
            if constexpr (std::is_constructible_v<T, const typename T::Config&, Setup&>) {
                return T(config, setup);
            } else if constexpr (std::is_constructible_v<T, const typename T::Config&>) {
                return T(config);
            } else if constexpr (std::is_constructible_v<T, Setup&>) {
                return T(setup);
            } else {
                return T();
            }
        } else if constexpr (std::is_constructible_v<T, Setup&>) {
            return T(setup);
        } else {
            return T();
        }
    }
};

// Calls a member function on the component of an instance, guarded.
template <class T, class Action>
ptp_status on_instance(void* instance, Action&& action) {
    auto& self = Instance<T>::from(instance);
    return guarded(*self.host, [&] { action(self); });
}

template <class T>
ptp_status create(const ptp_host* host, const ptp_setup* setup, void** out_instance) {
    return guarded(*host, [&] { *out_instance = new Instance<T>(*host, *setup); });
}

template <class T>
void destroy(void* instance) {
    delete &Instance<T>::from(instance);
}

// Calls forward(); `last` is its parameter after the inputs, if it has one.
template <class T, class Last, std::size_t... n>
decltype(auto) call_forward(Instance<T>& self, [[maybe_unused]] const Last& last,
                            [[maybe_unused]] const ptp_value* const* inputs,
                            std::index_sequence<n...>) {
    [[maybe_unused]] const std::tuple<Argument<T, n>...> arguments{
        Argument<T, n>(*self.host, self.inputs, inputs)...};
    if constexpr (takes_last<T, Last>()) {
        return self.component.forward(std::get<n>(arguments).get()..., last);
    } else {
        return self.component.forward(std::get<n>(arguments).get()...);
    }
}

template <class T, class Last>
void compute(Instance<T>& self, const Last& last, const ptp_value* const* inputs,
             ptp_value* const* outputs) {
    constexpr auto kInputs = std::make_index_sequence<count_ports<T>(PTP_INPUT)>();
    if constexpr (count_ports<T>(PTP_OUTPUT) == 0) {
        call_forward<T>(self, last, inputs, kInputs);
    } else {
        write_outputs<T>(as_tuple(call_forward<T>(self, last, inputs, kInputs)), *self.host,
                         self.outputs, outputs);
    }
}

template <class T>
ptp_status forward(void* instance, [[maybe_unused]] const ptp_step* step,
                   [[maybe_unused]] const ptp_value* const* inputs,
                   [[maybe_unused]] ptp_value* const* outputs) {
    return on_instance<T>(instance, [&]([[maybe_unused]] Instance<T>& self) {
        if constexpr (takes_samples<T>()) {
            throw Mistake("this host does not know " PTP_EXTENSION_SAMPLES
                          ", which identifies the samples of a batch");
        } else {
            const Computing computing(*self.host);
            compute<T>(self, Step(*step), inputs, outputs);
        }
    });
}

}  // namespace ptp::detail
