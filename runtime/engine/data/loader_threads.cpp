// Sets up loader threads: they handle no signals, and each computes with one thread.

#include "engine/data/loader_threads.hpp"

#include "base/error.hpp"
#include "base/signals.hpp"
#include "engine/component/component_error.hpp"
#include "engine/component/crash.hpp"

#include <ATen/Parallel.h>
#include <fmt/core.h>
#include <pthread.h>

// A function of libgomp, which libtorch uses. It sets one thread; at::set_num_threads() the
// process.
extern "C" void omp_set_num_threads(int count);
extern "C" int omp_get_max_threads();

namespace ptp::engine {

void become_helper_thread(const char* name) {
    pthread_setname_np(pthread_self(), name);
    block_signals();
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

void refuse_loaders(const experiment::Section& section, std::size_t started,
                    const std::system_error& error) {
    throw RunError(kConfigurationError,
                   fmt::format("{}{}.dataloader.num_workers = {}: only {} loader threads could be "
                               "started ({}); use fewer",
                               place_text(section.place), section.name,
                               section.dataloader.num_workers, started, error.code().message()));
}

}  // namespace ptp::engine
