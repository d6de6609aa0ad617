// What a process of a training does, for the tests of the launcher: argument 1 is the folder of the
// ranks, argument 2 + RANK what this one does.

#include "distributed/rank_state.hpp"

#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

using namespace ptp::distributed;

volatile std::sig_atomic_t last_signal = 0;

void remember(int signal) {
    last_signal = signal;
}

void wait_for_signal() {
    sigset_t none;
    sigemptyset(&none);
    while (last_signal == 0) {
        sigsuspend(&none);
    }
}

void wait_until(const std::filesystem::path& folder, int rank, Phase phase) {
    const std::filesystem::path file = folder / (std::to_string(rank) + ".state");
    for (auto status = read_rank_state(file); !status || status->phase < phase;
         status = read_rank_state(file)) {
        sched_yield();
    }
}

// Until all others take signals.
void wait_for_others(const std::filesystem::path& folder, int size) {
    for (int rank = 0; rank < size; ++rank) {
        wait_until(folder, rank, Phase::kTraining);
    }
}

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

}  // namespace

int main(int, char** arguments) {
    const std::string rank = variable("RANK");
    const std::string role = arguments[2 + std::stoi(rank)];
    sigset_t stops;
    sigemptyset(&stops);
    for (const int signal : {SIGINT, SIGTERM}) {
        std::signal(signal, remember);
        sigaddset(&stops, signal);
    }
    sigprocmask(SIG_BLOCK, &stops, nullptr);
    if (role == "hang early") {
        raise(SIGSTOP);
    } else if (role == "connect") {  // as a rank does that waits for another one to connect
        wait_for_signal();
        return 7;
    }
    RankState state(std::filesystem::path(arguments[1]) / (rank + ".state"), "node7");
    state.enter_component("net");
    state.enter(Phase::kTraining);
    wait_for_others(arguments[1], std::stoi(variable("WORLD_SIZE")));
    if (role == "place") {
        for (const char* name : {"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE",
                                 "MASTER_ADDR", "PTP_RUN_FOLDER"}) {
            std::printf("%s=%s\n", name, variable(name).c_str());
        }
        std::printf("launcher %s\n",
                    variable("PTP_LAUNCHER") == std::to_string(getppid()) ? "is parent" : "");
    } else if (role == "kill") {
        raise(SIGKILL);
    } else if (role == "hang") {
        state.beat();
        raise(SIGSTOP);
    } else if (role == "fail") {
        state.fail(Cause::kOwn, "the disk is full");
        return 5;
    } else if (role == "wait") {  // as a rank does whose peers are gone
        wait_for_signal();
        state.fail(Cause::kPeer, "connection closed");
        return 7;
    } else if (role == "stop") {  // as a rank does that is to stop
        wait_for_signal();
        return 128 + last_signal;
    } else if (role == "interrupt parent") {
        kill(getppid(), SIGINT);
        wait_for_signal();
        return 128 + last_signal;
    } else if (role == "hang up and interrupt parent") {
        kill(getppid(), SIGHUP);
        kill(getppid(), SIGINT);
        wait_for_signal();
        return 128 + last_signal;
    } else if (role == "lost") {  // as a rank does that waits for rank 0 no longer
        wait_until(arguments[1], 0, Phase::kSaving);
        state.fail(Cause::kPeer, "timed out");
        return 7;
    } else if (role == "deaf" || role == "deaf while it saves") {
        state.enter(role == "deaf" ? Phase::kTraining : Phase::kSaving);
        for (;;) {
            sigsuspend(&stops);
        }
    }
    return 0;
}
