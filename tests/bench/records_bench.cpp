// What it costs to record an episode: a row of four statistics as CSV, as JSON lines and as a
// TensorBoard event, written to the disk at the end; and a histogram of as many weights as LeNet5
// has.
//
//   ptp-bench-records

#include "engine/output/event.hpp"
#include "engine/output/json_lines.hpp"
#include "engine/output/tensorboard.hpp"
#include "engine/statistics/records.hpp"
#include "support/engine_plan.hpp"
#include "support/temp_folder.hpp"

#include <ATen/ops/randn.h>
#include <fmt/core.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace {

using ptp::engine::Column;

constexpr std::uint64_t kEpisodes = 20000;
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
    return 0;
}
