// The conversion of a measurement for users, for status.json and for checkpoints.

#include "engine/train/measurement.hpp"

#include "base/number.hpp"
#include "engine/output/progress.hpp"

#include <fmt/core.h>

#include <limits>
#include <utility>

namespace ptp::engine {

namespace {

constexpr int kShownDecimals = 4;

}  // namespace

Measurement measured(const Statistics& statistics, StatisticSet set,
                     const std::vector<Aggregate>& aggregates, std::string name, Position at) {
    const std::vector<Column>& columns = statistics.columns();
    Measurement made;
    made.set = std::move(name);
    made.at = at;
    made.loss = statistics.mean_loss(set);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (is_recorded(columns[i], aggregates[i])) {
            made.statistics.set(columns[i].name, aggregates[i].value);
        }
    }
    made.text = set_text(columns, aggregates);
    return made;
}

TrainingEpoch training_epoch(Statistics& statistics, Position at) {
    TrainingEpoch epoch;
    epoch.aggregates = statistics.aggregate(kTrainingSet);
    epoch.position = {at, statistics.batch_count(kTrainingSet)};
    epoch.measured = measured(statistics, kTrainingSet, epoch.aggregates, "training", at);
    return epoch;
}

run::Measurement record_of(const Measurement& measured) {
    run::Measurement record;
    record.set = measured.set;
    record.episode = static_cast<std::int64_t>(measured.at.episode);
    record.epoch = static_cast<std::int64_t>(measured.at.epoch_number());
    record.loss = measured.loss;
    for (const Member& member : measured.statistics.members()) {
        record.statistics.emplace_back(member.key, member.value.as_real());
    }
    return record;
}

Value shown(const Measurement& measured) {
    return run::value_of(record_of(measured));
}

std::string text_of_best(const Measurement& best, bool is_online) {
    std::string text = is_online ? fmt::format("episode {}, {}", best.at.episode, best.set)
                                 : fmt::format("epoch {}, {}", best.at.epoch_number(), best.set);
    for (const Member& member : best.statistics.members()) {
        text += fmt::format("  {} {}", member.key,
                            rounded_text(member.value.as_real(), kShownDecimals));
    }
    return text;
}

run::Measurement saved_record_of(const Measurement& measured) {
    run::Measurement record = record_of(measured);
    record.epoch = static_cast<std::int64_t>(measured.at.epoch);
    return record;
}

Measurement measured_from(const run::Measurement& saved) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    Measurement made;
    made.set = saved.set;
    made.at = {static_cast<std::uint64_t>(saved.episode), static_cast<std::uint64_t>(saved.epoch)};
    made.loss = saved.loss.value_or(kNan);
    for (const auto& [name, value] : saved.statistics) {
        made.statistics.set(name, value.value_or(kNan));
    }
    return made;
}

}  // namespace ptp::engine
