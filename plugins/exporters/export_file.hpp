// A file that grows from batch to batch and that a resumed run continues with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

// The file is opened for each write alone, so that a newer build of the plugin can continue with
// it, below the run's folder and without following links. Throws ptp::SystemError with the file's name and the system's words, and ptp::DataError if
// the file is not as it was left. What could be written in part is not in the file.
class ExportFile {
public:
    // `name`: its path from the folder.
    ExportFile(std::filesystem::path folder, std::filesystem::path name)
        : folder_(std::move(folder)), name_(std::move(name)) {}

    [[nodiscard]] std::filesystem::path path() const { return folder_ / name_; }

    // How many bytes it has, as far as this one has written it. 0: the next write makes it new.
    [[nodiscard]] uint64_t size() const { return size_; }

    // Adds to its end. What was written is seen by others when it returns.
    void append(std::string_view bytes) { write(bytes, size_); }

    // Replaces its first bytes. REQUIRES: it has as many.
    void replace_head(std::string_view bytes) { write(bytes, 0); }

    // Brings to the disk what was written.
    void sync() const;

    // Continues after the first `size` bytes of a file that was written earlier; the others are
    // removed. False if there is no such file: the next write makes a new one.
    bool go_on_after(uint64_t size);

private:
    void write(std::string_view bytes, uint64_t at);

    std::filesystem::path folder_;
    std::filesystem::path name_;
    uint64_t size_ = 0;
};
