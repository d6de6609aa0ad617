// Starts the processes of a training on this host, and watches over them until all have ended.

#pragma once

#include "distributed/rank_state.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptp::distributed {

struct Launch {
    std::filesystem::path program = {};
    std::vector<std::string> arguments = {};  // for every process
    std::int64_t size = 1;
    std::int64_t processors = 0;                        // that they may use; 0: not known
    std::string host = {};                              // the name of this host
    std::map<std::string, std::string> variables = {};  // for every process, besides its place
    // The files of each rank: for its output (rank 0 uses this process's own), and for its state.
    std::vector<std::filesystem::path> logs = {};
    std::vector<std::filesystem::path> states = {};
    // A process that does not run for this time hangs.
    std::chrono::milliseconds timeout = std::chrono::seconds(60);
    // After a failure the others have this time to end by themselves; then they get SIGTERM, ...
    std::chrono::milliseconds patience = std::chrono::seconds(3);
    // ... and after this time SIGKILL. Those that have not ended 10 s later are abandoned.
    std::chrono::milliseconds grace = std::chrono::seconds(10);
};

// The end of one process.
struct RankEnd {
    std::int64_t rank = 0;
    std::int64_t pid = 0;
    int code = 0;                           // exit code; after a signal, 128 + signal
    int signal = 0;                         // the signal that ended it; 0: none
    bool is_hung = false;                   // it was ended because it no longer ran
    bool was_halted = false;                // by SIGSTOP or the like, when it ended
    bool was_asked_to_end = false;          // ended by the launcher, or after its request to end
    bool is_stuck = false;                  // it was killed, but has not ended
    std::optional<RankStatus> status = {};  // its last activity
};

// Returns false for a process that was done, or that a signal has asked to stop: then all may take
// their time.
[[nodiscard]] bool is_failure(const RankEnd& end);

struct LaunchEnd {
    std::vector<RankEnd> ranks = {};  // in the order of their ends
    int signal = 0;                   // received and passed on by this process; 0: none
    std::string problem = {};         // why not all were started; "" if all were
};

// Passes each SIGHUP, SIGINT, SIGTERM and SIGUSR1 on to all, and halts with all at SIGTSTP. All of
// them end with this process, even if it is killed: they get SIGTERM. Does not throw for failed
// processes; throws RunError if there is no port for them to meet at. [main], with no other thread
LaunchEnd run_processes(const Launch& launch);

}  // namespace ptp::distributed
