#include "engine/train/measurement.hpp"

#include "base/error.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/console/progress.hpp"

#include <utility>

namespace ptp::engine {

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

Value to_value(const Measurement& measured) {
    return Value::table({{"set", measured.set},
                         {"episode", measured.at.episode},
                         {"epoch", measured.at.epoch},
                         {"loss", measured.loss},
                         {"statistics", measured.statistics}});
}

Value shown(const Measurement& measured) {
    Value table = to_value(measured);
    table.set("epoch", measured.at.epoch_number());
    return table;
}

Measurement measured_from(const Value& value) {
    Measurement made;
    made.set = text_in(value, "set");
    made.at = {static_cast<std::uint64_t>(integer_in(value, "episode")),
               static_cast<std::uint64_t>(integer_in(value, "epoch"))};
    made.loss = real_in(value, "loss");
    if (const Value* statistics = value.find("statistics")) {
        if (!statistics->is_table()) {
            throw RunError(kDataError, "'statistics' must be a table");
        }
        made.statistics = *statistics;
    }
    return made;
}

}  // namespace ptp::engine
