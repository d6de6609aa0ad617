#include "engine/train/thread_watch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ptp::engine {

namespace {

constexpr double kStretch = 2;            // seconds of episodes that are judged together
constexpr std::int64_t kFewEpisodes = 3;  // too few to be judged
constexpr double kManyTimes = 3;          // the best, from which on an episode is slow
constexpr double kBusy = 0.4;             // cores that others use, or threads that wait
constexpr double kQuiet = 0.1;            // cores that others may use beside all threads
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
    const bool has_no_room =
        stretch.others + static_cast<double>(threads_) > static_cast<double>(setup_.cores) + kQuiet;
    const bool is_crowded = has_no_room && stretch.others > kBusy && stretch.waiting > kBusy;
    // Where others were there from the beginning there is no best episode to compare with.
    return is_crowded && (is_slow || setup_.may_change) ? slow(stretch) : std::nullopt;
}

ThreadWatch::Stretch ThreadWatch::measure() {
    const CpuTimes now = read_();
    const double wall = std::max(now.wall - begin_.wall, 1e-9);
    const double own = now.own - begin_.own;
    const Stretch stretch{seconds_ / static_cast<double>(episodes_),
                          std::max((now.machine - begin_.machine - own) / wall, 0.0),
                          std::max((now.waiting - begin_.waiting) / wall, 0.0)};
    begin_ = now;
    episodes_ = 0;
    seconds_ = 0;
    return stretch;
}

std::optional<ThreadWatch::Advice> ThreadWatch::slow(const Stretch& stretch) {
    const std::int64_t left = std::clamp<std::int64_t>(
        setup_.cores - std::llround(std::ceil(stretch.others - kQuiet)), 1, setup_.threads - 1);
    const std::string how_slow =
        stretch.seconds > best_
            ? fmt::format("an episode takes {:.1f} ms, at best {:.1f}: ",
                          stretch.seconds * kMilliseconds, best_ * kMilliseconds)
            : "";
    const std::string why = fmt::format(
        "{}other processes keep {:.1f} of {} cores busy, "
        "and the {} threads wait for the one that has none",
        how_slow, stretch.others, setup_.cores, threads_);
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
    const auto cores = static_cast<double>(setup_.cores);
    const bool is_free = stretch.others + static_cast<double>(setup_.threads) <= cores + kQuiet;
    quiet_stretches_ = is_free ? quiet_stretches_ + 1 : 0;
    if (quiet_stretches_ < kQuietStretches) {
        return std::nullopt;
    }
    threads_ = setup_.threads;
    return Advice{threads_, fmt::format("the other processes have ended; {} threads from here on, "
                                        "the numbers may differ in their last bits",
                                        threads_)};
}

}  // namespace ptp::engine
