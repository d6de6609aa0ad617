// The changes of `ptprun resume --set` to a training that continues; see stages.hpp.

#include "base/duration.hpp"
#include "base/error.hpp"
#include "control/command.hpp"
#include "engine/swap/live_control.hpp"
#include "run/format.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::engine {

using run::Entry;

// Restores the experiment after the entries seen. New values become one more entry.
void LiveControl::begin_changes(std::uint64_t entries_seen, std::uint64_t episodes) {
    const auto begin = entries().begin();
    const auto changes =
        std::count_if(begin, begin + static_cast<std::ptrdiff_t>(entries_seen), control::is_set);
    parts_.swapper.change_experiment([&] {
        parts_.stages.resume_at(static_cast<std::size_t>(changes), *parts_.session.optimization);
    });
    if (!new_values_.empty()) {
        refuse_change_before_another(entries_seen, episodes);
        if (journal_) {
            journal_->add(
                {episodes, control::kSetCommand, run::set_arguments(new_values_), now_text()});
        }
        new_values_.clear();
    }
}

// Refuses new values before other changes: they were checked against the experiment after all
// changes.
void LiveControl::refuse_change_before_another(std::uint64_t entries_seen,
                                               std::uint64_t episodes) const {
    const std::vector<Entry>& entries = this->entries();
    for (std::size_t i = entries_seen; i < entries.size(); ++i) {
        if (control::is_set(entries[i]) && entries[i].episode > episodes) {
            throw RunError(
                kConfigurationError,
                fmt::format("the run continues after episode {}, and its journal changes the "
                            "experiment after episode {}: resume it without --set until then",
                            episodes, entries[i].episode));
        }
    }
}

// Changes the experiment. A schedule counts from its change; for changes by an earlier ptp, from
// the training's start.
void LiveControl::change_experiment(LiveTraining& training, const Entry& entry) {
    const TrainingPosition here = training.next_position();
    const TrainingPosition begin =
        entry.format < run::kSchedulesCountFromSet ? TrainingPosition() : here;
    std::string changes;
    parts_.swapper.change_experiment(
        [&] { changes = parts_.stages.advance(*parts_.session.optimization, here, begin); });
    training.experiment_changed();
    parts_.say(fmt::format("from episode {} on: {}", episodes_, changes));
}

bool LiveControl::has_change(std::uint64_t episodes) const {
    return std::ranges::any_of(script_, [episodes](const Entry& entry) {
        return control::is_set(entry) && entry.episode <= episodes;
    });
}

}  // namespace ptp::engine
