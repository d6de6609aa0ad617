// A file on its way to become a generation: it is copied to the private folder, and the copy is
// judged without running its code. What comes of it is loaded with Loader::load().
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
    kInspect     // the copy is judged
};

std::string_view to_string(StagePhase phase);

// what(): "/x/vision.so: cannot be swapped in (stage): is cut off: ..."; "cannot be swapped in now
// (stage): ..." of one that is refused for now.
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
    std::string name = {};  // of the copy; "": the file's name
    // Of the active generations. A file with one of these is not staged.
    std::vector<std::string> active_hashes = {};
    // For how long the file must not change before it is read; 0 if that is known already.
    std::chrono::milliseconds quiet{200};
    // How long a file is waited for that is not there, that changes or that is cut off.
    std::chrono::milliseconds limit{10'000};
};

// How time passes.
struct StageClock {
    std::function<Settling::TimePoint()> now;
    // Returns after so long, or earlier. What it throws ends the staging, which leaves nothing.
    std::function<void(std::chrono::milliseconds)> wait;

    // That of the system.
    static StageClock real();
};

// nullopt: unchanged, the file is the same as an active generation's. A copy that does not pass is
// removed. Throws StageError, and what clock.wait throws. [any], one thread for each `copies`
std::optional<Staged> stage(const StageRequest& request, PrivateCopies& copies,
                            const StageClock& clock = StageClock::real());

}  // namespace ptp::plugin
