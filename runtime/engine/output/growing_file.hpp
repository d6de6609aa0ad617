// A file that rows are added to, and that a resumed run continues with where it was right.

#pragma once

#include "base/output_file.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace ptp::engine {

// Rows are gathered and written at least once a second while rows come. What cannot be written,
// because the disk is full for example, waits until it can; where too much waits, that is a
// RunError with the system's words. The file never holds a part of what was given to one add().
// Rows that are still gathered when it is destroyed are lost: sync() comes first.
class GrowingFile {
public:
    // Makes a new file, in a new folder if need be; where there is no room for it yet, rows wait.
    explicit GrowingFile(std::filesystem::path path);

    // Continues with one that exists, after its first `size` bytes: see OutputFile::append(). With
    // neither bytes nor a file, it makes a new one.
    GrowingFile(const std::filesystem::path& path, std::uint64_t size, const std::string& sha256);

    void add(std::string_view bytes);
    void flush();
    void sync();  // all but what waits is on the disk when it returns

    // Returns what another program has done to it: see OutputFile.
    [[nodiscard]] std::string disturbance() const { return file_ ? file_->disturbance() : ""; }

    // Returns why rows wait; empty if none does.
    [[nodiscard]] const std::error_code& problem() const { return problem_; }
    [[nodiscard]] const std::string& waiting() const { return gathered_; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    // Return the length and the hash of the file after the last sync(), or when it was opened.
    [[nodiscard]] std::uint64_t synced_size() const { return synced_size_; }
    [[nodiscard]] const std::string& synced_hash() const { return synced_hash_; }

private:
    void open();

    std::filesystem::path path_;
    std::optional<OutputFile> file_;
    std::string gathered_;
    std::error_code problem_;
    std::uint64_t synced_size_ = 0;
    std::string synced_hash_;
    std::chrono::steady_clock::time_point last_flush_ = std::chrono::steady_clock::now();
};

}  // namespace ptp::engine
