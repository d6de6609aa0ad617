// A thread that repeats a call, for example every half second, as long as the process runs at all,
// which shows others that it does.

#pragma once

#include "base/signals.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace ptp::distributed {

class Heartbeat {
public:
    static constexpr std::chrono::milliseconds kPace{500};

    // Calls `beat` on the thread, which receives no signals, at once and then after each `pace`.
    // The end of this object waits for a beat in progress.
    explicit Heartbeat(std::function<void()> beat, std::chrono::milliseconds pace = kPace) {
        const NoSignals inherited;
        thread_ = std::jthread([beat = std::move(beat), pace](const std::stop_token& end) {
            std::mutex mutex;
            std::unique_lock<std::mutex> lock(mutex);
            std::condition_variable_any ended;
            do {
                beat();
            } while (!ended.wait_for(lock, end, pace, [&end] { return end.stop_requested(); }));
        });
    }

private:
    std::jthread thread_;
};

}  // namespace ptp::distributed
