// What the trainer shows while it trains.

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "engine/train/trainer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace ptp::engine {

std::optional<std::size_t> statistic_to_show(const Session& session, const std::string& name) {
    const auto column = session.statistics.batch_statistic(name);
    if (column || name.empty()) {
        return column;
    }
    std::vector<std::string> known;
    for (const Column& other : session.statistics.columns()) {
        if (is_in_batches(other, kTrainingSet)) {
            known.push_back(other.name);
        }
    }
    throw RunError(kConfigurationError,
                   fmt::format("--show {}: the batches of training have no such statistic{}", name,
                               hint(name, known)));
}

ProgressSetup progress_setup(const Session& session, std::optional<std::size_t> statistic) {
    ProgressSetup setup;
    setup.course = course_of(session.experiment, session.training->batch_count());
    if (session.validation) {
        setup.course.validation_batches = session.validation->batch_count();
    }
    if (session.test) {
        setup.course.test_batches = session.test->batch_count();
    }
    setup.loss_name = session.statistics.loss_name();
    if (statistic) {
        setup.statistic_name = session.statistics.columns()[*statistic].name;
    }
    return setup;
}

double Trainer::shown_value() const {
    return shown_statistic_ ? session_.statistics.values()[*shown_statistic_]
                            : std::numeric_limits<double>::quiet_NaN();
}

Evaluation Trainer::with_progress(Evaluation evaluation, Phase phase) {
    progress_.begin_pass(phase);
    evaluation.on_batch = [this](std::uint64_t done, std::uint64_t count) {
        progress_.batch(done, count);
    };
    return evaluation;
}

void Trainer::say(const Measurement& measured, bool is_best, bool has_more) {
    const std::string where =
        measured.set == "partial_validation"
            ? fmt::format("episode {}", measured.at.episode + 1)
            : fmt::format("epoch {}", progress_.epoch_text(measured.at.epoch));
    parts_.console.note(fmt::format("{}  {:<10}  {}{}", where, measured.set, measured.text,
                                    is_best ? "  (best)" : ""));
    progress_.result({where, measured.set, measured.text, is_best, has_more});
}

}  // namespace ptp::engine
