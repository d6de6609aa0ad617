// A thread that does the same every half second, for as long as the process runs at all: by that
// others see that it does.

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace ptp::distributed {

class Heartbeat {
public:
    // `beat` is called on the thread, which no signal is delivered to.
    explicit Heartbeat(std::function<void()> beat);

    // Waits for a beat that is under way.
    ~Heartbeat();
    Heartbeat(const Heartbeat&) = delete;
    Heartbeat& operator=(const Heartbeat&) = delete;

private:
    void run();

    std::function<void()> beat_;
    std::mutex mutex_;  // of is_over_
    std::condition_variable ended_;
    bool is_over_ = false;
    std::thread thread_;
};

}  // namespace ptp::distributed
