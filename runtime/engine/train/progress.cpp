#include "engine/train/progress.hpp"

#include "engine/stats/number.hpp"
#include "engine/train/memory.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace ptp::engine {

namespace {

constexpr std::uint64_t kLinesPerEpoch = 4;
constexpr int kLossDecimals = 4;
constexpr std::uint64_t kMiB = 1U << 20U;

// Slow ones with two digits that count.
std::string rate_text(double rate) {
    return rate < 10 ? fmt::format("{:.2g}", rate) : fmt::format("{:.0f}", rate);
}

// The largest number for a limit that is none.
std::uint64_t count_or_most(std::int64_t limit) {
    return limit < 0 ? std::numeric_limits<std::uint64_t>::max()
                     : static_cast<std::uint64_t>(limit);
}

// The largest number instead of one that is larger.
std::uint64_t product_or_most(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max()
                                                  : product;
}

}  // namespace

Progress::Progress(Console& console, const config::Experiment& experiment,
                   std::uint64_t episodes_per_epoch)
    : console_(console),
      episodes_per_epoch_(episodes_per_epoch),
      begin_(std::chrono::steady_clock::now()) {
    change_limits(experiment.training.terminal_conditions);
}

void Progress::change_limits(const config::TerminalConditions& limits) {
    epoch_count_ = count_or_most(limits.epoch_limit);
    episode_count_ = product_or_most(epoch_count_, episodes_per_epoch_);
    if (limits.episode_limit >= 0) {
        episode_count_ = std::min(episode_count_, static_cast<std::uint64_t>(limits.episode_limit));
    }
}

void Progress::episode(const EpisodeDone& done) {
    ++episodes_;
    wait_seconds_ += done.wait_seconds;
    if (console_.is_live() || console_.is_json()) {
        if (console_.wants_progress()) {
            console_.progress(console_.is_json() ? json(done) : text(done));
        }
        return;
    }
    const std::uint64_t stride = std::max<std::uint64_t>(1, episodes_per_epoch_ / kLinesPerEpoch);
    if ((done.episode % episodes_per_epoch_ + 1) % stride == 0) {
        console_.line(text(done));
    }
}

Progress::Pace Progress::pace(const EpisodeDone& done) const {
    const double seconds = std::max(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(), 1e-9);
    const double rate = static_cast<double>(episodes_) / seconds;
    return {rate, static_cast<double>(episode_count_ - done.episode - 1) / rate,
            std::min(wait_seconds_ / seconds, 1.0)};
}

std::string Progress::text(const EpisodeDone& done) const {
    const auto [rate, left, waiting] = pace(done);
    return fmt::format(
        "epoch {}  episode {}/{}  {} episodes/s  loss {}  {} left  {} MiB  "
        "waiting {:.0f}%",
        epoch_text(done.epoch), done.episode + 1, episode_count_, rate_text(rate),
        rounded_text(done.loss, kLossDecimals), duration_text(left), resident_bytes() / kMiB,
        100 * waiting);
}

std::string Progress::json(const EpisodeDone& done) const {
    const auto [rate, left, waiting] = pace(done);
    nlohmann::ordered_json json = {{"event", "progress"}};
    json["episode"] = done.episode;
    json["epoch"] = done.epoch + 1;
    json["episode_count"] = episode_count_;
    json["loss"] = done.loss;
    json["episodes_per_second"] = rate;
    json["seconds_left"] = left;
    json["memory_bytes"] = resident_bytes();
    json["wait_share"] = waiting;
    return json.dump();
}

std::string Progress::epoch_text(std::uint64_t epoch) const {
    return epoch_count_ == std::numeric_limits<std::uint64_t>::max()
               ? fmt::format("{}", epoch + 1)
               : fmt::format("{}/{}", epoch + 1, epoch_count_);
}

std::string set_text(const std::vector<Column>& columns, const std::vector<Aggregate>& aggregates) {
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (is_recorded(columns[i], aggregates[i])) {
            text += fmt::format(
                "{}{} {}", text.empty() ? "" : "  ", columns[i].name,
                rounded_text(aggregates[i].value, std::min(columns[i].decimals, kLossDecimals)));
        }
    }
    return text;
}

}  // namespace ptp::engine
