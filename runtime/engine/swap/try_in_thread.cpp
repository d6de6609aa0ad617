#include "base/error.hpp"
#include "engine/component/call.hpp"
#include "engine/component/crash.hpp"
#include "engine/swap/swap_error.hpp"
#include "engine/swap/trial.hpp"

#include <fmt/core.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace ptp::engine {

namespace {

// Returns a signal that libc, OpenMP and the sanitizers do not use.
int stop_signal() {
    return SIGRTMIN + 7;
}

// Set by an abandoned thread when it has stopped, to the call in which it did.
std::atomic<const Call*> stopped_in = nullptr;
sem_t has_stopped;

// Handles the signal in an abandoned thread, which must never continue. It blocks every signal, so
// that no signal for the process is lost in it.
void park_thread(int) {
    stopped_in = *Call::place_of_current();
    ::sem_post(&has_stopped);
    for (;;) {
        ::pause();
    }
}

void install_stop() {
    ::sem_init(&has_stopped, 0, 0);
    struct sigaction action {};
    action.sa_handler = park_thread;
    sigfillset(&action.sa_mask);
    sigaction(stop_signal(), &action, nullptr);
}

// Blocks signals in the thread: the training handles them on the main thread only.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        for (const int kept : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, stop_signal()}) {
            sigdelset(&all, kept);
        }
        pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t before_{};
};

// Stops the thread; returns what it was doing.
std::string stop(pthread_t thread) {
    constexpr time_t kPatience = 5;  // seconds; a system call may have to end first
    pthread_kill(thread, stop_signal());
    timespec end{};
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += kPatience;
    while (::sem_timedwait(&has_stopped, &end) != 0) {
        if (errno != EINTR) {
            throw RunError(
                kPluginError,
                "what a plugin does for the first time does not end and cannot be "
                "stopped: the run cannot continue in this process; ptprun resume continues "
                "from the last checkpoint");
        }
    }
    const Call* const call = stopped_in;
    return call == nullptr ? "" : fmt::format("{}: {} ", call->name().subject, call->name().work);
}

struct Shared {
    std::mutex mutex;
    std::condition_variable ended;
    bool has_ended = false;
    std::exception_ptr error;
};

}  // namespace

void try_in_thread(TrialLimit limit, const std::function<void()>& work) {
    install_stop();
    const auto shared = std::make_shared<Shared>();  // outlives an abandoned thread
    std::thread thread;
    {
        const SignalsBlocked inherited;
        thread = std::thread([shared, &work] {
            prepare_thread_for_crash();
            std::exception_ptr error;
            try {
                work();
            } catch (...) {
                error = std::current_exception();
            }
            const std::lock_guard<std::mutex> lock(shared->mutex);
            shared->error = error;
            shared->has_ended = true;
            shared->ended.notify_one();
        });
    }
    std::unique_lock<std::mutex> lock(shared->mutex);
    if (!shared->ended.wait_for(lock, limit, [&] { return shared->has_ended; })) {
        // While this holds the lock, the thread cannot end before it is stopped.
        const pthread_t given_up = thread.native_handle();
        thread.detach();
        const std::string call = stop(given_up);
        throw WithFix<std::runtime_error>(
            {fmt::format("{}is not done after {:g} s", call, limit.count()),
             "make it quicker, or give it more time with swap.time_limit"});
    }
    lock.unlock();
    thread.join();
    if (shared->error) {
        std::rethrow_exception(shared->error);
    }
}

}  // namespace ptp::engine
