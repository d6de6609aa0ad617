// The sessions that have begun in a process, behind a mutex.

#include "host/begun_sessions.hpp"

#include <algorithm>

namespace ptp::host {

bool BegunSessions::add(const Session* session, Use use) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool has_others =
        std::ranges::any_of(sessions_, [&](const Session* each) { return each != session; });
    if (has_others && (is_alone_ || use == Use::kAlone)) {
        return false;
    }
    sessions_.insert(session);
    is_alone_ = use == Use::kAlone;
    return true;
}

void BegunSessions::remove(const Session* session) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (sessions_.erase(session) > 0) {
        is_alone_ = false;
    }
}

bool BegunSessions::has(const Session* session) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return sessions_.contains(session);
}

BegunSessions& begun() {
    static auto& sessions = *new BegunSessions;  // NOLINT: never deleted; sessions may end later
    return sessions;
}

}  // namespace ptp::host
