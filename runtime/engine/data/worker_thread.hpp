// What a loader thread does first.

#pragma once

namespace ptp::engine {

// Names the thread, leaves signals to the main thread, and keeps libtorch's operators on this one
// thread: a pool of their own for each worker would take the cores from the training.
void become_worker_thread();

}  // namespace ptp::engine
