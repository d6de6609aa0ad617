// A thread that repeats a call, for example every half second, as long as the process runs at all,
// which shows others that it does.

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace ptp::distributed {

class Heartbeat {
public:
    static constexpr std::chrono::milliseconds kPace{500};

    // Calls `beat` on the thread, which receives no signals, at once and then after each `pace`.
    explicit Heartbeat(std::function<void()> beat, std::chrono::milliseconds pace = kPace);

    // Waits for a beat in progress.
    ~Heartbeat();
    Heartbeat(const Heartbeat&) = delete;
    Heartbeat& operator=(const Heartbeat&) = delete;

private:
    void run();

    std::function<void()> beat_;
    std::chrono::milliseconds pace_;
    std::mutex mutex_;  // guards is_over_
    std::condition_variable ended_;
    bool is_over_ = false;
    std::thread thread_;
};

}  // namespace ptp::distributed
