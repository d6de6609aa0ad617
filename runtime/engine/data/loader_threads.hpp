// The loader threads of a section, and how such a thread is set up.

#pragma once

#include "experiment/experiment.hpp"

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace ptp::engine {

// Names the thread, leaves signals to the main thread, and limits libtorch's operators to this
// thread: a pool for each worker would take the cores from the training.
void become_worker_thread();

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

// Starts `count` threads that do `work`. If the system provides fewer, `end` is called to end those
// that have started, and RunError states which number the experiment should use.
std::vector<std::thread> start_loaders(const experiment::Section& section, std::uint64_t count,
                                       const std::function<void()>& work,
                                       const std::function<void()>& end);

}  // namespace ptp::engine
