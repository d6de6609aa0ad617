#include "control/wakeup.hpp"

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>

namespace ptp::control {

Wakeup::Wakeup() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!event_.is_open()) {
        throw std::system_error(errno, std::generic_category());
    }
}

// Fails only when the counter is full, and then it is raised already.
void Wakeup::raise() {
    (void)eventfd_write(event_.get(), 1);
}

// Fails only when it is not raised.
void Wakeup::clear() {
    eventfd_t count = 0;
    (void)eventfd_read(event_.get(), &count);
}

}  // namespace ptp::control
