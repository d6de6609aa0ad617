// status.json: the state of a run for other programs.
//
// Keys: format, state ("running", "done", "stopped" by a signal, "failed"), reason and exit_code
// (null while it runs), episode and epoch (the number done, and the number begun), seconds (of
// training, in all processes together), last and best (null or {set, episode, epoch, loss,
// statistics}), began and ended (RFC 3339, null while it runs), and the process: pid, host, boot,
// process_began.

#pragma once

#include "run/measurement.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::run {

// The process that works on a run, as recorded by itself.
struct ProcessNote {
    std::int64_t pid = 0;
    std::string host;
    std::string boot;                    // boot_id of the host
    std::optional<std::uint64_t> began;  // in ticks since the boot
};

struct Status {
    std::string state;
    std::string reason;
    std::optional<std::int64_t> exit_code;
    std::int64_t episode = 0;
    std::int64_t epoch = 0;
    std::optional<double> seconds;
    std::optional<Measurement> last;
    std::optional<Measurement> best;
    std::string began;
    std::string ended;
    std::optional<ProcessNote> process;

    // True if the file has the state and the number of episodes.
    bool is_whole = true;
};

// The reason of a run that was stopped by --stop-after.
inline constexpr std::string_view kStopAfterReason = "--stop-after";

// The reason of a run that was stopped by `ptprun control RUN stop`.
inline constexpr std::string_view kStopRequestReason = "control stop";

// Parses the text of the file; `file` is for errors. The content is not trusted: missing values and
// values of another type become 0, "" or empty. Throws NewerFormat, and RunError with kDataError
// for anything but a JSON object.
Status status_from(const std::string& text, const std::filesystem::path& file);

// Throws as status_from() and read_text() do.
Status read_status(const std::filesystem::path& file);

// Replaces the whole file. Throws RunError.
void write_status(const std::filesystem::path& file, const Status& status);

// The parts from which a signal handler, which cannot allocate memory, writes the file when the
// process crashes: kCrashBeforeReason, the reason as within the quotes of a JSON string,
// kCrashBeforeCode, the exit code, and crash_rest().
inline constexpr std::string_view kCrashBeforeReason =
    "{\n  \"format\": 2,\n  \"state\": \"failed\",\n  \"reason\": \"";
inline constexpr std::string_view kCrashBeforeCode = "\",\n  \"exit_code\": ";
std::string crash_rest(const Status& status);

}  // namespace ptp::run
