// Why a swap was refused, and in which phase. The training goes on with what it had.

#pragma once

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

// what(): "(migrate): ...".
class SwapError : public std::runtime_error {
public:
    SwapError(SwapPhase phase, const std::string& reason);

    // From what() of another one, of a child process; of this phase if it is none.
    static SwapError from_text(const std::string& text, SwapPhase phase);

    [[nodiscard]] SwapPhase phase() const { return phase_; }

private:
    SwapPhase phase_;
};

// "/x/vision.so, /x/losses.so: cannot be swapped in (migrate): ...", for a person.
std::string refusal_text(const std::vector<std::filesystem::path>& files, const SwapError& error);

// Does the work of a phase; whatever goes wrong in it becomes a SwapError of that phase.
template <class Work>
auto in_phase(SwapPhase phase, Work work) {
    try {
        return work();
    } catch (const SwapError&) {
        throw;
    } catch (const std::exception& error) {
        throw SwapError(phase, error.what());
    }
}

}  // namespace ptp::engine
