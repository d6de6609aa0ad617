// A table that grows row by row, quoted as in RFC 4180.

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

}  // namespace ptp::engine
