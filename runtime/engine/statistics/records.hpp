// The statistics of a run in its folder, as tables of comma-separated values.

#pragma once

#include "base/output_file.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/statistics/set_aggregate.hpp"
#include "engine/statistics/statistics.hpp"

#include <spdlog/logger.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ptp::engine {

// Rows are buffered and written at least once a second while rows are added, and by flush(). Rows
// that cannot be written, for example to a full disk, wait until they can; for sync() and finish()
// that is a RunError. Buffered rows are written on destruction if possible.
class CsvFile {
public:
    CsvFile(OutputFile file, const std::vector<std::string>& header);

    // Continues a table that has its header.
    explicit CsvFile(OutputFile file);
    ~CsvFile() { flush(); }
    CsvFile(const CsvFile&) = delete;
    CsvFile& operator=(const CsvFile&) = delete;

    // Add one cell after the other, then end the row.
    void add(std::string_view text);
    void add(std::uint64_t number);
    void add(double number);  // in full precision
    void end_row();

    void flush();

    // Returns why rows wait; empty if none does.
    [[nodiscard]] const std::error_code& problem() const { return problem_; }
    [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }

    // Returns the hash of the file: see OutputFile.
    [[nodiscard]] std::string hash() const { return file_.hash(); }
    [[nodiscard]] std::string disturbance() const { return file_.disturbance(); }

    // Returns the number of bytes in the file, without the buffered ones.
    [[nodiscard]] std::uint64_t size() const { return file_.size(); }

    // When they return, all rows are on the disk; finish() also closes, nothing may follow it.
    void sync();
    void finish();

    // When it returns, all rows are in the file, but possibly not on the disk.
    void write_all();

private:
    void separate();

    OutputFile file_;
    std::string gathered_;
    std::error_code problem_;
    bool is_row_begun_ = false;
    std::chrono::steady_clock::time_point last_flush_;
};

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
    // Adds a row of "training", "test", a validation set, or "partial_" and one.
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
