// Image files that are decoded when their samples are requested.
#pragma once

#include "image_values.hpp"

#include <image_reading.hpp>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

// The extent of the check of files before a training begins: only their headers, or their whole
// content.
enum class FileCheck { kHeads, kAll };

struct BadFile {
    size_t index = 0;
    std::string problem;  // a sentence that begins with the path
};

// Calls `look` with each number below `count`, in several threads, and returns the numbers for
// which it threw, with the text of the exception. The number is that of a file.
std::vector<BadFile> find_problems(size_t count, const std::function<void(size_t)>& look);

// Returns the unusable files, in the order of `files`. `size`, if given, is the required size.
// `sizes`, if given, receives the sizes of all usable files.
std::vector<BadFile> find_bad_files(const std::vector<std::filesystem::path>& files,
                                    FileCheck check, std::optional<ImageSize> size,
                                    std::vector<ImageSize>* sizes = nullptr);

// Returns a line for each of the first ones, and the number of the others.
std::string list_problems(const std::vector<BadFile>& bad);

// Returns the size in which PictureFiles decodes the file; `least` is that of decode_scaled(), if
// it is called. Throws DataError.
ImageSize decoded_size(const std::filesystem::path& file, const std::optional<ImageSize>& least);

// The lines of a table that name files, one for each.
struct TableLines {
    std::filesystem::path table = {};
    std::vector<int64_t> lines = {};  // empty: the files are not from a table

    // Returns "t.csv:3: " before an error of a file; "" without a table.
    [[nodiscard]] std::string of(size_t file) const {
        return lines.empty() ? "" : table.string() + ":" + std::to_string(lines[file]) + ": ";
    }
};

class PictureFiles {
public:
    // `remedy` ends the message about an unreadable file.
    PictureFiles(std::vector<std::filesystem::path> files, int64_t channels, ImageValues values,
                 std::string remedy = "")
        : files_(std::move(files)),
          channels_(channels),
          values_(std::move(values)),
          remedy_(std::move(remedy)) {}

    // Makes JPEG files be decoded at a reduced size, but not smaller than this.
    void decode_scaled(ImageSize least) { least_ = least; }

    // Makes errors begin with the line of a table that names the file.
    void come_from(TableLines lines) { lines_ = std::move(lines); }

    [[nodiscard]] int64_t size() const { return static_cast<int64_t>(files_.size()); }

    // Decodes the files with these numbers, in their order: [B, channels, H, W]. REQUIRES: all
    // images are shown in the size `shown`. Throws DataError for an unreadable file. [any]
    [[nodiscard]] at::Tensor images(std::span<const int64_t> numbers, ImageSize shown) const;

private:
    [[nodiscard]] ptp::support::Image read(size_t index, std::vector<uint8_t> memory,
                                           const ptp::support::RowSink& rows) const;

    std::vector<std::filesystem::path> files_;
    int64_t channels_;
    ImageValues values_;
    std::string remedy_;
    TableLines lines_;
    std::optional<ImageSize> least_;
};
