// Calls the host, and catches all exceptions at the boundary.
#pragma once

#include <ptp/abi.h>
#include <ptp/error.hpp>

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>

#ifdef PTP_LIBTORCH_FINGERPRINT
#include <c10/util/Exception.h>
#endif

namespace ptp::detail {

// Thrown when a call of the host failed; the host already has the message.
struct HostFailure : std::exception {
    explicit HostFailure(ptp_status failed) : status(failed) {}
    const char* what() const noexcept override { return "a call of the host failed"; }

    ptp_status status;
};

// An error in the component's code that the SDK has detected; what() is a sentence.
struct Mistake : std::logic_error {
    using std::logic_error::logic_error;
};

inline void checked(ptp_status status) {
    if (status != PTP_OK) {
        throw HostFailure(status);
    }
}

// Returns the readable name of a type: "std::invalid_argument".
inline std::string type_name(const std::type_info& type) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
    return name == nullptr ? type.name() : name.get();
}

// The exception that is being handled, for the host. For exception types of the SDK the message is
// what(), a whole sentence; for other types it includes the type's name, because their what() is
// often one word.
struct Failure {
    ptp_status status = PTP_ERROR_INTERNAL;
    std::string message = {};
    std::string setting = {};  // "": none is to blame
    int system = 0;            // an errno; 0: none
};

inline Failure current_failure() {
    try {
        throw;
    } catch (const SettingError& error) {
        return {PTP_ERROR_CONFIG, error.reason(), error.setting()};
    } catch (const ConfigError& error) {
        return {PTP_ERROR_CONFIG, error.what()};
    } catch (const DataError& error) {
        return {PTP_ERROR_DATA, error.what()};
    } catch (const SystemError& error) {
        return {.message = error.what(), .system = error.number()};
    } catch (const Mistake& error) {
        return {PTP_ERROR_INTERNAL, error.what()};
#ifdef PTP_LIBTORCH_FINGERPRINT
    } catch (const c10::Error& error) {
        return {.message = type_name(typeid(error)) + ": " + error.what_without_backtrace()};
#endif
    } catch (const std::exception& error) {
        return {.message = type_name(typeid(error)) + ": " + error.what()};
    } catch (...) {
        const std::type_info* type = abi::__cxa_current_exception_type();
        return {.message = "an exception of type " + (type == nullptr ? "?" : type_name(*type)) +
                           ", which is not a std::exception"};
    }
}

inline void report(const ptp_host& host, const Failure& failure) {
    const ptp_failure reported = {
        .struct_size = sizeof(ptp_failure),
        .status = failure.status,
        .message = failure.message.c_str(),
        .setting = failure.setting.empty() ? nullptr : failure.setting.c_str(),
        .system = failure.system,
        .reserved = 0};
    host.fail_with(host.context, &reported);
}

// Runs `action` and converts exceptions to a status, and a message for the host. `doing` returns
// the prefix of the message: "sample 17: ".
template <class Action, class Doing>
ptp_status guarded(const ptp_host& host, Action&& action, Doing&& doing) noexcept {
    try {
        action();
        return PTP_OK;
    } catch (const HostFailure& failure) {
        return failure.status;
    } catch (...) {
        try {
            Failure failure = current_failure();
            failure.message.insert(0, doing());
            report(host, failure);
            return failure.status;
        } catch (...) {  // No memory is left for a longer message.
            host.fail(host.context, PTP_ERROR_INTERNAL, "std::bad_alloc: out of memory");
            return PTP_ERROR_INTERNAL;
        }
    }
}

template <class Action>
ptp_status guarded(const ptp_host& host, Action&& action) noexcept {
    return guarded(host, action, [] { return std::string(); });
}

}  // namespace ptp::detail
