// What exchanging a plugin costs a training: the pause by phase, for LeNet-5 with Adam, and what a
// thousand exchanges leave behind.
//
//   ptp-bench-swap [SWAPS]
//
// The files are copied and loaded while the training continues: stage, inspect and load are not
// part of the pause.

#include "bench/training_engine.hpp"
#include "control/command.hpp"
#include "engine/swap/generations.hpp"
#include "engine/swap/swapper.hpp"
#include "engine/train/process_setup.hpp"
#include "plugin/private_copies.hpp"
#include "plugin/staging.hpp"
#include "run/journal.hpp"
#include "support/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace {

namespace engine = ptp::engine;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using ptp::bench::TrainingEngine;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

template <class Function>
double milliseconds(Function function) {
    const auto begin = Clock::now();
    function();
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::ptrdiff_t entries(const char* folder) {
    return std::distance(fs::directory_iterator(folder), {});
}

// What a process can lose.
struct Holdings {
    std::ptrdiff_t files = entries("/proc/self/fd");
    std::ptrdiff_t threads = entries("/proc/self/task");
    std::ptrdiff_t mappings = 0;
    double rss_kb = 0;

    Holdings() {
        std::ifstream maps("/proc/self/maps");
        mappings = std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
        std::ifstream status("/proc/self/status");
        for (std::string word; status >> word;) {
            if (word == "VmRSS:") {
                status >> rss_kb;
            }
        }
    }
};

struct Times {
    std::map<engine::SwapPhase, std::vector<double>> phases;
    std::vector<double> records;  // journal.jsonl and plugins.lock, on the disk
    std::vector<double> pause;    // all of it, and the former
    std::vector<double> step;
};

class Bench {
public:
    explicit Bench(TrainingEngine& lenet5)
        : lenet5_(lenet5),
          plugin_(ptp::test::build_dir() / "lib" / "ptp" / "plugins" / "vision_models.so"),
          copies_(lenet5.run_folder() / "plugins"),
          journal_(lenet5.run_folder() / "journal.jsonl", ptp::control::check_entry),
          generations_(lenet5.run_folder()),
          swapper_(lenet5.swapper_parts()) {
        generations_.begin(lenet5.plugins(), 0);
    }

    Times run(int swaps, ptp::experiment::Rehearsal rehearsal) {
        lenet5_.experiment().swap.rehearsal = rehearsal;
        Times times;
        for (int i = 0; i < swaps; ++i) {
            exchange(times);
            times.step.push_back(milliseconds([&] { lenet5_.run(1); }));
        }
        return times;
    }

private:
    // As a training does it between two episodes.
    void exchange(Times& times) {
        const std::vector<ptp::plugin::Staged> files = {
            *ptp::plugin::stage({.file = plugin_, .quiet = std::chrono::milliseconds(0)}, copies_)};
        auto loaded = swapper_.load(files);
        const std::uint64_t episode = lenet5_.place().episode;
        engine::SwapReport report;
        double records = 0;
        times.pause.push_back(milliseconds([&] {
            report = swapper_.swap(std::move(loaded), lenet5_.place(), [&] {
                records += milliseconds([&] {
                    journal_.add({episode, "swap",
                                  ptp::run::swap_arguments(engine::Generations::entry_of(files)),
                                  ""});
                });
            });
            records += milliseconds([&] { generations_.add(files, episode); });
        }));
        times.records.push_back(records);
        for (const auto& [phase, seconds] : report.seconds) {
            times.phases[phase].push_back(seconds * 1e3);
        }
    }

    TrainingEngine& lenet5_;
    fs::path plugin_;
    ptp::plugin::PrivateCopies copies_;
    ptp::run::Journal journal_;
    engine::Generations generations_;
    engine::Swapper swapper_;
};

void print(const char* title, const Times& times) {
    const double step = median(times.step);
    fmt::print("{}, {} swaps, milliseconds (median)\n", title, times.pause.size());
    for (const auto& [phase, all] : times.phases) {
        const bool is_ahead = phase <= engine::SwapPhase::kLoad;
        fmt::print("  {:<28} {:8.3f}{}\n", engine::phase_name(phase), median(all),
                   is_ahead ? "  while it trains" : "");
    }
    fmt::print("  {:<28} {:8.3f}\n", "journal and plugins.lock", median(times.records));
    fmt::print("  {:<28} {:8.3f}\n", "the pause as a whole", median(times.pause));
    fmt::print("  {:<28} {:8.3f}  the pause is {:.2f} of it\n", "one training step", step,
               median(times.pause) / step);
}

void print_holdings(const Holdings& before, const Holdings& after, int swaps) {
    fmt::print("left behind by {} swaps\n", swaps);
    fmt::print("  {:<28} {:8.1f} kB for each\n", "resident memory",
               (after.rss_kb - before.rss_kb) / swaps);
    fmt::print("  {:<28} {:8.1f} for each\n", "mappings",
               static_cast<double>(after.mappings - before.mappings) / swaps);
    fmt::print("  {:<28} {:8} then {}\n", "open files and sockets", before.files, after.files);
    fmt::print("  {:<28} {:8} then {}\n", "threads", before.threads, after.threads);
}

}  // namespace

int main(int argc, char** argv) {
    const int swaps = argc > 1 ? std::atoi(argv[1]) : 1000;
    engine::set_up_process();
    engine::bind_blas_threads();
    TrainingEngine lenet5(ptp::bench::kLenet5);
    lenet5.run(30);
    Bench bench(lenet5);
    bench.run(10, ptp::experiment::Rehearsal::kThread);
    const int rehearsed = swaps / 10 + 1;
    print("LeNet-5, Adam, batch 64, without rehearsal",
          bench.run(rehearsed, ptp::experiment::Rehearsal::kOff));
    print("LeNet-5, Adam, batch 64, with rehearsal",
          bench.run(rehearsed, ptp::experiment::Rehearsal::kThread));
    const Holdings before;
    print("one after the other, with rehearsal",
          bench.run(swaps, ptp::experiment::Rehearsal::kThread));
    print_holdings(before, Holdings(), swaps);
    return 0;
}
