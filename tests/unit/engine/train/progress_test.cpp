#include "engine/train/progress.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <limits>

using ptp::engine::Console;
using ptp::engine::Progress;

namespace {

std::uint64_t episode_count(std::int64_t epoch_limit, std::int64_t episode_limit) {
    Console console(stdout, {ptp::engine::Verbosity::kQuiet, false, false});
    ptp::config::Experiment experiment;
    experiment.training.terminal_conditions.epoch_limit = epoch_limit;
    experiment.training.terminal_conditions.episode_limit = episode_limit;
    return Progress(console, experiment, 7).episode_count();
}

}  // namespace

TEST_CASE("progress: a training has the episodes of its epochs, or as many as its limit") {
    CHECK(episode_count(3, -1) == 21);
    CHECK(episode_count(3, 22) == 21);
    CHECK(episode_count(3, 5) == 5);
}

TEST_CASE("progress: with a huge limit of epochs the number of episodes does not overflow") {
    constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
    CHECK(episode_count(kHuge, -1) == std::numeric_limits<std::uint64_t>::max());
    CHECK(episode_count(kHuge, 5) == 5);
}
