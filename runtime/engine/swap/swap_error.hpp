// Why a swap was refused, and in which phase. The training continues with what it had.

#pragma once

#include "base/exit_code.hpp"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
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

// Whether the same build can be expected to pass at another moment: the disk was full, or the batch
// at hand is bad with the running build too.
enum class RefusedFor : std::int32_t { kGood, kNow };

// what(): "(migrate): ..."; "now (migrate): ..." of one that was refused for now.
class SwapError : public std::runtime_error {
public:
    // `code`: kTrainingError where the system lacks room, descriptors or memory, which says nothing
    // about the build.
    SwapError(SwapPhase phase, const std::string& reason,
              RefusedFor refused_for = RefusedFor::kGood, ExitCode code = kPluginError);

    // From what() of another one, of a child process; of this phase if it is none.
    static SwapError from_text(const std::string& text, SwapPhase phase);

    [[nodiscard]] SwapPhase phase() const { return phase_; }
    [[nodiscard]] RefusedFor refused_for() const { return refused_for_; }
    [[nodiscard]] ExitCode code() const { return code_; }

private:
    SwapPhase phase_;
    RefusedFor refused_for_;
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
    try {
        return work();
    } catch (const SwapError&) {
        throw;
    } catch (const std::exception& error) {
        throw SwapError(phase, error.what(), refused_for, code);
    }
}

}  // namespace ptp::engine
