// Receives files over HTTP and HTTPS, by libcurl.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ptp::tools {

inline constexpr long kWholeFile = 200;
inline constexpr long kRestOfFile = 206;
inline constexpr long kNotFound = 404;
inline constexpr long kGone = 410;
inline constexpr long kNothingThere = 416;  // behind the end of the file

struct DownloadRequest {
    std::string address;
    std::string program;     // which asks
    std::uint64_t from = 0;  // the byte that it begins with, where the server can do that
    // Takes the bytes as they come, with kWholeFile or kRestOfFile; false ends the download. An
    // exception of it passes on to the caller.
    std::function<bool(long status, std::string_view bytes)> take;
};

// Redirections are followed five times, from https:// to https:// alone. Returns the status, which
// may be that of a file that is not there. Throws WithFix<RunError> with kTrainingError where the
// network or the server fails.
long download(const DownloadRequest& request);

}  // namespace ptp::tools
