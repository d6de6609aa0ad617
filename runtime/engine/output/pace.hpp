// The speed of a training and its remaining time: training, validations and test together.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

namespace ptp::engine {

enum class Phase { kTraining, kValidation, kTest };

std::string_view phase_name(Phase phase);

// Returns seconds that only increase. Unit tests have their own clock.
using Clock = std::function<double()>;

double steady_seconds();

// Returns whether this number of batches and seconds is enough to estimate the duration of the
// others: the first are slow.
bool is_enough(std::uint64_t batches, double seconds);

// The number of batches of each phase.
using BatchCounts = std::array<std::uint64_t, 3>;

inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// The content of a training, as far as its limits determine it.
struct Course {
    std::uint64_t episodes_per_epoch = 1;
    std::uint64_t epoch_count = kUnlimited;
    std::uint64_t episode_count = kUnlimited;
    std::uint64_t validation_batches = 0;  // in a whole validation of all sets; 0: none
    std::uint64_t validation_sets = 1;
    bool validates_epochs = true;        // or once, at the end
    std::uint64_t partial_interval = 0;  // episodes between those of single batches; 0: none
    std::uint64_t test_batches = 0;
    double seconds = 0;  // the time limit for training and validation; 0: none

    // Returns what remains after N episodes, with N batches of the phase `now` done if that is not
    // training.
    [[nodiscard]] BatchCounts left(std::uint64_t episodes, Phase now,
                                   std::uint64_t phase_batches) const;
};

// [main]
class Pace {
public:
    explicit Pace(Clock clock) : clock_(std::move(clock)), begin_(clock_()), mark_(begin_) {}

    // Counts a batch, and the time since the previous one, for this phase.
    void batch(Phase phase);

    // The time from now to release(), as in a pause, is not counted. Batches in it are.
    void hold();
    void release() { mark_ = clock_(); }

    // Forgets the measurements, because other plugins compute from now on.
    void forget();

    // Ignores the first batch of training, which is slow, once there is another one.
    [[nodiscard]] double batches_per_second(Phase phase) const;

    // Returns the estimate, in which a phase with less than two measured batches is as fast as
    // training. Returns nullopt if training was not measured enough, or there is no end.
    [[nodiscard]] std::optional<double> seconds_left(const BatchCounts& left) const;

    // Returns the seconds since the beginning, without those not counted.
    [[nodiscard]] double seconds() const;

private:
    Clock clock_;
    double begin_;
    double mark_;
    double before_ = 0;  // seconds measured before forget()
    double first_ = 0;   // seconds of the first batch of training
    std::array<double, 3> seconds_{};
    BatchCounts batches_{};
};

}  // namespace ptp::engine
