// What differs between the versions of libtorch that the engine is built with. The only place for
// an #if on the version.

#pragma once

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/DeviceType.h>
#include <torch/version.h>

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
#include <optional>
#else
#include <c10/util/Optional.h>
#endif
#if TORCH_VERSION_MAJOR < 2
#include <c10/util/string_utils.h>
#endif

namespace ptp::engine::compat {

// What libtorch's options are held in. It was a class of its own; later on that is another name for
// the standard one, which newer versions take away.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
template <class T>
using Optional = std::optional<T>;
#else
template <class T>
using Optional = c10::optional<T>;
#endif

// Under which torch::optim::Optimizer::state() keeps what belongs to a parameter.
inline auto state_key(const at::Tensor& parameter) {
#if TORCH_VERSION_MAJOR >= 2
    return static_cast<void*>(parameter.unsafeGetTensorImpl());
#else
    return c10::guts::to_string(parameter.unsafeGetTensorImpl());
#endif
}

// Where libtorch keeps the generator that draws when it is given none. It is handed out as const,
// but is not a constant.
inline at::Generator& default_generator(at::Device device) {
    return const_cast<at::Generator&>(at::globalContext().defaultGenerator(device));  // NOLINT
}

// While it lives, libtorch computes in bfloat16 or float16 what gains by it and loses little, on
// the devices of this type. [step]
class Autocast {
public:
    Autocast(c10::DeviceType device, at::ScalarType type) : device_(device), before_(state()) {
        at::autocast::increment_nesting();
        set({true, type});
    }
    ~Autocast() {
        if (at::autocast::decrement_nesting() == 0) {
            at::autocast::clear_cache();
        }
        set(before_);
    }
    Autocast(const Autocast&) = delete;
    Autocast& operator=(const Autocast&) = delete;

private:
    struct State {
        bool is_enabled;
        at::ScalarType type;
    };

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    [[nodiscard]] State state() const {
        return {at::autocast::is_autocast_enabled(device_),
                at::autocast::get_autocast_dtype(device_)};
    }
    void set(State state) const {
        at::autocast::set_autocast_enabled(device_, state.is_enabled);
        at::autocast::set_autocast_dtype(device_, state.type);
    }
#else
    [[nodiscard]] State state() const {
        if (device_ == c10::DeviceType::CPU) {
            return {at::autocast::is_cpu_enabled(), at::autocast::get_autocast_cpu_dtype()};
        }
        return {at::autocast::is_enabled(), at::autocast::get_autocast_gpu_dtype()};
    }
    void set(State state) const {
        if (device_ == c10::DeviceType::CPU) {
            at::autocast::set_cpu_enabled(state.is_enabled);
            at::autocast::set_autocast_cpu_dtype(state.type);
        } else {
            at::autocast::set_enabled(state.is_enabled);
            at::autocast::set_autocast_gpu_dtype(state.type);
        }
    }
#endif

    c10::DeviceType device_;
    State before_;
};

}  // namespace ptp::engine::compat
