// Makes measurements of the statistics of a set.

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

Measured measured(const Statistics& statistics, StatisticSet set, std::vector<Aggregate> aggregates,
                  std::string name, Position at) {
    const std::vector<Column>& columns = statistics.columns();
    Measured made;
    made.record = {.set = std::move(name),
                   .episode = static_cast<std::int64_t>(at.episode),
                   .epoch = static_cast<std::int64_t>(at.epoch_number()),
                   .loss = statistics.mean_loss(set),
                   .statistics = {}};
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (is_recorded(columns[i], aggregates[i])) {
            made.record.statistics.emplace_back(columns[i].name, aggregates[i].value);
        }
    }
    made.position = {at, statistics.batch_count(set)};
    made.text = set_text(columns, aggregates);
    made.aggregates = std::move(aggregates);
    return made;
}

Measured measured_epoch(Statistics& statistics, Position at) {
    return measured(statistics, kTrainingSet, statistics.aggregate(kTrainingSet), "training", at);
}

std::string text_of_best(const run::Measurement& best, bool is_online) {
    std::string text = is_online ? fmt::format("episode {}, {}", best.episode, best.set)
                                 : fmt::format("epoch {}, {}", best.epoch, best.set);
    for (const auto& [name, value] : best.statistics) {
        const double number = value.value_or(std::numeric_limits<double>::quiet_NaN());
        text += fmt::format("  {} {}", name, rounded_text(number, kShownDecimals));
    }
    return text;
}

}  // namespace ptp::engine
