// Sends signs of life while the first process works, and limits how long the others wait.

#include "engine/distributed/long_work.hpp"

#include "distributed/heartbeat.hpp"

#include <ATen/ops/full.h>
#include <fmt/core.h>

#include <cstdint>
#include <exception>
#include <future>
#include <utility>

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

double seconds(std::chrono::milliseconds time) {
    return std::chrono::duration<double>(time).count();
}

// The thread of the first process that sends the others signs of life.
class Signs {
public:
    Signs(Group& group, const char* what, const Patience& patience)
        : group_(group), what_(what), patience_(patience) {}

    void give() {
        const auto past = std::chrono::steady_clock::now() - begin_;
        if (past >= patience_.limit) {
            tell(has_stopped_,
                 fmt::format("{} has not ended within {:g} s: the other processes do not wait for "
                             "it any longer",
                             what_, seconds(patience_.limit)));
            return;
        }
        if (past >= group_.timeout()) {
            tell(has_warned_,
                 fmt::format("{} has taken {:g} s so far: the other processes wait for it for at "
                             "most {:g} s",
                             what_, seconds(group_.timeout()), seconds(patience_.limit)));
        }
        try {
            if (!lost_) {
                group_.broadcast_beside(sign(false), what_);
            }
        } catch (const std::exception&) {
            lost_ = std::current_exception();
        }
    }

    // Returns its exception, if any, after the last sign.
    [[nodiscard]] const std::exception_ptr& lost() const { return lost_; }

private:
    // Warns on a separate thread: a file system that blocks the work may also block the log.
    void tell(bool& has_told, const std::string& text) {
        if (!std::exchange(has_told, true) && patience_.warn) {
            warning_ = std::async(std::launch::async, patience_.warn, text);
        }
    }

    Group& group_;
    const char* what_;
    const Patience& patience_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    bool has_warned_ = false;
    bool has_stopped_ = false;
    std::exception_ptr lost_;
    std::future<void> warning_;  // which its end waits for
};

}  // namespace

void work_in_first(Group& group, const char* what, c10::function_ref<void()> work,
                   const Patience& patience) {
    if (!group.is_first()) {
        wait_for_first(group, what);
        return;
    }
    Signs signs(group, what, patience);
    {
        const auto pace = std::min(distributed::Heartbeat::kPace, group.timeout() / 4);
        const distributed::Heartbeat heartbeat([&signs] { signs.give(); }, pace);
        work();
    }
    if (signs.lost()) {
        std::rethrow_exception(signs.lost());
    }
    group.broadcast(sign(true), what);
}

}  // namespace ptp::engine
