// How fast a training goes, and how long it still takes: training, validations and test together.

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

// Seconds that only grow. A test has one of its own.
using Clock = std::function<double()>;

double steady_seconds();

// Whether this number of batches and seconds is enough to estimate how long the others take: the
// first are slow.
bool is_enough(std::uint64_t batches, double seconds);

// Batches of each phase.
using BatchCounts = std::array<std::uint64_t, 3>;

inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// What a training consists of, as far as its limits determine it.
struct Course {
    std::uint64_t episodes_per_epoch = 1;
    std::uint64_t epoch_count = kUnlimited;
    std::uint64_t episode_count = kUnlimited;
    std::uint64_t validation_batches = 0;  // of a whole validation, of all sets; 0: there is none
    std::uint64_t validation_sets = 1;
    bool validates_epochs = true;        // or once, at the end
    std::uint64_t partial_interval = 0;  // episodes between those of a batch of each set; 0: none
    std::uint64_t test_batches = 0;
    double seconds = 0;  // the limit of the time for training and validation; 0: none

    // What is still to be done after N episodes, with N batches of the phase `now` done
    // where that is not a training.
    [[nodiscard]] BatchCounts left(std::uint64_t episodes, Phase now,
                                   std::uint64_t phase_batches) const;
};

// [main]
class Pace {
public:
    explicit Pace(Clock clock) : clock_(std::move(clock)), begin_(clock_()), mark_(begin_) {}

    // A batch is done: what passed since the one before it is counted for this phase.
    void batch(Phase phase);

    // What passes from now to release(), as in a pause, is not counted. Batches between them are.
    void hold();
    void release() { mark_ = clock_(); }

    // What was measured is no measure of what follows, because other plugins compute it.
    void forget();

    // Without the first batch of training, which is slow, once there is another one.
    [[nodiscard]] double batches_per_second(Phase phase) const;

    // While less than two batches of a phase were measured, they are taken to last as long as in
    // training. nullopt where not enough was measured of training, or there is no end.
    [[nodiscard]] std::optional<double> seconds_left(const BatchCounts& left) const;

    // Since the beginning, without what was not counted.
    [[nodiscard]] double seconds() const;

private:
    Clock clock_;
    double begin_;
    double mark_;
    double before_ = 0;  // seconds that were measured and forgotten
    double first_ = 0;   // seconds of the first batch of training
    std::array<double, 3> seconds_{};
    BatchCounts batches_{};
};

}  // namespace ptp::engine
