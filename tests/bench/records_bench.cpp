// What it costs to record an episode: a row of four statistics as CSV, as JSON lines and as a
// TensorBoard event, written to the disk at the end; and a histogram of as many weights as LeNet5
// has. Then what an episode costs that no record looks at: each place where one could.
//
//   ptp-bench-records

#include "engine/component/executor.hpp"
#include "engine/output/event.hpp"
#include "engine/output/json_lines.hpp"
#include "engine/output/tensorboard.hpp"
#include "engine/statistics/records.hpp"
#include "support/engine_plan.hpp"
#include "support/temp_folder.hpp"

#include <ptp/observation.hpp>

#include <ATen/ops/randn.h>
#include <fmt/core.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace {

using ptp::engine::Column;

constexpr std::uint64_t kEpisodes = 20000;
constexpr std::uint64_t kPasses = 20'000'000;
constexpr int kRounds = 7;
constexpr std::int64_t kWeights = 61706;

std::vector<Column> make_columns() {
    std::vector<Column> columns(4);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        columns[i].name = "statistic_" + std::to_string(i);
    }
    return columns;
}

const std::vector<Column> kColumns = make_columns();
const std::vector<double> kValues = {0.123456789, 1.0 / 3, 2.0 / 7, 64};

// The median over rounds, in microseconds for one of `count`.
template <class Work>
double microseconds(std::uint64_t count, Work work) {
    std::vector<double> times;
    for (int round = 0; round < kRounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::micro> time =
            std::chrono::steady_clock::now() - begin;
        times.push_back(time.count() / static_cast<double>(count));
    }
    std::sort(times.begin(), times.end());
    return times[kRounds / 2];
}

double csv() {
    return microseconds(kEpisodes, [] {
        const ptp::test::TempFolder folder;
        spdlog::logger log("bench", std::make_shared<spdlog::sinks::null_sink_mt>());
        ptp::engine::Records records(folder.path(), kColumns, log);
        for (std::uint64_t i = 0; i < kEpisodes; ++i) {
            records.episode({i, 0}, kValues);
        }
        records.finish();
    });
}

template <class MakeSink>
double sink(MakeSink make_sink) {
    ptp::test::EnginePlan plan;
    plan.add_task(ptp::test::idle_component(), {});
    return microseconds(kEpisodes, [&] {
        const ptp::test::TempFolder folder;
        auto made = make_sink(folder.path());
        made.begin({"x", folder.path(), 1, "cpu", "", plan.plan, kColumns, 0});
        for (std::uint64_t i = 0; i < kEpisodes; ++i) {
            made.episode({{i, 0}, kValues});
        }
        made.sync();
    });
}

// Keeps the compiler from computing it once for all rounds.
template <class Value>
void use(Value& value) {
    asm volatile("" : "+m"(value) : : "memory");
}

// Runs it kPasses times in each round; returns the nanoseconds of CPU time of one time in the
// shortest one, which other programs have disturbed least.
template <class Work>
double nanoseconds(Work work) {
    double shortest = std::numeric_limits<double>::infinity();
    for (int round = 0; round < kRounds; ++round) {
        const std::clock_t begin = std::clock();
        for (std::uint64_t i = 0; i < kPasses; ++i) {
            work(i);
        }
        const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        shortest = std::min(shortest, 1e9 * seconds / static_cast<double>(kPasses));
    }
    return shortest;
}

const ptp_host* host_of_net = nullptr;  // a functions' table cannot carry anything along

// Prints what a pass of each place costs where records could look at an episode, while none does.
void print_unrecorded() {
    ptp::test::EnginePlan plan;
    plan.add_task(ptp::test::idle_component(), {});
    ptp_component_info info = ptp::test::idle_component();
    info.create = [](const ptp_host* host, const ptp_setup*, void** instance) -> ptp_status {
        host_of_net = host;
        static int made = 0;
        *instance = &made;
        return PTP_OK;
    };
    plan.add_node("net", ptp::plugin::Kind::kModel, info, {}, {});
    const ptp::engine::Components components = plan.create();
    ptp::engine::Frame frame(plan.plan);
    ptp::engine::Executor executor(plan.plan, components, frame, at::kCPU);
    spdlog::logger log("bench", std::make_shared<spdlog::sinks::null_sink_mt>());
    ptp::engine::Sinks sinks(log);
    const double episode = nanoseconds([&](std::uint64_t i) {  // as the trainer calls them
        const ptp::engine::Position at = {i, 0};
        ptp::engine::ForwardObserver* const observer = sinks.observer(at, components);
        const ptp::engine::ObservedForward observed(executor, observer);
        sinks.tell(&ptp::engine::Sink::look_at, at, frame);
        sinks.tell(&ptp::engine::Sink::episode, {at, kValues});
        sinks.tell(&ptp::engine::Sink::learned, at, components);
    });
    ptp::engine::ForwardObserver* none = nullptr;
    std::uint64_t count = 0;
    const double component = nanoseconds([&](std::uint64_t) {  // as the executor does twice
        use(none);
        count += none != nullptr ? 1 : 0;
        use(none);
        count += none != nullptr ? 1 : 0;
    });
    const double scope = nanoseconds([&](std::uint64_t) {
        const ptp::detail::Computing computing(*host_of_net);
        use(ptp::detail::computing_host);
    });
    const ptp::detail::Computing computing(*host_of_net);
    const double question = nanoseconds([&](std::uint64_t) {
        bool is_observed = ptp::is_observed();
        use(is_observed);
    });
    fmt::print(
        "an episode that no record looks at: {:.1f} ns for the sinks, {:.2f} ns for a component in "
        "the executor and {:.2f} ns in forward(), {:.1f} ns for is_observed() (CPU time, the shortest of "
        "{} rounds of {} times)\n",
        episode, component, scope, question, kRounds, kPasses);
}

}  // namespace

int main() {
    const double json_lines = sink([](const std::filesystem::path& folder) {
        return ptp::engine::JsonLines(folder / "s.jsonl", {});
    });
    const double tensorboard = sink([](const std::filesystem::path& folder) {
        return ptp::engine::TensorBoard(folder / "tensorboard", {}, [] { return 1.0; });
    });
    const at::Tensor weights = at::randn({kWeights});
    const double histogram =
        microseconds(1, [&] { static_cast<void>(ptp::engine::histogram_of(weights)); });
    fmt::print(
        "an episode: CSV {:.2f} us, JSON lines {:.2f} us, TensorBoard {:.2f} us; a histogram of {} "
        "weights: {:.2f} ms (medians of {} rounds of {} episodes)\n",
        csv(), json_lines, tensorboard, kWeights, histogram / 1000, kRounds, kEpisodes);
    print_unrecorded();
    return 0;
}
