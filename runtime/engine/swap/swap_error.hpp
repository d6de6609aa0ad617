// Why a swap was refused, and in which phase. The training continues with what it had.

#pragma once

#include "base/exit_code.hpp"
#include "base/phase_error.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

enum class SwapPhase : std::int32_t {
    kStage = 1,  // the file is copied
    kInspect,    // the copy is judged without running its code, and its place in the pipeline
    kLoad,       // its code runs from here
    kCreate,
    kMigrate,   // the state of the old components moves into the new ones
    kRehearse,  // one batch, forward and backward
    kCommit,
};

std::string_view phase_name(SwapPhase phase);

// what(): "(migrate): ..."; "now (migrate): ..." of one that was refused for now: the disk was
// full, or the batch at hand is bad with the running build too.
class SwapError : public PhaseError<SwapPhase> {
public:
    // `code`: kTrainingError where the system lacks room, descriptors or memory, which says nothing
    // about the build.
    SwapError(SwapPhase phase, const std::string& reason,
              RefusedFor refused_for = RefusedFor::kGood, ExitCode code = kPluginError);

    [[nodiscard]] ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

// "/x/vision.so, /x/losses.so"
std::string path_list(const std::vector<std::filesystem::path>& files);

// "/x/vision.so, /x/losses.so: cannot be swapped in (migrate): ...", for a person.
std::string refusal_text(const std::vector<std::filesystem::path>& files, const SwapError& error);

// Does the work of a phase; whatever goes wrong in it becomes a SwapError of that phase.
template <class Work>
auto in_phase(SwapPhase phase, Work work, RefusedFor refused_for = RefusedFor::kGood,
              ExitCode code = kPluginError) {
    return ptp::in_phase<SwapError>(work, [&](const char* reason, RefusedFor) {
        return SwapError(phase, reason, refused_for, code);
    });
}

}  // namespace ptp::engine
