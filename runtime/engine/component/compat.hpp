// The differences between the supported versions of libtorch. The only place for an #if on the
// version.

#pragma once

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>
#include <c10/core/AutogradState.h>
#include <c10/core/Device.h>
#include <c10/core/DeviceType.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include <cstddef>
#include <cstring>
#include <string>

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/full.h>

#include <optional>
#include <vector>
#else
#include <c10/util/Optional.h>
#endif
#if TORCH_VERSION_MAJOR < 2
#include <c10/util/string_utils.h>
#endif

namespace ptp::engine::compat {

// The version of the headers, such as "1.13.1+debian".
inline constexpr const char* kVersion = TORCH_VERSION;

// The type of libtorch's optional values: a class of its own in old versions, later an alias of
// std::optional, which newer versions remove.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
template <class T>
using Optional = std::optional<T>;
#else
template <class T>
using Optional = c10::optional<T>;
#endif

// Returns the key of a parameter in torch::optim::Optimizer::state().
inline auto state_key(const at::Tensor& parameter) {
#if TORCH_VERSION_MAJOR >= 2
    return static_cast<void*>(parameter.unsafeGetTensorImpl());
#else
    return c10::guts::to_string(parameter.unsafeGetTensorImpl());
#endif
}

// Returns libtorch's default generator for the device. libtorch returns it as const, but it is not
// a constant.
inline at::Generator& default_generator(at::Device device) {
    return const_cast<at::Generator&>(at::globalContext().defaultGenerator(device));  // NOLINT
}

// Knows whether this thread records gradients, as c10::GradMode::is_enabled(), which looks up the
// thread's state in each call. Not for use on other threads.
class ThreadGradMode {
public:
    [[nodiscard]] bool is_enabled() const { return state_.get_grad_mode(); }

private:
    const c10::AutogradState& state_ = c10::AutogradState::get_tls_state();
};

// Optimizer steps with one call for many parameters: for lists as optimizer::FusedLists declares
// them, with the options `o`. An older libtorch has some of them, for CUDA only; experiments that
// request others are refused (experiment/read_optimization.cpp). [main]
struct FusedSteps {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    static constexpr bool kExist = true;
    static constexpr bool kMaximize = false;

    // Called once the momentum buffers have values.
    void sgd(const auto& lists, const auto& o) const {
        constexpr bool kIsFirstStep = false;
        at::_fused_sgd_(lists.weights, lists.gradients, lists.momentum_buffers, o.weight_decay,
                        o.momentum, o.lr, o.dampening, o.nesterov, kMaximize, kIsFirstStep);
    }
    void adam(const auto& lists, const auto& o) const {
        at::_fused_adam_(lists.weights, lists.gradients, lists.exp_avgs, lists.exp_avg_sqs,
                         lists.max_exp_avg_sqs, steps(lists), o.lr, o.betas[0], o.betas[1],
                         o.weight_decay, o.eps, o.amsgrad, kMaximize);
    }
    void adamw(const auto& lists, const auto& o) const {
        at::_fused_adamw_(lists.weights, lists.gradients, lists.exp_avgs, lists.exp_avg_sqs,
                          lists.max_exp_avg_sqs, steps(lists), o.lr, o.betas[0], o.betas[1],
                          o.weight_decay, o.eps, o.amsgrad, kMaximize);
    }

private:
    // Returns the steps on the device, so that nothing waits for it.
    static std::vector<at::Tensor> steps(const auto& lists) {
        std::vector<at::Tensor> steps;
        for (std::size_t i = 0; i < lists.steps.size(); ++i) {
            const bool is_same = i > 0 && lists.steps[i] == lists.steps[i - 1];
            steps.push_back(is_same ? steps.back()
                                    : at::full({}, static_cast<double>(lists.steps[i]),
                                               lists.weights[i].options()));
        }
        return steps;
    }
#else
    static constexpr bool kExist = false;
#endif
};

// An allocator of CPU memory: take() serves libtorch's requests.
class CpuAllocator : public c10::Allocator {
public:
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
    c10::DataPtr allocate(std::size_t bytes) final {
        return take(bytes);
    }
#else
    [[nodiscard]] c10::DataPtr allocate(std::size_t bytes) const final {
        return take(bytes);
    }
#endif
    // Overrides a function of newer versions; older ones do not have it.
    void copy_data(void* to, const void* from, std::size_t bytes) const {
        std::memcpy(to, from, bytes);
    }

private:
    [[nodiscard]] virtual c10::DataPtr take(std::size_t bytes) const = 0;
};

// Selects algorithms with the same bits in each run, or not. libtorch warns if an operation has no
// such algorithm. [main]
inline void use_deterministic_algorithms(bool is_wanted) {
    constexpr bool kWarnOnly = true;
    at::globalContext().setDeterministicCuDNN(is_wanted);
    at::globalContext().setDeterministicAlgorithms(is_wanted, kWarnOnly);
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 2)
    // Otherwise libtorch writes to each new tensor, to make reads of unwritten memory repeatable.
    at::globalContext().setDeterministicFillUninitializedMemory(false);
#endif
}

// Receives libtorch's warnings on a thread with a WarningGuard; take() returns false for a warning
// that is to be shown as usual.
class WarningHandler : public c10::WarningHandler {
public:
#if TORCH_VERSION_MAJOR >= 2
    void process(const c10::Warning& warning) final {
        if (!take(warning.msg())) {
            c10::WarningHandler::process(warning);
        }
    }
#else
    void process(const c10::SourceLocation& place, const std::string& text,
                 const bool is_verbatim) final {
        if (!take(text)) {
            c10::WarningHandler::process(place, text, is_verbatim);
        }
    }
#endif

private:
    [[nodiscard]] virtual bool take(const std::string& text) = 0;
};
#if TORCH_VERSION_MAJOR >= 2
using WarningGuard = c10::WarningUtils::WarningHandlerGuard;
#else
using WarningGuard = c10::Warning::WarningHandlerGuard;
#endif

// Returns the type of libtorch's active autocast on these devices, or none if it is off.
inline Optional<at::ScalarType> autocast_type(c10::DeviceType device) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    if (at::autocast::is_autocast_enabled(device)) {
        return at::autocast::get_autocast_dtype(device);
    }
#else
    const bool is_cpu = device == c10::DeviceType::CPU;
    if (is_cpu ? at::autocast::is_cpu_enabled() : at::autocast::is_enabled()) {
        return is_cpu ? at::autocast::get_autocast_cpu_dtype()
                      : at::autocast::get_autocast_gpu_dtype();
    }
#endif
    return {};
}

// While it exists, libtorch's autocast on devices of this type computes in bfloat16 or float16 the
// operations that gain by it and lose little. [step]
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
