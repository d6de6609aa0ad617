#include "engine/distributed/group.hpp"

#include "base/error.hpp"
#include "engine/distributed/flat_tensors.hpp"
#include "unit/engine/distributed/ranks.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace group_test {

using ptp::engine::Group;
using ptp::test::run_ranks;

// doctest's checks are for one thread: the ranks count what is wrong.
TEST_CASE("group: sums, broadcasts, gathers and texts have the same result in each process") {
    std::atomic<int> wrong = 0;
    run_ranks(3, [&](Group& group) {
        const auto expect = [&](bool is_right) { wrong += is_right ? 0 : 1; };
        const auto rank = static_cast<double>(group.rank());
        const at::Tensor numbers = at::full({2, 2}, rank + 1, at::kDouble);
        group.sum(numbers, "a sum");
        expect(numbers.equal(at::full({2, 2}, 6.0, at::kDouble)));

        const at::Tensor transposed = at::full({2, 3}, rank, at::kFloat).t();
        group.broadcast(transposed, "a broadcast", 2);
        expect(transposed.equal(at::full({3, 2}, 2.0F)));

        const std::vector<std::string> texts =
            group.gather(std::string(group.rank() * 2, 'x'), "a gathering");
        expect(group.is_first() ? texts == std::vector<std::string>{"", "xx", "xxxx"}
                                : texts.empty());
        expect(group.share(group.is_first() ? "it" : "", "a text") == "it");
        expect(group.share("", "no text").empty());
    });
    CHECK(wrong == 0);
}

TEST_CASE("group: what is sent to a process that has ended is an error and not a signal") {
    std::signal(SIGPIPE, SIG_DFL);
    run_ranks(2, [](Group&) {});
    struct sigaction action {};
    sigaction(SIGPIPE, nullptr, &action);
    const bool is_ignored = action.sa_handler == SIG_IGN;
    CHECK(is_ignored);
}

TEST_CASE("group: a rounded sum ends with the second of its parts") {
    using Clock = std::chrono::steady_clock;
    std::atomic<int> wrong = 0;
    run_ranks(2, [&](Group& group) {
        Clock::time_point second_part;
        group.watch([&](const char*, bool is_over) {
            second_part = is_over ? second_part : Clock::now();  // when it was waited for
        });
        const at::Tensor numbers = at::ones({5}, at::kFloat);
        Group::Pending sum = group.begin_rounded_sum(numbers, "a sum");
        sum.note_end();
        sum.wait();
        group.watch({});
        wrong += sum.ended_at() >= second_part ? 0 : 1;
        wrong += numbers.equal(at::full({5}, 2.0F)) ? 0 : 1;
    });
    CHECK(wrong == 0);
}

TEST_CASE("group: buffers become those of the first process, or the mean over the samples") {
    std::atomic<int> wrong = 0;
    run_ranks(2, [&](Group& group) {
        const bool is_first = group.is_first();
        const std::vector<at::Tensor> buffers = {
            at::full({2}, is_first ? 1.0F : 5.0F), at::scalar_tensor(is_first ? 7 : 8, at::kLong),
            at::full({1, 1}, is_first ? 2.0 : 6.0, at::kDouble)};
        ptp::engine::average_all(group, buffers, is_first ? 3 : 1, "a mean");
        wrong += buffers[0].equal(at::full({2}, 2.0F)) ? 0 : 1;  // (3 * 1 + 1 * 5) / 4
        wrong += buffers[1].item<std::int64_t>() == 7 ? 0 : 1;   // no mean of whole numbers
        wrong += buffers[2].item<double>() == 3.0 ? 0 : 1;       // (3 * 2 + 1 * 6) / 4
        const std::vector<at::Tensor> masks = {
            at::full({2}, -std::numeric_limits<double>::infinity(), at::kDouble)};
        ptp::engine::average_all(group, masks, is_first ? 3 : 0, "a mean");
        wrong +=
            masks[0].equal(at::full({2}, -std::numeric_limits<double>::infinity(), at::kDouble))
                ? 0
                : 1;
        buffers[0].fill_(is_first ? 1 : 0);
        ptp::engine::broadcast_all(group, buffers, "a broadcast");
        wrong += buffers[0].equal(at::full({2}, 1.0F)) ? 0 : 1;
    });
    CHECK(wrong == 0);
}

}  // namespace group_test
