#include "engine/data/loader_threads.hpp"

#include "base/error.hpp"
#include "engine/component/component_error.hpp"
#include "engine/component/crash.hpp"

#include <ATen/Parallel.h>
#include <fmt/core.h>
#include <pthread.h>

#include <csignal>
#include <string>
#include <system_error>

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

std::vector<std::thread> start_loaders(const experiment::Section& section, std::uint64_t count,
                                       const std::function<void()>& work,
                                       const std::function<void()>& end) {
    std::vector<std::thread> threads;
    threads.reserve(count);
    try {
        while (threads.size() < count) {
            threads.emplace_back([work] {
                become_worker_thread();
                work();
            });
        }
    } catch (const std::system_error& error) {
        end();
        for (std::thread& thread : threads) {
            thread.join();
        }
        throw RunError(
            kConfigurationError,
            fmt::format("{}{}.dataloader.num_workers = {}: only {} loader threads could be "
                        "started ({}); use fewer",
                        place_text(section.place), section.name, section.dataloader.num_workers,
                        threads.size(), error.code().message()));
    }
    return threads;
}

}  // namespace ptp::engine
