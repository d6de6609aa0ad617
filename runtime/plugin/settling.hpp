// Whether a file that somebody writes is done: it has not changed for a while.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace ptp::plugin {

// What changes when a file's content does. For a link, the state of the file that it leads to.
struct FileState {
    bool exists = false;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t changed_ns = 0;  // the system's time of the last change, of attributes too

    bool operator==(const FileState&) const = default;
};

// A file that cannot be reached does not exist.
FileState state_of(const std::filesystem::path& path);

// Decides from repeated observations of a file whether its content has settled.
class Settling {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    // `quiet`: for how long a settled file has not changed; 0: it is settled as soon as it is seen.
    explicit Settling(std::chrono::milliseconds quiet) : quiet_(quiet) {}

    // Times never go back.
    void seen(const FileState& state, TimePoint now);

    // At the time when the file was last seen. A file that does not exist is never settled.
    [[nodiscard]] bool is_settled() const { return is_settled_; }

    // When it will be, unless it changes; nullopt for a file that does not exist.
    [[nodiscard]] std::optional<TimePoint> settles_at() const;

    // As it was last seen.
    [[nodiscard]] const FileState& state() const { return state_; }

private:
    std::chrono::milliseconds quiet_;
    FileState state_;
    TimePoint since_ = TimePoint::min();
    bool is_settled_ = false;
};

}  // namespace ptp::plugin
