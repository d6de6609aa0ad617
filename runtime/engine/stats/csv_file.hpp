// A table that grows row by row, quoted as RFC 4180 has it.

#pragma once

#include "base/output_file.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ptp::engine {

// Rows are gathered and written at least once a second while rows come, and by flush(). What cannot
// be written, as when the disk is full, waits until it can; for sync() and finish() that
// is a RunError. Rows that are still gathered when it is destroyed are written if that is possible.
class CsvFile {
public:
    CsvFile(OutputFile file, const std::vector<std::string>& header);

    // Continues with a table that has its header.
    explicit CsvFile(OutputFile file);
    ~CsvFile();
    CsvFile(const CsvFile&) = delete;
    CsvFile& operator=(const CsvFile&) = delete;

    // One cell after the other, then the end of the row.
    void add(std::string_view text);
    void add(std::uint64_t number);
    void add(double number);  // in full precision
    void end_row();

    void flush();

    // Why rows wait; empty if none does.
    [[nodiscard]] const std::error_code& problem() const { return problem_; }
    [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }

    // Of the file: see OutputFile.
    [[nodiscard]] std::string hash() const { return file_.hash(); }
    [[nodiscard]] std::string disturbance() const { return file_.disturbance(); }

    // Bytes in the file, without what is still gathered.
    [[nodiscard]] std::uint64_t size() const { return file_.size(); }

    // All rows are on the disk when they return; finish() also closes, nothing may follow it.
    void sync();
    void finish();

    // All rows are in the file when it returns, if not on the disk.
    void write_all();

private:
    void separate();

    OutputFile file_;
    std::string gathered_;
    std::error_code problem_;
    bool is_row_begun_ = false;
    std::chrono::steady_clock::time_point last_flush_;
};

}  // namespace ptp::engine
