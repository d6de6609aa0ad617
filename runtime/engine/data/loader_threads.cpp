#include "engine/data/loader_threads.hpp"

#include "base/error.hpp"
#include "engine/data/worker_thread.hpp"

#include <fmt/core.h>

#include <string>
#include <system_error>

namespace ptp::engine {

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
        const std::string place = section.place.text();
        throw RunError(
            kConfigurationError,
            fmt::format("{}{}.dataloader.num_workers = {}: only {} loader threads could be "
                        "started ({}); use fewer",
                        place.empty() ? "" : place + ": ", section.name,
                        section.dataloader.num_workers, threads.size(), error.code().message()));
    }
    return threads;
}

}  // namespace ptp::engine
