#include "experiment/experiment.hpp"

#include <doctest/doctest.h>

namespace cycle_advice_test {

using ptp::experiment::cycle_advice;
using ptp::experiment::Training;

namespace {

struct Case {
    std::int64_t total;
    std::int64_t epoch_limit;
    std::int64_t episode_limit;
    std::optional<std::int64_t> episodes_per_epoch;
    const char* advice;
};

std::string said_of(const Case& c) {
    Training training;
    training.scheduler = ptp::schedule::OneCycleLr{.total_episodes = {c.total}};
    training.terminal_conditions.epoch_limit = c.epoch_limit;
    training.terminal_conditions.episode_limit = c.episode_limit;
    return cycle_advice(training, c.episodes_per_epoch).value_or("");
}

}  // namespace

TEST_CASE("cycle advice: a cycle that is longer or shorter than the training is reported") {
    const Case cases[] = {
        {20, 3, -1, {}, ""},
        {39, 3, -1, 13, ""},
        {20, 3, -1, 13,
         "the schedule has 20 episodes, but the training may have 39: after the schedule the "
         "learning rate stays at its lowest"},
        {40, 3, -1, 13,
         "the schedule has 40 episodes, but the training ends after 39: before the learning rate has "
         "come down"},
        {20, 3, 20, 13, ""},
        {20,
         3,
         19,
         {},
         "the schedule has 20 episodes, but the training ends after 19: before the learning rate has "
         "come down"},
        // The epochs may be shorter than the limit of episodes.
        {20, 3, 21, {}, ""},
        {20, -1, 20, {}, ""},
        {20,
         -1,
         21,
         {},
         "the schedule has 20 episodes, but the training may have 21: after the schedule the "
         "learning rate stays at its lowest"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.total);
        CAPTURE(c.episode_limit);
        CHECK(said_of(c) == c.advice);
    }
}

TEST_CASE("cycle advice: a schedule without a given cycle gets no advice") {
    CHECK_FALSE(cycle_advice({}, 13).has_value());
    Training training;
    training.scheduler = ptp::schedule::OneCycleLr();
    CHECK_FALSE(cycle_advice(training, 13).has_value());
}

}  // namespace cycle_advice_test
