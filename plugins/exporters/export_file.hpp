// A file that is appended to for each batch and that a resumed run continues.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

// The file is opened only for each write, so that a newer build of the plugin can continue it,
// below the run's folder and without following links. Throws ptp::SystemError with the file's name
// and the system's words, and ptp::DataError if the file has changed since the last write. Partial
// writes are removed.
class ExportFile {
public:
    // `name` is its path relative to the folder.
    ExportFile(std::filesystem::path folder, std::filesystem::path name)
        : folder_(std::move(folder)), name_(std::move(name)) {}

    [[nodiscard]] std::filesystem::path path() const { return folder_ / name_; }

    // Returns the number of bytes that were written. 0: the next write creates the file.
    [[nodiscard]] uint64_t size() const { return size_; }

    // Appends to the file. The bytes are visible to other processes when it returns.
    void append(std::string_view bytes) {
        write(bytes, size_);
        hash_ = hash_of(bytes, hash_);
    }

    // Creates the file with a header that is replaced later, and that hash() excludes.
    void begin(std::string_view header) {
        write(header, 0);
        header_size_ = header.size();
    }

    // Returns the hash of the appended bytes, 64-bit FNV-1a: a checkpoint keeps it to detect
    // damage.
    [[nodiscard]] uint64_t hash() const { return hash_; }
    [[nodiscard]] uint64_t header_size() const { return header_size_; }

    // Replaces the first bytes. REQUIRES: the file has at least as many.
    void replace_header(std::string_view bytes) { write(bytes, 0); }

    // Flushes the written bytes to disk. Throws ptp::DataError if they are not there any more.
    void sync() const;

    // The facts that a checkpoint keeps of a file.
    struct Saved {
        uint64_t size = 0;
        uint64_t header_size = 0;
        std::optional<uint64_t> hash = {};  // older checkpoints have none, and no size of a header
    };

    // Continues after the saved bytes of an earlier file, removing the others. Returns false if
    // there is no such file: the next write creates a new one.
    bool go_on_after(const Saved& saved);

private:
    static constexpr uint64_t kFirstHash = 0xcbf29ce484222325;
    static uint64_t hash_of(std::string_view bytes, uint64_t hash);

    void require_size(int file) const;
    void write(std::string_view bytes, uint64_t at);
    [[nodiscard]] uint64_t hash_in_file(const Saved& saved) const;
    [[nodiscard]] uint64_t header_size_in_file() const;

    std::filesystem::path folder_;
    std::filesystem::path name_;
    uint64_t size_ = 0;
    uint64_t header_size_ = 0;
    uint64_t hash_ = kFirstHash;
};
