// The files of a run that grow by rows, and its statistics in them as tables of comma-separated
// values.

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
#include <utility>
#include <vector>

namespace ptp::engine {

// A file that grows by rows, which are gathered and written at least once a second while rows come.
// Rows that cannot be written, because the disk is full for example, wait. The file never
// holds a part of what was given to one add(). Rows that are still gathered when it is destroyed
// are lost: sync() comes first. Functions throw RunError.
class GrowingFile {
public:
    // Makes a new file, in a new folder if necessary; if there is no room for it yet, rows wait.
    explicit GrowingFile(std::filesystem::path path);

    // Continues with one that exists, after its first `size` bytes: see OutputFile::append(). With
    // neither bytes nor a file, it makes a new one.
    GrowingFile(const std::filesystem::path& path, std::uint64_t size, const std::string& sha256);

    // Continues with a file that is open.
    explicit GrowingFile(OutputFile file);

    void add(std::string_view bytes);
    void flush();
    void sync();  // all but what waits is on the disk when it returns

    // When they return, nothing waits, but it may not be on the disk; finish() also closes the file
    // after it is on the disk, nothing may follow it.
    void write_all();
    void finish();

    // Returns what another program has done to it: see OutputFile.
    [[nodiscard]] std::string disturbance() const { return file_ ? file_->disturbance() : ""; }

    // Returns why rows wait; empty if none does.
    [[nodiscard]] const std::error_code& problem() const { return problem_; }
    [[nodiscard]] const std::string& waiting() const { return gathered_; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    // Return the length and the hash of the file now, without what waits; then after the last
    // sync(), or when it was opened.
    [[nodiscard]] std::uint64_t size() const { return file_ ? file_->size() : 0; }
    [[nodiscard]] std::string hash() const { return file_ ? file_->hash() : ""; }
    [[nodiscard]] std::uint64_t synced_size() const { return synced_size_; }
    [[nodiscard]] const std::string& synced_hash() const { return synced_hash_; }

private:
    void open();
    void keep(OutputFile file);

    std::filesystem::path path_;
    std::optional<OutputFile> file_;
    std::string gathered_;
    std::error_code problem_;
    std::uint64_t synced_size_ = 0;
    std::string synced_hash_;
    std::chrono::steady_clock::time_point last_flush_ = std::chrono::steady_clock::now();
};

// Notes in the log about a file: one when rows begin to wait, one when none does any more, and one
// when another program has changed the file.
class FileNotes {
public:
    // `rows_wait` states where and until when, `rows_are_written` is reported afterwards.
    void note_waiting(const GrowingFile& file, spdlog::logger& log, std::string_view rows_wait,
                      std::string_view rows_are_written);
    void note_disturbance(const GrowingFile& file, spdlog::logger& log);
    [[nodiscard]] bool is_waiting() const { return is_waiting_; }

private:
    bool is_waiting_ = false;
    bool is_disturbed_ = false;  // rows are lost
};

// The cells of a row below the names of their columns.
using Cells = std::vector<std::pair<std::string, double>>;

// Return the cells of a batch of this set, and of a whole set with minimum, maximum and deviation.
Cells batch_cells(const std::vector<Column>& columns, std::span<const double> values,
                  StatisticSet set);
Cells set_cells(const std::vector<Column>& columns, const std::vector<Aggregate>& aggregates);

// A table of comma-separated values. Rows wait as in a growing file, but not for sync() and
// finish(). Gathered rows are written on destruction if possible.
class CsvFile : public GrowingFile {
public:
    // The header has these names, and those of the cells.
    CsvFile(OutputFile file, const std::vector<std::string>& header, const Cells& cells = {});

    // Continues a table that has its header.
    explicit CsvFile(OutputFile file) : GrowingFile(std::move(file)) {}
    ~CsvFile() { flush(); }
    CsvFile(const CsvFile&) = delete;
    CsvFile& operator=(const CsvFile&) = delete;

    // Add one cell after the other, then end the row.
    void add(std::string_view text);
    void add(std::uint64_t number);
    void add(double number);  // in full precision
    void add(const Cells& cells);
    void end_row();

    // When it returns, all rows are on the disk.
    void sync();

private:
    void add_cell(std::string_view text);

    std::string row_;
    bool is_row_begun_ = false;
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
        FileNotes notes = {};
    };
    void end_row(Table& table);
    template <class Work>
    void each_file(Work work);

    std::filesystem::path folder_;
    const std::vector<Column>& columns_;
    spdlog::logger& log_;
    std::uint64_t first_epoch_;
    bool is_muted_ = false;
    bool has_plain_rate_ = true;  // not in every table of an older ptp
    std::deque<Table> tables_;    // episodes, training epochs, the other sets
};

}  // namespace ptp::engine
