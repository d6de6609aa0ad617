// How fast the engine trains beside a loop written by hand, in turns in one process.
#pragma once

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <vector>

namespace ptp::bench {

struct Rates {
    std::vector<double> by_clock;  // episodes a second
    std::vector<double> by_cpu;    // episodes a second of this thread's own time
};

// What this thread computed, whatever else the machine did.
inline double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

template <class Loop>
void measure(Loop& loop, int episodes, Rates& rates) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const double cpu_begin = cpu_seconds();
    loop.run(episodes);
    rates.by_cpu.push_back(episodes / (cpu_seconds() - cpu_begin));
    rates.by_clock.push_back(episodes /
                             std::chrono::duration<double>(Clock::now() - begin).count());
}

// Runs both loops in each round and prints the ratio of their rates.
template <class ByHand, class ByEngine>
void compare(const std::string& title, ByHand& by_hand, ByEngine& by_engine, int rounds,
             int episodes) {
    Rates hand;
    Rates engine;
    std::vector<double> ratios;
    for (int i = 0; i < rounds; ++i) {
        measure(by_hand, episodes, hand);
        measure(by_engine, episodes, engine);
        ratios.push_back(engine.by_clock.back() / hand.by_clock.back());
    }
    fmt::print("{}, {} threads, {} rounds of {} episodes\n", title, at::get_num_threads(), rounds,
               episodes);
    fmt::print("  by hand    {:8.1f} episodes/s (median)\n", median(hand.by_clock));
    fmt::print("  engine     {:8.1f} episodes/s (median)\n", median(engine.by_clock));
    fmt::print("  ratio      {:8.3f} of medians, {:.3f} median of rounds\n",
               median(engine.by_clock) / median(hand.by_clock), median(ratios));
    fmt::print("  CPU time   {:8.3f} of medians, of the thread that trains\n",
               median(engine.by_cpu) / median(hand.by_cpu));
}

}  // namespace ptp::bench
