#include "engine/train/progress.hpp"

#include "engine/stats/number.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace ptp::engine {

namespace {

constexpr std::uint64_t kLinesPerEpoch = 4;
constexpr int kLossDecimals = 4;

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
      epoch_count_(count_or_most(experiment.training.terminal_conditions.epoch_limit)),
      episode_count_(product_or_most(epoch_count_, episodes_per_epoch)),
      begin_(std::chrono::steady_clock::now()) {
    const std::int64_t limit = experiment.training.terminal_conditions.episode_limit;
    if (limit >= 0) {
        episode_count_ = std::min(episode_count_, static_cast<std::uint64_t>(limit));
    }
}

void Progress::episode(std::uint64_t episode, std::uint64_t epoch, double loss) {
    if (console_.is_live()) {
        if (console_.wants_progress()) {
            console_.progress(text(episode, epoch, loss));
        }
        return;
    }
    const std::uint64_t stride = std::max<std::uint64_t>(1, episodes_per_epoch_ / kLinesPerEpoch);
    if ((episode % episodes_per_epoch_ + 1) % stride == 0) {
        console_.line(text(episode, epoch, loss));
    }
}

std::string Progress::text(std::uint64_t episode, std::uint64_t epoch, double loss) const {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const double done = static_cast<double>(episode + 1);
    const double rate = done / std::max(seconds, 1e-9);
    const double left = static_cast<double>(episode_count_ - episode - 1) / rate;
    return fmt::format("epoch {}  episode {}/{}  {:.0f} episodes/s  loss {}  {} left",
                       epoch_text(epoch), episode + 1, episode_count_, rate,
                       rounded_text(loss, kLossDecimals), duration_text(left));
}

std::string Progress::epoch_text(std::uint64_t epoch) const {
    return epoch_count_ == std::numeric_limits<std::uint64_t>::max()
               ? fmt::format("{}", epoch + 1)
               : fmt::format("{}/{}", epoch + 1, epoch_count_);
}

std::string set_text(const std::vector<Column>& columns, const std::vector<Aggregate>& aggregates) {
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].is_shown) {
            text += fmt::format(
                "{}{} {}", text.empty() ? "" : "  ", columns[i].name,
                rounded_text(aggregates[i].value, std::min(columns[i].decimals, kLossDecimals)));
        }
    }
    return text;
}

}  // namespace ptp::engine
