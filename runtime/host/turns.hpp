// A computing thread, and a caller's thread, which take turns, so that one of them waits at any
// time.

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace ptp::host {

// [caller] unless stated otherwise; the caller may be a different thread each time.
class Turns {
public:
    using Work = std::function<void()>;  // throws nothing

    Turns() = default;
    // The work must end once it is resumed.
    ~Turns() { finish(); }
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;

    // Begins the work on a separate thread, which only gets the signals of its own crashes. Returns
    // when the work waits, or has ended. REQUIRES: none has begun, or it has finished. Throws
    // RunError if no thread can be started; then nothing has begun.
    void begin(Work work);

    // Returns whether there is work that waits; false if it has ended or none has begun.
    [[nodiscard]] bool is_waiting();

    // Continues it until it waits again or has ended. REQUIRES: is_waiting().
    void resume();

    // Makes the waiting thread do this, and returns when it waits again. REQUIRES: is_waiting().
    void ask(const Work& question);

    // Continues it to its end, and waits for that. Does nothing if it has ended.
    void finish();

    // [worker] Waits for resume(), and meanwhile answers ask().
    void wait();

    // Returns whether the calling thread is the worker of any Turns. [any]
    [[nodiscard]] static bool is_worker();

private:
    enum class Turn { kNobody, kCaller, kWorker };

    void give_turn(std::unique_lock<std::mutex>& lock);

    std::mutex mutex_;  // guards the following members
    std::condition_variable changed_;
    Turn turn_ = Turn::kNobody;
    const Work* question_ = nullptr;
    std::thread thread_;
};

}  // namespace ptp::host
