// How long it takes the processes of a training to add up numbers: the measurements that
// `./dev bench scaling` fits its model to. Started by it in each process, with RANK, WORLD_SIZE,
// MASTER_ADDR and MASTER_PORT; the first one prints a line for each size: bytes, and the
// seconds of its fastest round.
//
//   ptp-bench-allreduce [ROUNDS]

#include "distributed/place.hpp"
#include "engine/distributed/group.hpp"

#include <ATen/ops/ones.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace {

double seconds_of_sum(ptp::engine::Group& group, const at::Tensor& numbers) {
    using Clock = std::chrono::steady_clock;
    group.barrier("the start of a round");
    const auto begin = Clock::now();
    group.sum(numbers, "the sum");
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 21;
    const auto place = ptp::distributed::place_from(
        [](const char* name) { return std::getenv(name); }, ptp::distributed::host_name());
    const auto group =
        ptp::engine::Group::join(place, std::chrono::seconds(60), std::chrono::seconds(60));
    for (std::int64_t bytes = 4; bytes <= std::int64_t{64} << 20; bytes *= 4) {
        const at::Tensor numbers = at::ones({bytes / 4});
        std::vector<double> seconds;
        for (int i = 0; i < rounds; ++i) {
            seconds.push_back(seconds_of_sum(*group, numbers));
        }
        if (group->is_first()) {
            fmt::print("{} {:.9f}\n", bytes, *std::ranges::min_element(seconds));
        }
    }
    group->barrier("the end");
    return 0;
}
