#include "engine/data/worker_thread.hpp"

#include "engine/component/crash.hpp"

#include <ATen/Parallel.h>

#include <pthread.h>

#include <csignal>

// A function of libgomp, which libtorch uses. It sets one thread; at::set_num_threads() the
// process.
extern "C" void omp_set_num_threads(int count);
extern "C" int omp_get_max_threads();

namespace ptp::engine {

void become_worker_thread() {
    pthread_setname_np(pthread_self(), "ptp-loader");
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    prepare_thread_for_crash();
    at::get_num_threads();  // initializes this thread, which would undo the next line later
    omp_set_num_threads(1);
}

OneThread::OneThread() {
    at::get_num_threads();  // see above
    before_ = omp_get_max_threads();
    omp_set_num_threads(1);
}

OneThread::~OneThread() {
    omp_set_num_threads(before_);
}

}  // namespace ptp::engine
