// Reads and writes measurements, strictly for a resume and leniently for a listing.

#include "run/measurement.hpp"

#include "run/keys.hpp"

#include <limits>

namespace ptp::run {

namespace {

constexpr std::size_t kMaxStatistics = 1000;  // in a file that may be arbitrary
constexpr const char* kStatistics = "statistics";

std::vector<Key> measurement_keys(Measurement& measurement) {
    return {{"set", &measurement.set},
            {"episode", &measurement.episode},
            {"epoch", &measurement.epoch},
            {"loss", &measurement.loss}};
}

void add_statistics(const Value& table, std::size_t most, Measurement& measurement) {
    const Value* statistics = table.find(kStatistics);
    if (statistics == nullptr || !statistics->is_table()) {
        return;
    }
    for (const Member& member : statistics->members()) {
        if (measurement.statistics.size() < most) {
            std::optional<double> value;
            read_keys(*statistics, {{member.key, &value}});
            measurement.statistics.emplace_back(member.key, value);
        }
    }
}

}  // namespace

Value value_of(const Measurement& measurement) {
    Measurement copy = measurement;
    Value table = write_keys(measurement_keys(copy));
    Value statistics;
    for (auto& [name, value] : copy.statistics) {
        statistics.set(name, *write_keys({{name, &value}}).find(name));
    }
    table.set(kStatistics, std::move(statistics));
    return table;
}

std::optional<Measurement> measurement_in(const Value& table, std::string_view key) {
    const Value* found = table.find(key);
    if (found == nullptr || !found->is_table()) {
        return std::nullopt;
    }
    Measurement measurement;
    read_keys(*found, measurement_keys(measurement));
    add_statistics(*found, kMaxStatistics, measurement);
    return measurement;
}

Measurement measurement_from(const Value& table) {
    Measurement measurement;
    require_keys(table, measurement_keys(measurement));
    if (table.find(kStatistics) != nullptr) {
        value_in(table, kStatistics, ValueType::kTable);
    }
    add_statistics(table, std::numeric_limits<std::size_t>::max(), measurement);
    return measurement;
}

}  // namespace ptp::run
