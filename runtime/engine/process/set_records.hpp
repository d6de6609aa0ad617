// The statistics of a section that is processed, as CSV: a row for each batch, and one for the set.

#pragma once

#include "engine/stats/csv_file.hpp"
#include "engine/stats/statistics.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ptp::engine {

// Writes <section>_batches.csv and, at the end, <section>.csv, in the folder. Throws RunError when
// the disk does not take them.
class SetRecords {
public:
    SetRecords(std::filesystem::path folder, std::string section, std::vector<Column> columns,
               StatisticSet set);

    void batch(std::uint64_t index, std::uint64_t samples, std::span<const double> values);

    // Both files are on the disk when it returns.
    void finish(std::uint64_t batches, std::uint64_t samples,
                const std::vector<Aggregate>& aggregates);

private:
    std::filesystem::path folder_;
    std::string section_;
    std::vector<Column> columns_;
    StatisticSet set_;
    CsvFile batches_;
};

}  // namespace ptp::engine
