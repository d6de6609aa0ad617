// A zip archive that is read: its entries by name. Free of libtorch.

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

struct zip;

namespace ptp::engine {

// Throws RunError with kDataError, which names the file. What is read has the checksum that the
// archive has for it.
class ZipFile {
public:
    explicit ZipFile(const std::filesystem::path& path);

    struct Entry {
        std::uint64_t number;
        std::uint64_t size;  // in bytes
        bool is_plain;       // not compressed: its size is at most the file's
    };
    [[nodiscard]] const std::map<std::string, Entry>& entries() const { return entries_; }

    // Reads a whole entry to where there is room for it. A compressed one is refused: PyTorch
    // writes none where it keeps tensors.
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
