// The number of the format that each file of a run's folder begins with. A change that an older ptp
// would misread raises the number of that file; what an older ptp wrote is read as it is; what a
// newer one wrote is refused by name.
//
//   run.json         2   also of the CSV files, which have no number: since 2 they count epochs
//                        from 1, in 1 (without a number) from 0
//   status.json      2   2 counts epochs of `last` and `best` from 1, 1 (without a number) from 0
//   tags.json        1
//   journal.jsonl    2   in each line; those without a number are of format 1. In 2 the schedule
//                        and the warm-up that a `set` changes count from its episode, in 1 from
//                        the start of the training; in 2 each line has a number
//   events.jsonl     1   in each line
//   model.json       1
//   data.json        1
//   plugins.lock     1   in its first line, a comment; without that, 1
//   checkpoint.toml  1   without a number: 1
//   training.toml    1   without a number: 1
//   samples/*        2   in the header's metadata; 1 had the values of components alone

#pragma once

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/value.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ptp::run {

inline constexpr std::int64_t kRecordFormat = 2;
inline constexpr std::int64_t kStatusFormat = 2;
inline constexpr std::int64_t kTagsFormat = 1;
inline constexpr std::int64_t kJournalFormat = 2;
// The format of the journal since which schedules count from their `set`.
inline constexpr std::int64_t kSchedulesCountFromSet = 2;
inline constexpr std::int64_t kEventsFormat = 1;
inline constexpr std::int64_t kPluginsLockFormat = 1;
inline constexpr std::int64_t kCheckpointFormat = 1;
inline constexpr std::int64_t kTrainingFormat = 1;
inline constexpr std::int64_t kSampleValuesFormat = 2;
inline constexpr std::int64_t kModelFormat = 1;
inline constexpr std::int64_t kDataFormat = 1;

inline constexpr const char* kFormatKey = "format";

// Thrown for a file of a newer ptp, with kConfigurationError. what() has the path and what to do.
class NewerFormat : public WithFix<RunError> {
public:
    NewerFormat(const std::filesystem::path& file, std::int64_t found, std::int64_t newest);

    // Returns a sentence for listings: "status.json: written by format 3; this ptprun reads up to
    // 2".
    [[nodiscard]] const std::string& short_text() const { return short_text_; }

private:
    std::string short_text_;
};

// Throws NewerFormat for a number above `newest`, and RunError with kDataError for one below 1.
void check_format(const std::filesystem::path& file, std::int64_t found, std::int64_t newest);

// Returns the number in the table of a file, checked; 1 where there is none. Throws as
// check_format().
std::int64_t format_in(const Value& table, const std::filesystem::path& file, std::int64_t newest);

// Parses the object in `text`; `file` is for errors. Throws NewerFormat for a format above
// `newest`, RunError with kDataError for anything but a JSON object, or for nesting beyond
// kMaxLevels.
Value read_json_table(const std::string& text, const std::filesystem::path& file,
                      std::int64_t newest);

// Returns the text of a file: indented, with a final newline; bytes that are not UTF-8 are
// replaced.
std::string json_text(const Value& table);

// Returns the table in the text of a file, without the format number; `file` is for errors. Throws
// NewerFormat for a format above `newest`, RunError with kDataError and all errors for text that is
// not TOML.
Value toml_table_from(std::string_view text, const std::filesystem::path& file,
                      std::int64_t newest);

// Creates a file and flushes it to disk. Throws RunError.
void write_toml_table(const std::filesystem::path& file, std::int64_t format, const Value& table);

}  // namespace ptp::run
