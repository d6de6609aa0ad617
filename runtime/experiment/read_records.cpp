#include "experiment/read_records.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ptp::experiment {

namespace {

template <class Sink>
void read_sink(const Scope& scope, const RawTable& raw, std::optional<std::int64_t> interval,
               std::optional<Sink>& sink) {
    if (raw.table != nullptr) {
        sink.emplace().every_episodes = interval.value_or(Sink{}.every_episodes);
        read_all_fields(scope.at(*raw.table, Sink::kName), sink->fields());
    }
}

template <class... Sinks>
void read_sinks(const Scope& scope, std::optional<std::int64_t> interval,
                RecordsOf<Sinks...>& records) {
    std::array<RawTable, sizeof...(Sinks)> tables;
    std::vector<Field> fields;
    (fields.push_back(
         {.name = Sinks::kName, .into = &tables.at(fields.size()), .help = Sinks::kHelp}),
     ...);
    read_all_fields(scope, fields);
    std::size_t i = 0;
    (read_sink(scope, tables.at(i++), interval, records.template get<Sinks>()), ...);
}

}  // namespace

void read_records(const Scope& scope, std::optional<std::int64_t> interval, Records& records) {
    read_sinks(scope, interval, records);
}

Value tree_of(const Records& records) {
    Value table;
    records.for_each(
        [&](auto sink) { table.set(std::string(sink.kName), write_fields(sink.fields())); });
    return table;
}

}  // namespace ptp::experiment
