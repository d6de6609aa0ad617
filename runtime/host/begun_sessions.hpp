// The sessions of this process that have begun: one that trains, or any number that predict.

#pragma once

#include <mutex>
#include <set>

namespace ptp::host {

class Session;

// Why a session cannot begin.
inline constexpr const char* kOtherComputes =
    "another experiment of this process is open in the middle of its training or prediction; "
    "close it, or run a training to its end";
inline constexpr const char* kAskedByComponent =
    "a component has called it while it computes itself: one experiment of a process computes at a "
    "time, and the component would wait for its own end\n    fix: let the program that embeds "
    "libptp predict first, and feed the result to a stream that the component reads; or let the "
    "component start a process that predicts";

// [any]
class BegunSessions {
public:
    enum class Use { kAlone, kShared };

    // Returns false, and does nothing, where another one has begun, and one of them is alone.
    bool add(const Session* session, Use use);
    // Does nothing if it has not begun.
    void remove(const Session* session);
    [[nodiscard]] bool has(const Session* session);

    // Held while a pipeline predicts, is made or ends: libtorch's settings and generators are those
    // of the process.
    std::mutex& computing() { return computing_; }

private:
    std::mutex computing_;

    std::mutex mutex_;  // guards the following members
    std::set<const Session*> sessions_;
    bool is_alone_ = false;
};

// Returns those of this process.
BegunSessions& begun();

// Removes a session that has begun, unless it is kept.
class Beginning {
public:
    explicit Beginning(const Session* session) : session_(session) {}
    ~Beginning() {
        if (session_ != nullptr) {
            begun().remove(session_);
        }
    }
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;

    void keep() { session_ = nullptr; }

private:
    const Session* session_;
};

}  // namespace ptp::host
