// A reader of zip archives: entries by name. Independent of libtorch.

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

struct zip;

namespace ptp::engine {

// Throws RunError with kDataError, which names the file. The checksums of read entries are
// verified.
class ZipFile {
public:
    explicit ZipFile(const std::filesystem::path& path);

    struct Entry {
        std::uint64_t number;
        std::uint64_t size;  // in bytes
        bool is_plain;       // not compressed: its size is at most the file's
    };
    [[nodiscard]] const std::map<std::string, Entry>& entries() const { return entries_; }

    // Reads a whole entry into memory that is large enough. Compressed ones are refused: PyTorch
    // does not compress tensors.
    void read(const Entry& entry, void* to) const;

    [[noreturn]] void refuse(const std::string& problem) const;

private:
    struct Discard {
        void operator()(zip* archive) const;
    };

    std::filesystem::path path_;
    std::unique_ptr<zip, Discard> archive_;
    std::map<std::string, Entry> entries_;
};

}  // namespace ptp::engine
