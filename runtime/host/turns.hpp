// A thread that computes, and the thread of a caller: they take turns, so that one of them waits at
// any time.

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace ptp::host {

// [caller] unless stated otherwise; the caller may be another thread each time.
class Turns {
public:
    using Work = std::function<void()>;  // throws nothing

    Turns() = default;
    // REQUIRES: the work ends once it is resumed.
    ~Turns() { finish(); }
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;

    // Begins the work on a thread of its own, which gets no signals but those of its own crashes.
    // Returns when the work waits, or has ended. REQUIRES: none has begun, or it has finished.
    // Throws RunError where no thread can be started; then nothing has begun.
    void begin(Work work);

    // Whether there is work that waits; false if it has ended or none has begun.
    [[nodiscard]] bool is_waiting();

    // Lets it continue until it waits again or has ended. REQUIRES: is_waiting().
    void resume();

    // Has the waiting thread do this, and returns when it waits again. REQUIRES: is_waiting().
    void ask(const Work& question);

    // Lets it continue to its end, and waits for that. Nothing if it has ended.
    void finish();

    // [worker] Waits for resume(), and meanwhile does what is asked.
    void wait();

private:
    enum class Turn { kNobody, kCaller, kWorker };

    void give_turn(std::unique_lock<std::mutex>& lock);

    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    Turn turn_ = Turn::kNobody;
    const Work* question_ = nullptr;
    std::thread thread_;
};

}  // namespace ptp::host
