#include "control/mailbox.hpp"

#include <poll.h>

#include <algorithm>

namespace ptp::control {

void Mailbox::wait(std::chrono::milliseconds limit) const {
    pollfd waited{.fd = posted_.descriptor(), .events = POLLIN, .revents = 0};
    (void)poll(&waited, 1, static_cast<int>(limit.count()));
}

std::optional<Mailbox::Letter> Mailbox::take() {
    const std::lock_guard lock(mutex_);
    if (letters_.empty()) {
        return std::nullopt;
    }
    std::optional<Letter> letter = std::move(letters_.front());
    letters_.pop_front();
    letters_changed();
    return letter;
}

void Mailbox::answer(Answer answer) {
    {
        const std::lock_guard lock(mutex_);
        answers_.push_back(std::move(answer));
    }
    answered_.raise();
}

void Mailbox::post(Letter letter) {
    const std::lock_guard lock(mutex_);
    letters_.push_back(std::move(letter));
    letters_changed();
}

void Mailbox::withdraw(ClientId client) {
    const std::lock_guard lock(mutex_);
    std::erase_if(letters_, [&](const Letter& letter) { return letter.client == client; });
    letters_changed();
}

void Mailbox::letters_changed() {
    has_letters_.store(!letters_.empty(), std::memory_order_relaxed);
    if (letters_.empty()) {
        posted_.clear();
    } else {
        posted_.raise();
    }
}

std::vector<Mailbox::Answer> Mailbox::answers() {
    const std::lock_guard lock(mutex_);
    return std::exchange(answers_, {});
}

void Mailbox::stop() {
    is_stopped_ = true;
    answered_.raise();
}

}  // namespace ptp::control
