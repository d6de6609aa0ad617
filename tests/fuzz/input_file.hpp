// Bytes as a file, for readers that take a path.
#pragma once

#include <filesystem>
#include <string_view>

namespace ptp::fuzz {

// Lies in memory, for as long as this object lives.
class InputFile {
public:
    explicit InputFile(std::string_view content);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    [[nodiscard]] std::filesystem::path path() const;

private:
    int descriptor_;
};

}  // namespace ptp::fuzz
