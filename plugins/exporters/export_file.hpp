// A file that grows from batch to batch and that a resumed run continues with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

// The file is opened for each write alone, so that a newer build of the plugin can continue with
// it, below the run's folder and without following links. Throws ptp::SystemError with the file's
// name and the system's words, and ptp::DataError if the file is not as it was left. What could be
// written in part is not in the file.
class ExportFile {
public:
    // `name`: its path from the folder.
    ExportFile(std::filesystem::path folder, std::filesystem::path name)
        : folder_(std::move(folder)), name_(std::move(name)) {}

    [[nodiscard]] std::filesystem::path path() const { return folder_ / name_; }

    // How many bytes it has, as far as this one has written it. 0: the next write makes it new.
    [[nodiscard]] uint64_t size() const { return size_; }

    // Adds to its end. What was written is seen by others when it returns.
    void append(std::string_view bytes) {
        write(bytes, size_);
        hash_ = hash_of(bytes, hash_);
    }

    // Makes the file with a head that is replaced later, and that hash() leaves out.
    void begin(std::string_view head) {
        write(head, 0);
        head_size_ = head.size();
    }

    // Of what was added: a checkpoint keeps it, so that damage is noticed. FNV-1a of 64 bits.
    [[nodiscard]] uint64_t hash() const { return hash_; }
    [[nodiscard]] uint64_t head_size() const { return head_size_; }

    // Replaces its first bytes. REQUIRES: it has as many.
    void replace_head(std::string_view bytes) { write(bytes, 0); }

    // Brings to the disk what was written.
    void sync() const;

    // The facts that a checkpoint keeps of a file.
    struct Saved {
        uint64_t size = 0;
        uint64_t head_size = 0;
        std::optional<uint64_t> hash = {};  // older checkpoints have none, and no size of a head
    };

    // Continues after the bytes of a file that was written earlier; the others are removed. False
    // if there is no such file: the next write makes a new one.
    bool go_on_after(const Saved& saved);

private:
    static constexpr uint64_t kFirstHash = 0xcbf29ce484222325;
    static uint64_t hash_of(std::string_view bytes, uint64_t hash);

    void write(std::string_view bytes, uint64_t at);
    [[nodiscard]] uint64_t hash_in_file(const Saved& saved) const;
    [[nodiscard]] uint64_t head_in_file() const;

    std::filesystem::path folder_;
    std::filesystem::path name_;
    uint64_t size_ = 0;
    uint64_t head_size_ = 0;
    uint64_t hash_ = kFirstHash;
};
