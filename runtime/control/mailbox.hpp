// Where the thread of the server leaves requests and the trainer leaves replies.

#pragma once

#include "control/protocol.hpp"
#include "control/wakeup.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace ptp::control {

using ClientId = std::uint64_t;

// [any] Making one throws std::system_error.
class Mailbox {
public:
    struct Letter {
        ClientId client = 0;
        Request request;
    };
    struct Answer {
        ClientId client = 0;
        Reply reply;
    };

    // The trainer's side. One relaxed load when there is nothing.
    std::optional<Letter> next() {
        return has_letters_.load(std::memory_order_relaxed) ? take() : std::nullopt;
    }
    void wait(std::chrono::milliseconds limit) const;
    void answer(Answer answer);

    // The server's side. answered() is raised with each answer, and by stop().
    void post(Letter letter);
    void withdraw(ClientId client);  // its letter, unless it has been taken
    std::vector<Answer> answers();
    [[nodiscard]] Wakeup& answered() { return answered_; }
    void stop();
    [[nodiscard]] bool is_stopped() const { return is_stopped_; }

private:
    std::optional<Letter> take();
    void letters_changed();

    std::atomic<bool> has_letters_ = false;
    std::atomic<bool> is_stopped_ = false;
    Wakeup posted_;  // raised while there are letters
    Wakeup answered_;
    std::mutex mutex_;  // of the two below, and of changes to has_letters_ and posted_
    std::deque<Letter> letters_;
    std::vector<Answer> answers_;
};

}  // namespace ptp::control
