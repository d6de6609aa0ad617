// Starts the processes of a training on this host, and watches over them until all have ended.

#pragma once

#include "distributed/rank_state.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptp::distributed {

struct Launch {
    std::filesystem::path program = {};
    std::vector<std::string> arguments = {};  // of every process
    std::int64_t size = 1;
    std::string host = {};                              // the name of this one
    std::map<std::string, std::string> variables = {};  // of every process, besides its place
    // Of each rank: what it prints (rank 0 prints where this process does), and what it is doing.
    std::function<std::filesystem::path(std::int64_t rank)> log = {};
    std::function<std::filesystem::path(std::int64_t rank)> state = {};

    // A process that does not run for so long hangs.
    std::chrono::milliseconds timeout = std::chrono::seconds(60);
    // After a failure the others may end by themselves for so long; then they get SIGTERM, ...
    std::chrono::milliseconds patience = std::chrono::seconds(3);
    // ... and after so long SIGKILL. One that has not ended 10 s later is left to itself.
    std::chrono::milliseconds grace = std::chrono::seconds(10);
};

// How one process ended.
struct RankEnd {
    std::int64_t rank = 0;
    std::int64_t pid = 0;
    int code = 0;             // exit code; with a signal 128 and the signal
    int signal = 0;           // that ended it; 0: none did
    bool is_hung = false;     // it was ended because it did not run any more
    bool was_halted = false;  // by SIGSTOP or the like, at that time
    bool was_told = false;    // it was ended by the launcher, or after it was asked to end by it
    bool is_stuck = false;    // it was killed, and has not ended
    std::optional<RankStatus> status = {};  // what it was doing
};

// Not of one that was done, nor of one that a signal has asked to stop: all take their time then.
[[nodiscard]] bool is_failure(const RankEnd& end);

struct LaunchEnd {
    std::vector<RankEnd> ranks = {};  // in the order in which they ended
    int signal = 0;                   // that this process got, and has passed on; 0: none
    std::string problem = {};         // why not all were started; "" if they were
};

// Passes SIGHUP, SIGINT, SIGTERM and SIGUSR1 on to all, once for each time that they come, and
// halts with all at SIGTSTP. All of them end with this process, even if it is killed: they get
// SIGTERM. Never throws for what becomes of a process; throws RunError where there is no port for
// them to meet at. [main], with no other thread
LaunchEnd run_processes(const Launch& launch);

}  // namespace ptp::distributed
