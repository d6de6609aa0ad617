// States whether the host looks at libtorch's operations in the current forward(). Loops that
// replace some of them must ask.
#pragma once

#include <ptp/abi.h>
#include <ptp/ext/draft/observation.h>

namespace ptp {

namespace detail {

// The host of the outermost forward() on this thread; nullptr outside of all.
inline thread_local const ptp_host* computing_host = nullptr;

// Holds the host while forward() runs; layers within a component have that of the component.
class Computing {
public:
    explicit Computing(const ptp_host& host) : outer_(computing_host) {
        if (outer_ == nullptr) {
            computing_host = &host;
        }
    }
    ~Computing() { computing_host = outer_; }
    Computing(const Computing&) = delete;
    Computing& operator=(const Computing&) = delete;

private:
    const ptp_host* outer_;
};

}  // namespace detail

// Returns whether the host records the results of operations in the forward() that runs on this
// thread, explains a prediction by them, or traces them. Code whose own loops replace operations of
// libtorch takes libtorch's then, with the same values and gradients. Without a host that observes,
// the answer is no.
inline bool is_observed() {
    const ptp_host* const host = detail::computing_host;
    if (host == nullptr) {
        return false;
    }
    const auto* const observation =
        static_cast<const ptp_observation*>(host->extension(host->context, PTP_HOST_OBSERVATION));
    return observation != nullptr && observation->is_observed(host->context) != 0;
}

}  // namespace ptp
