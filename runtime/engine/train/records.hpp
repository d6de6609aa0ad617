// The statistics of a run in its folder, as CSV.

#pragma once

#include "engine/stats/csv_file.hpp"
#include "engine/stats/statistics.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace ptp::engine {

// Where the training is, as the first columns of every row say it.
struct Position {
    std::uint64_t episode = 0;
    std::uint64_t epoch = 0;
};

struct SetPosition {
    Position at;
    std::uint64_t episodes_aggregated = 0;  // the batches of the set
};

// training.csv has a row for each episode, the others one for each pass over their set. A file
// begins to exist when it is needed. Throws RunError when the disk does not take it.
class Records {
public:
    Records(std::filesystem::path folder, const std::vector<Column>& columns);

    void episode(Position position, std::span<const double> values);
    void training_epoch(const SetPosition& position, const std::vector<Aggregate>& aggregates);
    void validation(const SetPosition& position, const std::vector<Aggregate>& aggregates);
    void test(const SetPosition& position, const std::vector<Aggregate>& aggregates);

    // All rows are on the disk when they return; finish() also closes the files, for the end of a
    // run.
    void sync();
    void finish();

private:
    void add_set(std::optional<CsvFile>& file, const char* name, const SetPosition& position,
                 const std::vector<Aggregate>& aggregates);

    std::filesystem::path folder_;
    const std::vector<Column>& columns_;
    std::optional<CsvFile> training_;
    std::optional<CsvFile> training_epochs_;
    std::optional<CsvFile> validation_;
    std::optional<CsvFile> test_;
};

}  // namespace ptp::engine
