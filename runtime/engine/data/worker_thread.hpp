// What makes a thread a loader thread.

#pragma once

namespace ptp::engine {

// Names the thread, leaves signals to the main thread, and keeps libtorch's operators on this one
// thread: a pool of their own for each worker would take the cores from the training.
void become_worker_thread();

// While it lives, libtorch's operators run on this thread alone. They need not produce the same
// bits on one thread as on several; what a loader thread may do is done with this everywhere.
class OneThread {
public:
    OneThread();
    ~OneThread();
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int before_;
};

}  // namespace ptp::engine
