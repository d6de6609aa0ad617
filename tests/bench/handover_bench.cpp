// What it costs a training that its batches come from loader threads: the time that the thread
// which trains spends on taking a batch, while it computes for some time in between. With a task
// that writes one small tensor. By the clock: the mean of all batches but the slowest twentieth,
// during which other programs ran; medians of rounds in turns.
//
//   ptp-bench-handover

#include "bench/zeros_task.hpp"
#include "engine/data/pass.hpp"
#include "support/engine_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 9;
constexpr std::uint64_t kBatches = 1000;

double mean_of_most(std::vector<double> times) {
    std::ranges::sort(times);
    times.resize(times.size() - times.size() / 20);
    return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

// A section of that task, and its batches.
class Loading {
public:
    explicit Loading(std::int64_t workers) {
        section_.name = "training";
        section_.task.batch_size = 16;
        section_.dataloader.num_workers = workers;
        ptp_component_info info = ptp::test::idle_component();
        ptp::bench::zero_samples = {std::int64_t{16} * kBatches, 784};
        info.extension = ptp::bench::zeros_task_extension;
        plan_.add_stream("inputs", ptp::plugin::Element::kFloating, {-1, 784});
        plan_.add_task(info, {{"inputs", 0}});
        components_ = plan_.create();
        source_.emplace(section_, plan_.plan, *components_.tasks[0], 1);
    }

    // Microseconds of one batch, without those that are computed after each.
    double microseconds(std::chrono::microseconds step) {
        ptp::engine::Frame frame(plan_.plan);
        ptp::engine::Pass pass(*source_, 0, true);
        std::vector<double> times;
        for (;;) {
            const auto begin = Clock::now();
            const bool is_there = pass.next(frame);
            const std::chrono::duration<double, std::micro> taken = Clock::now() - begin;
            if (!is_there) {
                return mean_of_most(std::move(times));
            }
            times.push_back(taken.count());
            frame.clear();
            const auto end = Clock::now() + step;
            while (Clock::now() < end) {  // computes
            }
        }
    }

private:
    ptp::experiment::Section section_;
    ptp::test::EnginePlan plan_;
    ptp::engine::Components components_;
    std::optional<ptp::engine::BatchSource> source_;
};

double median(std::vector<double> numbers) {
    std::ranges::sort(numbers);
    return numbers[numbers.size() / 2];
}

}  // namespace

int main() {
    Loading here(0);
    Loading one(1);
    Loading two(2);
    for (const int step : {50, 200}) {
        std::vector<double> times[3];
        for (int round = 0; round < kRounds; ++round) {
            times[0].push_back(here.microseconds(std::chrono::microseconds(step)));
            times[1].push_back(one.microseconds(std::chrono::microseconds(step)));
            times[2].push_back(two.microseconds(std::chrono::microseconds(step)));
        }
        fmt::print(
            "a batch for a step of {} us: {:.2f} us without loader threads, {:.2f} with one, {:.2f} "
            "with two (medians of {} rounds)\n",
            step, median(times[0]), median(times[1]), median(times[2]), kRounds);
    }
    return 0;
}
