// Calls of the host, and the one place where exceptions end.
#pragma once

#include <ptp/abi.h>
#include <ptp/error.hpp>

#include <exception>

#ifdef PTP_LIBTORCH_FINGERPRINT
#include <c10/util/Exception.h>
#endif

namespace ptp::detail {

// A call of the host failed; the host has the message already.
struct HostFailure : std::exception {
    explicit HostFailure(ptp_status failed) : status(failed) {}
    const char* what() const noexcept override { return "a call of the host failed"; }

    ptp_status status;
};

inline void checked(ptp_status status) {
    if (status != PTP_OK) {
        throw HostFailure(status);
    }
}

// Runs `action`; whatever it throws becomes a status, and a message for the host.
template <class Action>
ptp_status guarded(const ptp_host& host, Action&& action) noexcept {
    const auto failed = [&](ptp_status status, const char* message) {
        host.fail(host.context, status, message);
        return status;
    };
    try {
        action();
        return PTP_OK;
    } catch (const HostFailure& failure) {
        return failure.status;
    } catch (const ConfigError& error) {
        return failed(PTP_ERROR_CONFIG, error.what());
    } catch (const DataError& error) {
        return failed(PTP_ERROR_DATA, error.what());
#ifdef PTP_LIBTORCH_FINGERPRINT
    } catch (const c10::Error& error) {
        return failed(PTP_ERROR_INTERNAL, error.what_without_backtrace());
#endif
    } catch (const std::exception& error) {
        return failed(PTP_ERROR_INTERNAL, error.what());
    } catch (...) {
        return failed(PTP_ERROR_INTERNAL, "an exception that is not a std::exception");
    }
}

}  // namespace ptp::detail
