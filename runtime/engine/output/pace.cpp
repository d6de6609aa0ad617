// Measures batches per second by phase, and estimates the remaining time.

#include "engine/output/pace.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace ptp::engine {

namespace {

constexpr std::uint64_t kEnoughBatches = 5;
constexpr double kEnoughSeconds = 2;
constexpr double kPlentyOfSeconds = 20;  // with slow batches, fewer are enough

std::size_t index_of(Phase phase) {
    return static_cast<std::size_t>(phase);
}

std::uint64_t rounded_up(std::uint64_t count, std::uint64_t by) {
    return count / by + (count % by == 0 ? 0 : 1);
}

}  // namespace

std::string_view phase_name(Phase phase) {
    constexpr std::array<std::string_view, 3> kNames = {"training", "validation", "test"};
    return kNames[index_of(phase)];
}

double steady_seconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

bool is_enough(std::uint64_t batches, double seconds) {
    return (batches >= kEnoughBatches && seconds >= kEnoughSeconds) ||
           (batches >= 2 && seconds >= kPlentyOfSeconds);
}

BatchCounts Course::left(std::uint64_t episodes, Phase now, std::uint64_t phase_batches) const {
    if (episode_count == kUnlimited) {
        return {kUnlimited, kUnlimited, kUnlimited};
    }
    const std::uint64_t per_epoch = std::max<std::uint64_t>(episodes_per_epoch, 1);
    const std::uint64_t training = episode_count - std::min(episodes, episode_count);
    // The epoch of the last episode is not validated yet while that continues.
    const std::uint64_t all = validates_epochs ? rounded_up(episode_count, per_epoch) : 1;
    std::uint64_t validated = 0;
    if (validates_epochs) {
        validated = now == Phase::kValidation && episodes > 0 ? (episodes - 1) / per_epoch
                                                              : episodes / per_epoch;
    }
    if (now == Phase::kTest) {
        validated = all;
    }
    std::uint64_t validation = (all - std::min(validated, all)) * validation_batches;
    if (partial_interval > 0) {
        validation += training / partial_interval * validation_sets;
    }
    if (now == Phase::kValidation) {
        validation -= std::min(validation, phase_batches);
    }
    const std::uint64_t tested = now == Phase::kTest ? phase_batches : 0;
    return {training, validation, test_batches - std::min(tested, test_batches)};
}

void Pace::batch(Phase phase) {
    const double now = clock_();
    seconds_[index_of(phase)] += now - mark_;
    ++batches_[index_of(phase)];
    mark_ = now;
    if (phase == Phase::kTraining && batches_[index_of(phase)] == 1) {
        first_ = seconds_[index_of(phase)];
    }
}

void Pace::forget() {
    before_ = seconds();
    seconds_ = {};
    batches_ = {};
    first_ = 0;
}

void Pace::hold() {
    const double now = clock_();
    seconds_[index_of(Phase::kTraining)] += now - mark_;
    mark_ = now;
}

double Pace::batches_per_second(Phase phase) const {
    const auto index = index_of(phase);
    const bool has_first = phase == Phase::kTraining && batches_[index] > 1;
    const double seconds = seconds_[index] - (has_first ? first_ : 0);
    const std::uint64_t batches = batches_[index] - (has_first ? 1 : 0);
    return seconds > 0 ? static_cast<double>(batches) / seconds : 0;
}

std::optional<double> Pace::seconds_left(const BatchCounts& left) const {
    const auto training = index_of(Phase::kTraining);
    const bool is_known = is_enough(batches_[training], seconds_[training]);
    const double usual = is_known ? batches_per_second(Phase::kTraining) : 0;
    const auto own_rate = [this](Phase phase) {
        const bool is_measured = phase != Phase::kTraining && batches_[index_of(phase)] >= 2;
        return is_measured ? batches_per_second(phase) : 0;
    };
    double seconds = 0;
    for (const Phase phase : {Phase::kTraining, Phase::kValidation, Phase::kTest}) {
        const std::uint64_t count = left[index_of(phase)];
        if (count == 0) {
            continue;
        }
        double rate = own_rate(phase);
        if (rate == 0 && phase == Phase::kTest) {
            rate = own_rate(Phase::kValidation);
        }
        rate = rate == 0 ? usual : rate;
        if (rate == 0 || count == kUnlimited) {
            return std::nullopt;
        }
        seconds += static_cast<double>(count) / rate;
    }
    return seconds;
}

double Pace::seconds() const {
    return std::accumulate(seconds_.begin(), seconds_.end(), before_);
}

}  // namespace ptp::engine
