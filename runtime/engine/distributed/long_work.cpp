#include "engine/distributed/long_work.hpp"

#include "distributed/heartbeat.hpp"

#include <ATen/ops/full.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>

namespace ptp::engine {

namespace {

at::Tensor sign(bool is_over) {
    return at::full({1}, is_over ? 1 : 0, at::kLong);
}

void wait_for_first(Group& group, const char* what) {
    const at::Tensor is_over = sign(false);
    do {
        group.broadcast(is_over, what);
    } while (is_over.item<std::int64_t>() == 0);
}

}  // namespace

void work_in_first(Group& group, const char* what, const std::function<void()>& work) {
    if (!group.is_first()) {
        wait_for_first(group, what);
        return;
    }
    std::exception_ptr lost;
    {
        const auto pace = std::min(distributed::Heartbeat::kPace, group.timeout() / 4);
        const distributed::Heartbeat signs(
            [&] {
                try {
                    if (!lost) {
                        group.broadcast_beside(sign(false), what);
                    }
                } catch (const std::exception&) {
                    lost = std::current_exception();
                }
            },
            pace);
        work();
    }
    if (lost) {
        std::rethrow_exception(lost);
    }
    group.broadcast(sign(true), what);
}

}  // namespace ptp::engine
