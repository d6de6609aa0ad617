// The refusal of a swap, and its phase. The training continues as before.

#pragma once

#include "base/exit_code.hpp"
#include "base/phase_error.hpp"
#include "engine/component/component_error.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

enum class SwapPhase : std::int32_t {
    kStage = 1,  // the file is copied
    kInspect,    // checks the copy without running its code, and its place in the pipeline
    kLoad,       // its code runs from here
    kCreate,
    kMigrate,   // moves the state of the old components into the new ones
    kRehearse,  // one batch, forward and backward
    kCommit,
};

std::string_view phase_name(SwapPhase phase);

// The error; what() is "(migrate): ...", or "now (migrate): ..." if refused for now: the disk was
// full, or the current batch is bad with the running build too.
class SwapError : public PhaseError<SwapPhase> {
public:
    // `code` is kTrainingError if the system lacks space, descriptors or memory, which is no
    // evidence about the build.
    SwapError(SwapPhase phase, const Explanation& cause, RefusedFor refused_for = RefusedFor::kGood,
              ExitCode code = kPluginError);

    [[nodiscard]] ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

// Returns "/x/vision.so, /x/losses.so".
std::string path_list(const std::vector<std::filesystem::path>& files);

// Returns "/x/vision.so, /x/losses.so: cannot be swapped in (migrate): ...", for users, and the
// fix.
Explanation refusal_of(const std::vector<std::filesystem::path>& files, const SwapError& error);

constexpr const char* kMayChangeFix =
    "to take it, continue the run with ptprun resume --set swap.numbers=may_change";

// Does the work of a phase; any error becomes a SwapError of that phase. A file that a component
// could not write is no evidence against a build.
template <class Work>
auto in_phase(SwapPhase phase, Work work, RefusedFor refused_for = RefusedFor::kGood,
              ExitCode code = kPluginError) {
    const auto writing = [&] {
        try {
            return work();
        } catch (const RefusedWrite& error) {
            throw SwapError(phase, error.explanation(), RefusedFor::kNow, kTrainingError);
        }
    };
    return ptp::in_phase<SwapError>(writing, [&](const Explanation& cause, RefusedFor) {
        return SwapError(phase, cause, refused_for, code);
    });
}

}  // namespace ptp::engine
