// The samples of tar shards (WebDataset's convention): members whose names share everything before
// the first dot of the file's name are one sample.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// The place of a member's content.
struct TarPlace {
    uint32_t shard = 0;
    uint32_t size = 0;  // in bytes; 0: there is no such member
    uint64_t offset = 0;
};

struct TarMember {
    std::string name;
    TarPlace place;
};

// Returns the files in the folder that the patterns name, in their order: names with `{000..099}`
// for a range of numbers, and with * and ? for any characters, whose files come in the order of
// their names. Throws DataError for a pattern without a file.
std::vector<std::filesystem::path> find_shards(const std::filesystem::path& folder,
                                               const std::vector<std::string>& patterns);

// Shards that stay open for reading, if they are not too many.
class TarShards {
public:
    explicit TarShards(std::vector<std::filesystem::path> paths);
    ~TarShards();
    TarShards(const TarShards&) = delete;
    TarShards& operator=(const TarShards&) = delete;

    [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(paths_.size()); }
    [[nodiscard]] const std::filesystem::path& path(uint32_t shard) const { return paths_[shard]; }

    // Returns the regular files of a shard in their order, by reading headers alone. Throws
    // DataError, with the offset, for a header or a content that is damaged or cut off. [any]
    [[nodiscard]] std::vector<TarMember> members(uint32_t shard) const;

    // Reads a member's content. Throws DataError. [any]
    void read(const TarPlace& place, std::string& content) const;

private:
    [[nodiscard]] std::string read_at(uint32_t shard, int file, uint64_t offset,
                                      uint64_t size) const;

    std::vector<std::filesystem::path> paths_;
    std::vector<int> files_;  // as paths_; empty if there are too many
};
