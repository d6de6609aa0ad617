// Keeps the calls in progress on each thread as a stack, and finds the types of the values in a
// call.

#include "engine/component/call.hpp"

#include <algorithm>
#include <utility>

namespace ptp::engine {

namespace {

thread_local Call* innermost = nullptr;

constexpr CallValues kNoValues = {};

bool is_list_with(const ptp_value* value, ptp_element element, const ptp_value* tensor) {
    if (value == nullptr || element != PTP_TENSOR_LIST) {
        return false;
    }
    const auto* list = reinterpret_cast<const ptp_tensor_list*>(value);
    const auto* end = list->items + list->count;
    return std::find(list->items, end, tensor) != end;
}

}  // namespace

Call::Call(const CallName& name) : Call(name, kNoValues) {}

// Looks the place up once: in an opened library each look-up is a call of the dynamic linker.
Call::Call(const CallName& name, const CallValues& values)
    : name_(name), values_(values), place_(&innermost), outer_(*place_) {
    *place_ = this;
}

Call::~Call() {
    *place_ = outer_;
}

Call* Call::current() {
    return innermost;
}

Call* const* Call::place_of_current() {
    return &innermost;
}

void Call::fail(std::string message, ErrorOrigin speaker, FailureFacts facts) {
    has_failed_ = has_failed_ || speaker == ErrorOrigin::kComponent;
    if (speaker_ != ErrorOrigin::kComponent) {
        return;
    }
    message_ = std::move(message);
    facts_ = std::move(facts);
    speaker_ = speaker;
}

ptp_element Call::output_element(const ptp_value* value) const {
    for (std::size_t i = 0; i < values_.outputs.size(); ++i) {
        if (value != nullptr && values_.outputs[i] == value) {
            return values_.output_elements[i];
        }
        if (is_list_with(values_.outputs[i], values_.output_elements[i], value)) {
            return PTP_FLOAT;
        }
    }
    return 0;
}

ptp_element Call::element(const ptp_value* value) const {
    for (std::size_t i = 0; i < values_.inputs.size(); ++i) {
        if (value != nullptr && values_.inputs[i] == value) {
            return values_.input_elements[i];
        }
        if (is_list_with(values_.inputs[i], values_.input_elements[i], value)) {
            return PTP_FLOAT;
        }
    }
    return output_element(value);
}

}  // namespace ptp::engine
