// The loader threads of a section, and how such a thread is set up.

#pragma once

#include "experiment/experiment.hpp"

#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

namespace ptp::engine {

// Names the thread (at most 15 characters), leaves signals to the main thread, and limits
// libtorch's operators to this thread: a pool for each helper would take the cores from the
// training.
void become_helper_thread(const char* name);

// While it exists, libtorch's operators run only on this thread. They need not produce the same
// bits on one thread as on several; operations that a loader thread may do always run with this.
class OneThread {
public:
    OneThread();
    ~OneThread();
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int before_;
};

// Throws RunError because the system has started only this number of a section's loader threads.
[[noreturn]] void refuse_loaders(const experiment::Section& section, std::size_t started,
                                 const std::system_error& error);

// Starts `count` threads that call work(). If the system provides fewer, request_stop() ends those
// that have started, and RunError states which number the experiment should use.
template <class Owner>
std::vector<std::thread> start_loaders(const experiment::Section& section, std::uint64_t count,
                                       Owner& owner) {
    std::vector<std::thread> threads;
    threads.reserve(count);
    try {
        while (threads.size() < count) {
            threads.emplace_back([&owner] {
                become_helper_thread("ptp-loader");
                owner.work();
            });
        }
    } catch (const std::system_error& error) {
        owner.request_stop();
        for (std::thread& thread : threads) {
            thread.join();
        }
        refuse_loaders(section, threads.size(), error);
    }
    return threads;
}

}  // namespace ptp::engine
