// status.json: what a run is doing, or how it ended, for other programs.
//
// Keys: format, state ("running", "done", "stopped" by a signal, "failed"), reason and exit_code
// (null while it runs), episode and epoch (how many are done, and how many begun), seconds (of
// training, all processes together), last and best (null or {set, episode, epoch, loss,
// statistics}), began and ended (RFC 3339, null while it runs), and which process it is: pid, host,
// boot, process_began.

#pragma once

#include "run/measurement.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::run {

// Which process works on a run, as it noted itself.
struct ProcessNote {
    std::int64_t pid = 0;
    std::string host;
    std::string boot;                    // the host's, by its boot_id
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

    // Whether the file has the state and the number of episodes.
    bool is_whole = true;
};

// The reason of a run that --stop-after has stopped.
inline constexpr std::string_view kStopAfterReason = "--stop-after";

// The reason of one that `ptprun control RUN stop` has stopped.
inline constexpr std::string_view kStopRequestReason = "control stop";

// The content of the file's text; `file` is for errors. Nothing is trusted: what is missing or has
// another type is 0, "" or nothing. Throws NewerFormat, and RunError with kDataError for what is
// not a JSON object.
Status status_from(const std::string& text, const std::filesystem::path& file);

// Throws RunError, as read_text() does, too.
Status read_status(const std::filesystem::path& file);

// Replaces the file as a whole. Throws RunError.
void write_status(const std::filesystem::path& file, const Status& status);

// A signal handler, which can allocate nothing, makes the file of a process that crashes of these:
// the first text, the reason as within the quotes of a JSON string, the second, the exit code, the
// third.
inline constexpr std::string_view kCrashBeforeReason =
    "{\n  \"format\": 2,\n  \"state\": \"failed\",\n  \"reason\": \"";
inline constexpr std::string_view kCrashBeforeCode = "\",\n  \"exit_code\": ";
std::string crash_rest(const Status& status);

}  // namespace ptp::run
