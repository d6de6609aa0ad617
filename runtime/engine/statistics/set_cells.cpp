#include "engine/statistics/set_cells.hpp"

namespace ptp::engine {

void add_names(std::vector<std::string>& header, const Column& column) {
    header.push_back(column.name);
    if (column.has_spread) {
        for (const char* suffix : {"_min", "_max", "_std"}) {
            header.push_back(column.name + suffix);
        }
    }
}

void add_cells(CsvFile& file, const std::vector<Column>& columns,
               const std::vector<Aggregate>& aggregates) {
    for (std::size_t i = 0; i < aggregates.size(); ++i) {
        if (!is_recorded(columns[i], aggregates[i])) {
            continue;
        }
        file.add(aggregates[i].value);
        if (columns[i].has_spread) {
            file.add(aggregates[i].minimum);
            file.add(aggregates[i].maximum);
            file.add(aggregates[i].deviation);
        }
    }
}

}  // namespace ptp::engine
