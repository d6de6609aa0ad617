// Passes the turn between the caller's thread and the computing thread, by one mutex and one
// condition variable.

#include "host/turns.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/signals.hpp"

#include <fmt/core.h>

#include <cassert>
#include <csignal>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::host {

namespace {

thread_local bool is_worker_thread = false;

}  // namespace

bool Turns::is_worker() {
    return is_worker_thread;
}

void Turns::begin(Work work) {
    assert(!is_waiting());
    finish();
    std::unique_lock<std::mutex> lock(mutex_);
    turn_ = Turn::kWorker;
    try {
        // Signals are for the program's threads, except those that a thread's own actions raise.
        std::vector<int> own(kCrashSignals.begin(), kCrashSignals.end());
        own.push_back(SIGPROF);
        const NoSignals inherited(own);
        thread_ = std::thread([this, work = std::move(work)] {
            is_worker_thread = true;
            work();
            const std::lock_guard<std::mutex> last(mutex_);
            turn_ = Turn::kNobody;
            changed_.notify_all();
        });
    } catch (const std::system_error& error) {
        turn_ = Turn::kNobody;
        throw RunError(kTrainingError,
                       fmt::format("the thread that computes cannot be started: {}; end other "
                                   "processes or threads, or raise their limits (ulimit -u, "
                                   "ulimit -v)",
                                   error.what()));
    } catch (...) {
        turn_ = Turn::kNobody;
        throw;
    }
    changed_.wait(lock, [this] { return turn_ != Turn::kWorker; });
}

bool Turns::is_waiting() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return turn_ == Turn::kCaller;
}

void Turns::give_turn(std::unique_lock<std::mutex>& lock) {
    assert(turn_ == Turn::kCaller);
    turn_ = Turn::kWorker;
    changed_.notify_all();
    changed_.wait(lock, [this] { return turn_ != Turn::kWorker; });
}

void Turns::resume() {
    std::unique_lock<std::mutex> lock(mutex_);
    give_turn(lock);
}

void Turns::ask(const Work& question) {
    std::unique_lock<std::mutex> lock(mutex_);
    question_ = &question;
    give_turn(lock);
}

void Turns::finish() {
    while (is_waiting()) {
        resume();
    }
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Turns::wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        turn_ = Turn::kCaller;
        changed_.notify_all();
        changed_.wait(lock, [this] { return turn_ == Turn::kWorker; });
        const Work* const question = std::exchange(question_, nullptr);
        if (question == nullptr) {
            return;
        }
        lock.unlock();
        (*question)();
        lock.lock();
    }
}

}  // namespace ptp::host
