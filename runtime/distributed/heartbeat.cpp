#include "distributed/heartbeat.hpp"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace ptp::distributed {

Heartbeat::Heartbeat(std::function<void()> beat, std::chrono::milliseconds pace)
    : beat_(std::move(beat)), pace_(pace) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
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
