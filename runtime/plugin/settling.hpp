// Detects whether a file that is being written is complete: it has not changed for a while.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace ptp::plugin {

// The state of a file, which changes with its content. For a link, the state of its target.
struct FileState {
    bool exists = false;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t changed_ns = 0;  // the system's time of the last change, including attributes

    bool operator==(const FileState&) const = default;
};

// Returns the state of a file. An inaccessible file counts as missing.
FileState state_of(const std::filesystem::path& path);

// Decides from repeated observations of a file whether its content has settled.
class Settling {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    // `quiet` is how long a settled file has not changed; 0: it is settled as soon as it is seen.
    explicit Settling(std::chrono::milliseconds quiet) : quiet_(quiet) {}

    // Adds an observation. Times must not decrease.
    void seen(const FileState& state, TimePoint now) {
        if (since_ == TimePoint::min() || state != state_) {
            state_ = state;
            since_ = now;
        }
        is_settled_ = state_.exists && now - since_ >= quiet_;
    }

    // Returns whether the file was settled when last seen. A missing file is never settled.
    [[nodiscard]] bool is_settled() const { return is_settled_; }

    // Returns when it will settle unless it changes; nullopt for a missing file.
    [[nodiscard]] std::optional<TimePoint> settles_at() const {
        return state_.exists ? std::optional(since_ + quiet_) : std::nullopt;
    }

    // Returns the last observation.
    [[nodiscard]] const FileState& state() const { return state_; }

private:
    std::chrono::milliseconds quiet_;
    FileState state_;
    TimePoint since_ = TimePoint::min();
    bool is_settled_ = false;
};

}  // namespace ptp::plugin
