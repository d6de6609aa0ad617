// Decides when a training computes with fewer threads than it could, and explains it to the user.

#include "engine/train/training_threads.hpp"

#include "base/number.hpp"
#include "engine/train/process_setup.hpp"

#include <ATen/Parallel.h>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace ptp::engine {

namespace {

constexpr double kWindowSeconds = 2;      // seconds of episodes judged together
constexpr std::int64_t kFewEpisodes = 3;  // too few to be judged
constexpr double kSlowFactor = 3;         // factor of the best, above which an episode is slow
constexpr double kBusy = 0.4;             // cores used by others
constexpr double kWaiting = 0.25;         // threads waiting for a core
constexpr double kFreeCores = 0.1;        // cores that others may use besides all threads
constexpr int kQuietStretches = 5;        // before all threads compute again
constexpr double kMilliseconds = 1e3;

}  // namespace

bool ThreadWatch::episode(double seconds) {
    seconds_ += seconds;
    ++episodes_;
    return seconds_ >= kWindowSeconds && setup_.threads >= 2;
}

std::optional<ThreadWatch::Advice> ThreadWatch::judge(const CpuTimes& now) {
    const bool is_judged = episodes_ >= kFewEpisodes;
    const Stretch stretch = measure(now);
    if (!is_judged) {
        return std::nullopt;
    }
    if (threads_ < setup_.threads) {
        return quiet(stretch);
    }
    const bool is_slow = best_ > 0 && stretch.seconds > kSlowFactor * best_;
    best_ = best_ > 0 ? std::min(best_, stretch.seconds) : stretch.seconds;
    const bool is_crowded =
        !has_room(stretch, threads_) && stretch.others > kBusy && stretch.waiting > kWaiting;
    // If others were there from the beginning, there is no best episode to compare with.
    return is_crowded && (is_slow || setup_.may_change) ? slow(stretch) : std::nullopt;
}

ThreadWatch::Stretch ThreadWatch::measure(const CpuTimes& now) {
    const double wall = std::max(now.wall - begin_.wall, 1e-9);
    const auto others = [&](double total) {  // seconds of all, this process included
        return std::max((total - (now.own - begin_.own)) / wall, 0.0);
    };
    Stretch stretch{seconds_ / static_cast<double>(episodes_),
                    std::max((now.waiting - begin_.waiting) / wall, 0.0),
                    others(now.machine - begin_.machine), setup_.cores};
    if (now.group && begin_.group) {
        const double in_group = others(*now.group - *begin_.group);
        if (static_cast<double>(setup_.quota) - in_group <
            static_cast<double>(stretch.cores) - stretch.others) {
            stretch.others = in_group;
            stretch.cores = setup_.quota;
        }
    }
    begin_ = now;
    episodes_ = 0;
    seconds_ = 0;
    return stretch;
}

bool ThreadWatch::has_room(const Stretch& stretch, std::int64_t threads) {
    return stretch.others + static_cast<double>(threads) <=
           static_cast<double>(stretch.cores) + kFreeCores;
}

std::optional<ThreadWatch::Advice> ThreadWatch::slow(const Stretch& stretch) {
    const std::int64_t left = std::clamp<std::int64_t>(
        stretch.cores - std::llround(std::ceil(stretch.others - kFreeCores)), 1,
        setup_.threads - 1);
    const std::string how_slow =
        stretch.seconds > best_
            ? fmt::format("an episode takes {:.1f} ms, at best {:.1f}: ",
                          stretch.seconds * kMilliseconds, best_ * kMilliseconds)
            : "";
    const std::string why = fmt::format(
        "{}other processes keep {:.1f} of {} cores busy, "
        "and the {} threads wait for the one that has none",
        how_slow, stretch.others, stretch.cores, threads_);
    if (setup_.may_change) {
        threads_ = left;
        quiet_stretches_ = 0;
        return Advice{threads_, fmt::format("{}; {} thread{} from here on, the numbers may differ "
                                            "in their last bits",
                                            why, left, left == 1 ? "" : "s")};
    }
    if (std::exchange(has_advised_, true)) {
        return std::nullopt;
    }
    return Advice{
        threads_,
        fmt::format("{}; --threads {} would be faster, --threads auto changes their "
                    "number when it must (the numbers may then differ in their last bits)",
                    why, left)};
}

std::optional<ThreadWatch::Advice> ThreadWatch::quiet(const Stretch& stretch) {
    quiet_stretches_ = has_room(stretch, setup_.threads) ? quiet_stretches_ + 1 : 0;
    if (quiet_stretches_ < kQuietStretches) {
        return std::nullopt;
    }
    threads_ = setup_.threads;
    return Advice{threads_, fmt::format("the other processes have ended; {} threads from here on, "
                                        "the numbers may differ in their last bits",
                                        threads_)};
}

TrainingThreads::TrainingThreads(bool may_change, spdlog::logger& log)
    : watch_({at::get_num_threads(), own_core_limits().affinity, may_change, available_cores()},
             cpu_times()),
      log_(log) {}

void TrainingThreads::episode(double seconds) {
    const auto advice = watch_.episode(seconds) ? watch_.judge(cpu_times()) : std::nullopt;
    if (!advice) {
        return;
    }
    if (advice->threads != at::get_num_threads()) {
        at::set_num_threads(static_cast<int>(advice->threads));
        bind_blas_threads();
    }
    log_.warn(advice->text);
}

std::string threads_text(std::int64_t threads, std::int64_t cores, std::int64_t asked) {
    const std::string text = counted(threads, "thread");
    if (asked > threads) {
        return fmt::format("{} ({} were asked for: OpenBLAS takes no more)", text, asked);
    }
    const bool are_all_used = asked > 0 || threads >= cores;
    return are_all_used ? text
                        : fmt::format("{} (--threads {} computes on all cores)", text, cores);
}

std::string threads_text() {
    std::int64_t asked = 0;
    for (const char* name : {"MKL_NUM_THREADS", "OMP_NUM_THREADS"}) {
        const char* value = std::getenv(name);
        asked = value == nullptr ? asked : std::atoi(value);  // reads "4,2" as 4
    }
    return threads_text(at::get_num_threads(), available_cores(), asked);
}

}  // namespace ptp::engine
