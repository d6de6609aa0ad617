// A file that rows are added to, and that a resumed run goes on with where it was right.

#pragma once

#include "engine/checkpoint/file.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::engine {

// Rows are gathered and written at least once a second while rows come. Throws RunError with the
// system's words. What is still gathered when it is destroyed is lost: sync() comes first.
class GrowingFile {
public:
    // Makes a new file.
    explicit GrowingFile(const std::filesystem::path& path);

    // Goes on with one that exists, after its first `size` bytes: see OutputFile::append().
    GrowingFile(const std::filesystem::path& path, std::uint64_t size);

    void add(std::string_view bytes);
    void flush();
    void sync();  // all is on the disk when it returns

    // What the file held after the last sync(), or when it was opened.
    [[nodiscard]] std::uint64_t synced_size() const { return synced_size_; }

private:
    OutputFile file_;
    std::string gathered_;
    std::uint64_t synced_size_ = 0;
    std::chrono::steady_clock::time_point last_flush_ = std::chrono::steady_clock::now();
};

}  // namespace ptp::engine
