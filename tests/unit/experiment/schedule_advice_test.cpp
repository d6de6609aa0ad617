#include "experiment/experiment.hpp"

#include <doctest/doctest.h>

namespace schedule_advice_test {

using ptp::experiment::schedule_advice;
using ptp::experiment::Training;

namespace {

struct Case {
    std::int64_t total;
    std::int64_t epoch_limit;
    std::int64_t episode_limit;
    std::optional<std::int64_t> episodes_per_epoch;
    const char* advice;
};

// Returns "KEY: WARNING" of each, one in a line.
std::string said_of(const Training& training, std::optional<std::int64_t> episodes_per_epoch = {}) {
    std::string all;
    for (const auto& [key, advice] : schedule_advice(training, episodes_per_epoch)) {
        all += (all.empty() ? "" : "\n") + key + ": " + advice.text();
    }
    return all;
}

std::string said_of(const Case& c) {
    Training training;
    training.scheduler = ptp::schedule::OneCycleLr{.total_episodes = {c.total}};
    training.terminal_conditions.epoch_limit = c.epoch_limit;
    training.terminal_conditions.episode_limit = c.episode_limit;
    return said_of(training, c.episodes_per_epoch);
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
        CHECK(said_of(c) == (*c.advice == '\0' ? "" : "training.scheduler.total_episodes: ") +
                                std::string(c.advice));
    }
}

TEST_CASE("cycle advice: a schedule without a given cycle gets no advice") {
    CHECK(said_of(Training(), 13) == "");
    Training training;
    training.scheduler = ptp::schedule::OneCycleLr();
    CHECK(said_of(training, 13) == "");
}

TEST_CASE("schedule advice: a change of the learning rate after the training is reported") {
    const auto said = [](const ptp::schedule::Any& schedule, std::int64_t epoch_limit,
                         std::int64_t episode_limit = -1,
                         std::optional<std::int64_t> episodes_per_epoch = {}) {
        Training training;
        training.scheduler = schedule;
        training.terminal_conditions.epoch_limit = epoch_limit;
        training.terminal_conditions.episode_limit = episode_limit;
        return said_of(training, episodes_per_epoch);
    };
    const ptp::schedule::StepLr step{.step_size = 30};
    CHECK(said(step, 31) == "");
    CHECK(
        said(step, 30) ==
        "training.scheduler.step_size: step_size = 30, but the training has at most 30 epochs: "
        "the learning rate never changes\n    fix: take a smaller step_size, or a longer training");
    CHECK(said(step, -1, 299) == "");  // in how many epochs is not known
    CHECK(said(step, -1, 301, 10) == "");
    CHECK(said(step, -1, 300, 10).find("at most 30 epochs") != std::string::npos);
    CHECK(said(step, 1) == "");  // a trial
    CHECK(said(step, 1, 1, 10) == "");

    const ptp::schedule::MultiStepLr steps{.milestones = {30, 60}};
    CHECK(said(steps, 61) == "");
    CHECK(
        said(steps, 60) ==
        "training.scheduler.milestones: the milestone 60, but the training has at most 60 epochs: "
        "it is not reached\n    fix: leave out milestones from there on, or train longer");
    CHECK(
        said(steps, 20) ==
        "training.scheduler.milestones: the milestone 30, but the training has at most 20 epochs: "
        "the learning rate never changes\n    fix: take earlier milestones, or a longer training");

    ptp::schedule::CosineAnnealingLr cosine;
    CHECK(said(cosine, 20) == "");
    cosine.half_period = 20;
    CHECK(said(cosine, 20) == "");
    CHECK(said(cosine, 19) ==
          "training.scheduler.T_max: T_max = 20, but the training has at most 19 epochs: it ends "
          "before the learning rate has come down to eta_min\n"
          "    fix: leave out T_max, which is then the length of the training");

    const ptp::schedule::ReduceLrOnPlateau plateau{.patience = 20};
    CHECK(said(plateau, 22) == "");
    CHECK(said(plateau, 21) ==
          "training.scheduler.patience: patience = 20, but the training has at most 21 epochs, and "
          "as many validations: the learning rate never changes\n"
          "    fix: take a smaller patience, or a longer training");
    CHECK(said(ptp::schedule::ReduceLrOnPlateau(), 5) == "");  // its patience is the default
}

TEST_CASE("schedule advice: an average over more steps than there are is reported") {
    Training training;
    training.weight_average = ptp::experiment::WeightAverage{.decay = 0.99};
    training.terminal_conditions.epoch_limit = 4;
    CHECK(said_of(training) == "");
    CHECK(said_of(training, 25) == "");
    CHECK(said_of(training, 24) ==
          "training.weight_average.decay: the average spans about 100 steps of the optimizer, but "
          "the training has 96 after its beginning: the weights that are evaluated stay near those "
          "with which it begins\n"
          "    fix: take a smaller decay, such as 0.89, or a longer training");
    training.accumulate = 20;  // 5 steps
    CHECK(said_of(training, 25).ends_with("fix: leave out weight_average, or train longer"));
    training.accumulate = 1;
    training.weight_average->start_episode = 10;
    CHECK(said_of(training, 25).find("has 90 after its beginning") != std::string::npos);
    training.terminal_conditions.episode_limit = 1;
    CHECK(said_of(training, 25) == "");
}

TEST_CASE("schedule advice: a warm-up that is longer than the training is reported") {
    Training training;
    training.warm_up = ptp::experiment::WarmUp{.episodes = 40};
    training.terminal_conditions.epoch_limit = 3;
    CHECK(said_of(training) == "");
    CHECK(said_of(training, 14) == "");
    CHECK(said_of(training, 13) ==
          "training.warm_up.episodes: the warm-up has 40 episodes, but the training ends after 39: "
          "before the learning rate has come up to lr\n"
          "    fix: take fewer episodes, or a longer training");
    training.terminal_conditions.episode_limit = 1;
    CHECK(said_of(training, 13) == "");
}

TEST_CASE("schedule advice: gradients of more batches than an epoch has are warned of") {
    Training training;
    training.terminal_conditions.epoch_limit = 3;
    training.accumulate = 8;
    CHECK(said_of(training).empty());
    CHECK(said_of(training, 8).empty());
    CHECK(said_of(training, 7) ==
          "training.accumulate: gradients of 8 batches are to be added up, but an epoch has 7: the "
          "optimizer has one step in each epoch, after its last batch\n"
          "    fix: take a smaller accumulate");
    training.terminal_conditions.epoch_limit = 1;
    training.terminal_conditions.episode_limit = 1;
    CHECK(said_of(training, 7).empty());
}

}  // namespace schedule_advice_test
