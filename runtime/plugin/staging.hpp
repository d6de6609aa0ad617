// Prepares a file to become a generation: copies it to the private folder and checks the copy
// without running its code. The result is loaded with Loader::load().
#pragma once

#include "base/phase_error.hpp"
#include "plugin/catalog.hpp"
#include "plugin/private_copies.hpp"
#include "plugin/settling.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

enum class StagePhase : std::int32_t {
    kStage = 1,  // the file settles and is copied
    kInspect     // the copy is checked
};

std::string_view to_string(StagePhase phase);

// An error of staging; what(): "/x/vision.so: cannot be swapped in (stage): is cut off: ...";
// "cannot be swapped in now (stage): ..." for one that is refused for now.
class StageError : public PhaseError<StagePhase> {
public:
    StageError(const std::filesystem::path& path, StagePhase phase, const Explanation& cause,
               RefusedFor refused_for = RefusedFor::kGood);
};

struct Staged {
    std::filesystem::path source;  // absolute
    CatalogEntry copy;
    std::string hash;  // SHA-256 of the copy, in hexadecimal digits
};

struct StageRequest {
    std::filesystem::path file = {};
    std::string name = {};  // of the copy; "": that of the file
    // The hashes of the active generations. A file with one of these is not staged.
    std::vector<std::string> active_hashes = {};
    // The time that the file must not change before it is read; 0 if that has been checked already.
    std::chrono::milliseconds quiet{200};
    // The time to wait for a file that is missing, changing or truncated.
    std::chrono::milliseconds limit{10'000};
};

// The source of time, which tests can replace.
struct StageClock {
    std::function<Settling::TimePoint()> now;
    // Returns after this time, or earlier. An exception ends the staging without leftovers.
    std::function<void(std::chrono::milliseconds)> wait;

    // Returns the clock of the system.
    static StageClock real();
};

// Copies and checks the file. Returns nullopt if it is the same as an active generation's. A copy
// that fails the check is removed. Throws StageError, and exceptions of clock.wait. [any], one
// thread for each `copies`
std::optional<Staged> stage(const StageRequest& request, PrivateCopies& copies,
                            const StageClock& clock = StageClock::real());

// Copies a file that was in this state, with what travels with it, without waiting or checking; the
// manifest of the result is empty. Returns nullopt if it is the same as an active generation's.
// Throws UnfinishedFile where it has changed meanwhile, and what PrivateCopies throws.
std::optional<Staged> copy_once(const StageRequest& request, PrivateCopies& copies,
                                const std::filesystem::path& source, const FileState& state);

}  // namespace ptp::plugin
