#include "experiment/read_records.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace ptp::experiment {

namespace {

template <class Sink>
void read_sink(const Scope& scope, const RawTable& raw, std::optional<Sink>& sink) {
    if (raw.table != nullptr) {
        read_all_fields(scope.at(*raw.table, Sink::kName), sink.emplace().fields());
    }
}

template <class... Sinks>
void read_sinks(const Scope& scope, RecordsOf<Sinks...>& records) {
    std::array<RawTable, sizeof...(Sinks)> tables;
    std::vector<Field> fields;
    (fields.push_back(
         {.name = Sinks::kName, .into = &tables.at(fields.size()), .help = Sinks::kHelp}),
     ...);
    read_all_fields(scope, fields);
    std::size_t i = 0;
    (read_sink(scope, tables.at(i++), records.template get<Sinks>()), ...);
}

}  // namespace

void read_records(const Scope& scope, Records& records) {
    read_sinks(scope, records);
}

Value tree_of(const Records& records) {
    Value table;
    records.for_each(
        [&](auto sink) { table.set(std::string(sink.kName), write_fields(sink.fields())); });
    return table;
}

}  // namespace ptp::experiment
