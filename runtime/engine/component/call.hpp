// The call of a component that is running on this thread: what the host's services need to know of
// it.

#pragma once

#include <ptp/abi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ptp::engine {

struct Picture;

// The values a call may touch, and where what it shows goes.
struct CallValues {
    std::span<const ptp_value* const> inputs;
    std::span<const ptp_element> input_elements;
    std::span<ptp_value* const> outputs;
    std::span<const ptp_element> output_elements;
    const ptp_step* step = nullptr;              // of forward() alone
    std::vector<Picture>* pictures = nullptr;    // (optional)
    std::span<const std::int64_t> samples = {};  // indices of those that are fetched or transformed
};

// Who reported why a call fails. The host's report is more precise than the component's.
enum class ErrorOrigin {
    kComponent,
    kHost,      // its service could not do what it was asked for
    kContract,  // the host, about a service that was used against its contract
};

// What is called, for people; both must outlive the call.
struct CallName {
    const char* subject = "";  // "plugin 'vision_models' 0.1.0: 'model' (LeNet5)"
    const char* work = "";     // "create()"
};

// Lives on the stack of the thread that makes the call, as long as the values or shorter.
class Call {
public:
    explicit Call(const CallName& name);
    Call(const CallName& name, const CallValues& values);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // The innermost call on this thread, or nullptr.
    static Call* current();

    // Where this thread keeps it, for a signal handler: at the first use on a thread current() may
    // allocate memory.
    static Call* const* place_of_current();

    // Records why the call fails. A report of the host that came first is kept.
    void fail(std::string message, ErrorOrigin speaker);

    [[nodiscard]] const CallName& name() const { return name_; }
    [[nodiscard]] const CallValues& values() const { return values_; }
    [[nodiscard]] const std::string& message() const { return message_; }
    // The component itself has called fail(), whatever it returns.
    [[nodiscard]] bool has_failed() const { return has_failed_; }
    [[nodiscard]] bool is_breach() const { return speaker_ == ErrorOrigin::kContract; }

    // The element of an output of this call; 0 for an unknown pointer.
    [[nodiscard]] ptp_element output_element(const ptp_value* value) const;

    // The element of an input or output; tensors in a list count as PTP_FLOAT. 0 for a stranger.
    [[nodiscard]] ptp_element element(const ptp_value* value) const;

private:
    CallName name_;
    const CallValues& values_;
    Call** place_;  // of the innermost call on this thread
    Call* outer_;
    std::string message_;
    bool has_failed_ = false;
    ErrorOrigin speaker_ = ErrorOrigin::kComponent;
};

}  // namespace ptp::engine
