// A thread that calls a function at a steady pace.

#include "distributed/heartbeat.hpp"

#include "base/no_signals.hpp"

#include <utility>

namespace ptp::distributed {

Heartbeat::Heartbeat(std::function<void()> beat, std::chrono::milliseconds pace)
    : beat_(std::move(beat)), pace_(pace) {
    const NoSignals inherited;
    thread_ = std::thread([this] { run(); });
}

Heartbeat::~Heartbeat() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        is_over_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

void Heartbeat::run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!is_over_) {
        lock.unlock();
        beat_();
        lock.lock();
        ended_.wait_for(lock, pace_, [this] { return is_over_; });
    }
}

}  // namespace ptp::distributed
