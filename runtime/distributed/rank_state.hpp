// What a process of a training is doing, in a small file that is mapped into its memory: it can be
// read after the process was killed, and while it hangs.

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

// "training".
std::string_view to_string(Phase phase);

// Why a process fails.
enum class Cause : std::uint32_t {
    kNone,
    kOwn,
    kPeer,  // another one has failed, hangs or cannot be reached
    kHung   // it does not run any more: the launcher has seen it, and kills it
};

// As a process has it; the reader sees each part as it is at that moment.
struct RankStatus {
    std::int64_t pid = 0;
    std::string host;
    std::uint64_t beats = 0;
    Phase phase = Phase::kStarting;
    std::int64_t episode = 0;
    std::string component;               // that computes; "" for none
    std::string collective;              // that it waits in; "" for none
    std::uint64_t collective_count = 0;  // collectives that it has begun
    std::string last_component;          // the last that has computed, or computes
    std::string last_collective;
    Cause cause = Cause::kNone;
    std::string error;
};

// The file of one process. Each call is some stores into memory. [any], but for names of
// components, collectives and the error; one thread at a time sets each.
class RankState {
public:
    // A new file, in place of one that is there. Throws RunError with kTrainingError.
    RankState(const std::filesystem::path& file, std::string_view host);
    ~RankState();
    RankState(const RankState&) = delete;
    RankState& operator=(const RankState&) = delete;

    // From time to time, for as long as the process runs at all.
    void beat();
    void enter(Phase phase);
    void begin_episode(std::int64_t number);
    void enter_component(std::string_view name);
    void leave_component();
    void enter_collective(std::string_view name);
    void leave_collective();
    // The first cause remains.
    void fail(Cause cause, std::string_view error);

    struct Layout;

private:
    Layout* layout_;
};

// Notes in the file of another process, if there is one, that it hangs; a cause that it has itself
// remains. So its end is no riddle to the others.
void note_hung(const std::filesystem::path& file);

// nullopt where there is no such file, or it is not one of these.
std::optional<RankStatus> read_rank_state(const std::filesystem::path& file);

// "training, episode 12, last component net, last collective gradients 3 (number 40)".
std::string text_of(const RankStatus& status);

}  // namespace ptp::distributed
