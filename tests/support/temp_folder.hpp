#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ptp::test {

// Returns the content of a file. Throws std::runtime_error where it cannot be read.
std::string content_of(const std::filesystem::path& file);

// A new empty folder that is deleted, with all in it, at the end of its scope.
class TempFolder {
public:
    TempFolder();
    ~TempFolder();
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    // Writes a file, and the folders it lies in; returns its full path.
    std::filesystem::path write(const std::filesystem::path& relative,
                                std::string_view content) const;

    [[nodiscard]] std::string read(const std::filesystem::path& relative) const {
        return content_of(path_ / relative);
    }

private:
    std::filesystem::path path_;
};

}  // namespace ptp::test
