#include "engine/train/thread_watch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ptp::engine {

namespace {

constexpr double kStretch = 2;            // seconds of episodes judged together
constexpr std::int64_t kFewEpisodes = 3;  // too few to be judged
constexpr double kManyTimes = 3;          // factor of the best, above which an episode is slow
constexpr double kBusy = 0.4;             // cores used by others
constexpr double kWaiting = 0.25;         // threads waiting for a core
constexpr double kQuiet = 0.1;            // cores that others may use besides all threads
constexpr int kQuietStretches = 5;        // before all threads compute again
constexpr double kMilliseconds = 1e3;

}  // namespace

ThreadWatch::ThreadWatch(const Setup& setup, std::function<CpuTimes()> read)
    : setup_(setup), read_(std::move(read)), threads_(setup.threads), begin_(read_()) {}

std::optional<ThreadWatch::Advice> ThreadWatch::episode(double seconds) {
    seconds_ += seconds;
    ++episodes_;
    if (seconds_ < kStretch || setup_.threads < 2) {
        return std::nullopt;
    }
    const bool is_judged = episodes_ >= kFewEpisodes;
    const Stretch stretch = measure();
    if (!is_judged) {
        return std::nullopt;
    }
    if (threads_ < setup_.threads) {
        return quiet(stretch);
    }
    const bool is_slow = best_ > 0 && stretch.seconds > kManyTimes * best_;
    best_ = best_ > 0 ? std::min(best_, stretch.seconds) : stretch.seconds;
    const bool is_crowded =
        !has_room(stretch, threads_) && stretch.others > kBusy && stretch.waiting > kWaiting;
    // If others were there from the beginning, there is no best episode to compare with.
    return is_crowded && (is_slow || setup_.may_change) ? slow(stretch) : std::nullopt;
}

ThreadWatch::Stretch ThreadWatch::measure() {
    const CpuTimes now = read_();
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
           static_cast<double>(stretch.cores) + kQuiet;
}

std::optional<ThreadWatch::Advice> ThreadWatch::slow(const Stretch& stretch) {
    const std::int64_t left = std::clamp<std::int64_t>(
        stretch.cores - std::llround(std::ceil(stretch.others - kQuiet)), 1, setup_.threads - 1);
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

}  // namespace ptp::engine
