// The setup of a loader thread.

#pragma once

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

}  // namespace ptp::engine
