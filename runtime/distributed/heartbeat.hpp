// A thread that does the same again and again, every half second for example, for as long as the
// process runs at all: by that others see that it does.

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

    // `beat` is called on the thread, which no signal is delivered to, at once and then after each
    // `pace`.
    explicit Heartbeat(std::function<void()> beat, std::chrono::milliseconds pace = kPace);

    // Waits for a beat that is under way.
    ~Heartbeat();
    Heartbeat(const Heartbeat&) = delete;
    Heartbeat& operator=(const Heartbeat&) = delete;

private:
    void run();

    std::function<void()> beat_;
    std::chrono::milliseconds pace_;
    std::mutex mutex_;  // of is_over_
    std::condition_variable ended_;
    bool is_over_ = false;
    std::thread thread_;
};

}  // namespace ptp::distributed
