// The statistics of a run in its folder, as CSV.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/statistics/csv_file.hpp"
#include "engine/statistics/set_aggregate.hpp"
#include "engine/statistics/statistics.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// The position of the training; both count from 0. For users and in files, epochs count from 1.
struct Position {
    std::uint64_t episode = 0;
    std::uint64_t epoch = 0;

    [[nodiscard]] std::uint64_t epoch_number() const { return epoch + 1; }
};

struct SetPosition {
    Position at;
    std::uint64_t episodes_aggregated = 0;  // the batches of the set
};

// The tables of a run: one with a row for each episode, the others with one for each pass over
// their set, or over one batch of it. A file is created when it is needed. Rows that cannot be
// written to the disk wait in memory, and the log reports it; sync() and finish() then throw
// RunError.
class Records {
public:
    // `first_epoch` is the number of the first epoch in the folder's files; `validations` are the
    // names of the validation sets.
    Records(std::filesystem::path folder, const std::vector<Column>& columns, spdlog::logger& log,
            std::uint64_t first_epoch = 1,
            const std::vector<std::string>& validations = {"validation"});

    // Stops all writing and reading: another process has the tables of the run.
    void mute() { is_muted_ = true; }

    void episode(Position position, std::span<const double> values);
    // Adds a row of "training", "test", a validation set, or "partial_" and one. REQUIRES: no
    // other.
    void set(std::string_view name, const SetPosition& position,
             const std::vector<Aggregate>& aggregates);

    // When they return, all rows are on the disk; finish() also closes the files, for the end of a
    // run.
    void sync();
    void finish();

    // Returns the lengths of the files, after sync(). Restoring truncates what an earlier process
    // wrote after that, and continues from there.
    [[nodiscard]] SavedState save() const;
    void restore(const SavedState& saved);

private:
    struct Table {
        std::string name;  // the file's name
        std::optional<CsvFile> file = {};
        bool is_waiting = false;
        bool is_disturbed = false;  // rows are lost, which was reported
    };

    void tell_of(Table& table);
    void tell_of_disturbance(Table& table);
    [[nodiscard]] bool is_written(const Column& column) const;

    std::filesystem::path folder_;
    const std::vector<Column>& columns_;
    spdlog::logger& log_;
    std::uint64_t first_epoch_;
    bool is_muted_ = false;
    bool has_plain_rate_ = true;  // not in every table of an older ptp
    std::deque<Table> tables_;    // episodes, training epochs, the other sets
};

// Return the header of a table of batches, or of whole sets: these names, and those of the columns.
std::vector<std::string> batch_header(std::vector<std::string> header,
                                      const std::vector<Column>& columns, StatisticSet set);
std::vector<std::string> set_header(std::vector<std::string> header,
                                    const std::vector<Column>& columns,
                                    const std::vector<Aggregate>& aggregates);

// Adds the cells below set_header(): of all columns for which is_recorded() returns true.
void add_cells(CsvFile& file, const std::vector<Column>& columns,
               const std::vector<Aggregate>& aggregates);

}  // namespace ptp::engine
