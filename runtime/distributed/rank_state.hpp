// The activity of a process of a training, in a small file that is mapped into its memory: it can
// be read after the process was killed, and while it hangs.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::distributed {

enum class Phase : std::uint32_t {
    kStarting,
    kJoining,  // waits for the other processes
    kTraining,
    kValidating,
    kSaving,
    kSwapping,
    kEnding
};

// The cause of a process's failure.
enum class Cause : std::uint32_t {
    kNone,
    kOwn,
    kPeer,  // another one has failed, hangs or is unreachable
    kHung   // it no longer runs: the launcher has noticed, and kills it
};

// The state of a process; a reader sees the current value of each part.
struct RankStatus {
    std::int64_t pid = 0;
    std::string host = {};
    std::uint64_t beats = 0;
    Phase phase = Phase::kStarting;
    std::int64_t episode = 0;
    std::string component = {};          // computing; "": none
    std::string collective = {};         // in progress; "": none
    std::uint64_t collective_count = 0;  // number of collectives begun
    std::string last_component = {};     // the last one that has computed, or computes
    std::string last_collective = {};
    Cause cause = Cause::kNone;
    std::string error = {};
};

// The file of one process. Each call only stores into memory. [any], except names of components,
// collectives and the error; one thread at a time sets each.
class RankState {
public:
    // Makes a new file, replacing an existing one. Throws RunError with kTrainingError.
    RankState(const std::filesystem::path& file, std::string_view host);
    ~RankState();
    RankState(const RankState&) = delete;
    RankState& operator=(const RankState&) = delete;

    // Called from time to time, as long as the process runs at all.
    void beat();
    void enter(Phase phase);
    void begin_episode(std::int64_t number);
    void enter_component(std::string_view name);
    void leave_component();
    void enter_collective(std::string_view name);
    void leave_collective();
    // Records the cause; the first one remains.
    void fail(Cause cause, std::string_view error);

    struct Layout;

private:
    Layout* layout_;
};

// Records in the file of another process, if it exists, that it hangs, which explains its end to
// the others; its own cause remains.
void note_hung(const std::filesystem::path& file);

// Returns nullopt if there is no such file, or it is not a state file.
std::optional<RankStatus> read_rank_state(const std::filesystem::path& file);

// Returns the content of the file, for processes that cannot see it, "" if there is none; and what
// it states, nullopt for another text.
std::string rank_state_bytes(const std::filesystem::path& file);
std::optional<RankStatus> rank_status(std::string_view bytes);

// Returns "training, episode 12, last component net, last collective gradients 3 (number 40)".
std::string text_of(const RankStatus& status);

}  // namespace ptp::distributed
