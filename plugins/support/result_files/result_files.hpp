// Writes files of results, such as tables and pictures, below a folder: that of the run, or one
// that the user has chosen. Also makes their names and the cells of CSV tables.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace ptp::support {

// Files are opened below a folder that the user has chosen, such as that of the run: `name` is the
// path relative to it, without "..", and no link on it is followed, so that a manipulated folder
// cannot redirect a write. Missing folders are created. All functions throw ptp::SystemError with
// the file's name and the system's words.

// Owns an open file, and closes it.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int get() const { return number_; }  // negative: none
    [[nodiscard]] int release() { return std::exchange(number_, -1); }

private:
    int number_;
};

// Opens a file with these flags of open(2). Returns none, with the reason in errno, if the file
// itself cannot be opened.
Descriptor open_below(const std::filesystem::path& folder, const std::filesystem::path& name,
                      int flags);

// Writes a whole file: under another name first, so that a reader sees the old or the whole new
// content.
void write_file(const std::filesystem::path& folder, const std::filesystem::path& name,
                std::string_view bytes);

// Throws if write_file() of this name is sure to fail: on a link, or in a folder where this process
// may not write. Creates nothing.
void require_writable(const std::filesystem::path& folder, const std::filesystem::path& name);

// "SECTION_000123.SUFFIX": the name of a file that a component writes of this section and episode.
std::string result_name(std::string_view section, std::uint64_t episode, std::string_view suffix);

// Returns a cell of a table as in RFC 4180: in quotes, with quotes in it doubled, if necessary.
std::string csv_cell(const std::string& text, char separator);

}  // namespace ptp::support
