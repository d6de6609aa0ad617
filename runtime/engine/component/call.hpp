// The call of a component that is in progress on this thread. The services of the host use it to
// check what the component passes them, and errors and crash reports to name the component.

#pragma once

#include <ptp/abi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ptp::engine {

struct Picture;
class WholeBatch;

// The values that a call may access, the destination of its pictures, and the source of the rows of
// other processes.
struct CallValues {
    std::span<const ptp_value* const> inputs;
    std::span<const ptp_element> input_elements;
    std::span<ptp_value* const> outputs;
    std::span<const ptp_element> output_elements;
    const ptp_step* step = nullptr;              // only for forward()
    std::vector<Picture>* pictures = nullptr;    // (optional)
    WholeBatch* whole_batch = nullptr;           // (optional)
    std::span<const std::int64_t> samples = {};  // indices of those being fetched or transformed
};

// The source of the report why a call fails. The host's is more precise than the component's.
enum class ErrorOrigin {
    kComponent,
    kHost,      // its service could not do what was requested
    kContract,  // the host, about a service that violated its contract
};

// The names of the called component and function, for messages; both must outlive the call.
struct CallName {
    const char* subject = "";  // "plugin 'vision_models' 0.1.0: 'model' (LeNet5)"
    const char* work = "";     // "create()"
};

// The facts that a component reports beside its message by host->fail_with().
struct FailureFacts {
    std::string setting = {};  // its declared setting that is to blame; "": none
    int system = 0;            // the errno of what the system refused; 0: nothing
};

// A call on the stack of the thread that makes it; `values` must outlive it.
class Call {
public:
    explicit Call(const CallName& name);
    Call(const CallName& name, const CallValues& values);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // Returns the innermost call on this thread, or nullptr.
    static Call* current();

    // Returns where this thread stores current(), for a signal handler: the first current() on a
    // thread may allocate memory.
    static Call* const* place_of_current();

    // Records why the call fails. An earlier report of the host is kept.
    void fail(std::string message, ErrorOrigin speaker, FailureFacts facts = {});

    [[nodiscard]] const CallName& name() const { return name_; }
    [[nodiscard]] const CallValues& values() const { return values_; }
    [[nodiscard]] const std::string& message() const { return message_; }
    [[nodiscard]] const FailureFacts& facts() const { return facts_; }
    // Returns whether the component called fail(), regardless of the status it returns.
    [[nodiscard]] bool has_failed() const { return has_failed_; }
    [[nodiscard]] bool is_breach() const { return speaker_ == ErrorOrigin::kContract; }

    // Returns the element of an output of this call; 0 for an unknown pointer.
    [[nodiscard]] ptp_element output_element(const ptp_value* value) const;

    // Returns the element of an input or output, PTP_FLOAT for a tensor in a list, 0 if unknown.
    [[nodiscard]] ptp_element element(const ptp_value* value) const;

private:
    CallName name_;
    const CallValues& values_;
    Call** place_;  // holds the innermost call on this thread
    Call* outer_;
    std::string message_;
    FailureFacts facts_;
    bool has_failed_ = false;
    ErrorOrigin speaker_ = ErrorOrigin::kComponent;
};

}  // namespace ptp::engine
