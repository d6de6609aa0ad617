// The call of a component that is running on this thread: what the host's services need to know of
// it.

#pragma once

#include <ptp/abi.h>

#include <span>
#include <string>

namespace ptp::engine {

// The values a call may touch.
struct CallValues {
    std::span<const ptp_value* const> inputs;
    std::span<const ptp_element> input_elements;
    std::span<ptp_value* const> outputs;
    std::span<const ptp_element> output_elements;
};

// Lives on the stack of the thread that makes the call.
class Call {
public:
    explicit Call(const CallValues& values = {});
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // The innermost call on this thread, or nullptr.
    static Call* current();

    // Records why the call fails. What the host itself has said first is kept: the component can
    // only know less about it.
    void fail(std::string message, bool is_host);

    [[nodiscard]] const std::string& message() const { return message_; }

    // The element of an output of this call; 0 for a pointer that is none.
    [[nodiscard]] ptp_element output_element(const ptp_value* value) const;

    // The element of an input or output; tensors in a list count as PTP_FLOAT. 0 for a stranger.
    [[nodiscard]] ptp_element element(const ptp_value* value) const;

private:
    CallValues values_;
    Call* outer_;
    std::string message_;
    bool is_host_message_ = false;
};

}  // namespace ptp::engine
