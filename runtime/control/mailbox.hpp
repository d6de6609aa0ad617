// The queue of requests that the training has not taken yet.

#pragma once

#include "base/descriptor.hpp"
#include "control/protocol.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

namespace ptp::control {

using ClientId = std::uint64_t;

// Filled on the server's thread, and emptied on the training's.
class Mailbox {
public:
    struct Letter {
        ClientId client = 0;
        Request request;
    };

    Mailbox() : posted_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (!posted_.is_open()) {
            throw std::system_error(errno, std::generic_category());
        }
    }

    // [main] Takes one relaxed atomic load.
    [[nodiscard]] bool has_letters() const { return has_letters_.load(std::memory_order_relaxed); }

    // [main] Removes and returns the oldest letter.
    std::optional<Letter> next() {
        if (!has_letters()) {
            return std::nullopt;
        }
        const std::lock_guard lock(mutex_);
        if (letters_.empty()) {
            return std::nullopt;
        }
        std::optional<Letter> letter = std::move(letters_.front());
        letters_.pop_front();
        letters_changed();
        return letter;
    }

    // [main] Waits for a letter.
    void wait(std::chrono::milliseconds limit) const {
        pollfd waited{.fd = posted_.get(), .events = POLLIN, .revents = 0};
        (void)poll(&waited, 1, static_cast<int>(limit.count()));
    }

    void post(Letter letter) {
        const std::lock_guard lock(mutex_);
        letters_.push_back(std::move(letter));
        letters_changed();
    }

    // Removes the letter of a client, unless it has been taken.
    void withdraw(ClientId client) {
        const std::lock_guard lock(mutex_);
        std::erase_if(letters_, [&](const Letter& letter) { return letter.client == client; });
        letters_changed();
    }

private:
    void letters_changed() {
        has_letters_.store(!letters_.empty(), std::memory_order_relaxed);
        eventfd_t count = 0;
        if (letters_.empty()) {
            (void)eventfd_read(posted_.get(), &count);  // fails if the count was 0 before
        } else {
            (void)eventfd_write(posted_.get(), 1);
        }
    }

    std::atomic<bool> has_letters_ = false;
    Descriptor posted_;  // readable while there are letters
    std::mutex mutex_;   // guards letters_, and changes to the two above
    std::deque<Letter> letters_;
};

}  // namespace ptp::control
