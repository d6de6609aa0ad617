// A file of JSON objects, one in each line, to which a run appends lines. A last line without an
// end was being written when the process was killed: it does not count.

#pragma once

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/value.hpp"
#include "run/format.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::run {

// [main]
class LineFile {
public:
    // Reads where the last line ends, and cuts off what follows it. The file is made with the first
    // line. Throws RunError.
    explicit LineFile(std::filesystem::path path);

    // Appends a line, which outlives the process. Throws RunError with kTrainingError; then the
    // file does not have the line.
    void append(const Value& line);

    // Returns when all lines are on the disk, where they outlive the machine's power. Throws
    // RunError with kTrainingError.
    void sync();

private:
    std::filesystem::path path_;
    std::uint64_t size_ = 0;  // of the whole lines
    bool is_on_disk_ = true;
    std::optional<OutputFile> out_;  // none before the first line, and after a failure
};

// Returns the object in a line. Throws std::exception for anything else.
Value line_value(std::string_view line);

// Calls use(object, number) for each whole line, from 1; no line where there is no such file. What
// it throws, and a line that is not an object, becomes RunError with kDataError,
// "RUN/journal.jsonl:3: ..."; NewerFormat passes.
template <class Use>
void for_each_line(const std::filesystem::path& path, Use use) {
    if (!std::filesystem::exists(std::filesystem::symlink_status(path))) {
        return;
    }
    const std::string text = read_text(path);
    std::size_t begin = 0;
    std::uint64_t number = 1;
    for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; ++number) {
        try {
            use(line_value(std::string_view(text).substr(begin, end - begin)), number);
        } catch (const NewerFormat&) {
            throw;
        } catch (const std::exception& error) {
            throw RunError(kDataError,
                           fmt::format("{}:{}: {}", path.string(), number, error.what()));
        }
        begin = end + 1;
    }
}

}  // namespace ptp::run
