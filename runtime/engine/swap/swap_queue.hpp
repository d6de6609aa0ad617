// The swaps of a training that are still to come: requested ones, newer builds that a watch
// reports, and builds that were refused for now. Threads wait for the files, copy and load them
// while the training continues; the exchange itself is made by Swapper.

#pragma once

#include "control/server.hpp"
#include "engine/output/console.hpp"
#include "engine/request.hpp"
#include "engine/swap/generations.hpp"
#include "engine/swap/swapper.hpp"
#include "plugin/staging.hpp"

#include <spdlog/logger.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

class PluginWatch;

struct SwapOrder {
    std::vector<std::filesystem::path> files;
    std::vector<plugin::Staged> staged = {};  // existing copies of them; none: not yet
    std::vector<std::string> hashes = {};     // required SHA-256 of the files; none: any
    bool is_dry_run = false;
    // The journal or another process has decided it: even if the files are active.
    bool is_decided = false;
    std::optional<control::Pending> asked_by = {};  // waits for a reply; nullopt: the watch
};

struct SwapRefusal {
    Explanation why;
    RefusedFor refused_for = RefusedFor::kGood;
    ExitCode code = kPluginError;
};

// A swap that can be made, or why it was refused, once it is prepared; neither if no file differs
// from the active ones.
struct PreparedSwap {
    SwapOrder order;
    std::shared_ptr<std::vector<std::string>> hashes = {};  // of its files, once it is prepared
    std::future<std::optional<Swapper::Loaded>> preparing = {};  // valid until it is prepared
    std::optional<Swapper::Loaded> loaded = {};
    std::optional<SwapRefusal> refusal = {};

    void refuse(const SwapError& error);
};

// [main] All parts must outlive it.
class SwapQueue {
public:
    struct Setup {
        Swapper& swapper;
        const Generations& generations;
        spdlog::logger& log;
        Console& console;
        std::filesystem::path copies;  // the folder of copies of plugins
        bool is_safe = false;          // refuses files that do not come with ptp
        TryBuild try_build = {};       // may be empty
    };

    explicit SwapQueue(Setup setup);
    ~SwapQueue();
    SwapQueue(const SwapQueue&) = delete;
    SwapQueue& operator=(const SwapQueue&) = delete;

    // Begins to prepare a swap, after N completed episodes.
    void add(SwapOrder order, std::uint64_t episodes);

    // Notices newer builds of the plugins' files from now on, and adds those that have come since
    // the run copied them. Only logs if that is not possible.
    void watch(std::uint64_t episodes);
    [[nodiscard]] bool is_watching() const { return watch_ != nullptr; }
    // Adds the builds that the watch has reported since the last call. Costs one relaxed load if
    // there are none.
    void add_changed(std::uint64_t episodes);
    // Adds, once, the builds that were refused for now in another epoch than this.
    void add_refused(const TrainingPosition& at);

    // Keeps a swap that was refused for now: it is tried again when the next epoch begins.
    void retry(SwapOrder order, std::uint64_t epoch);
    // Forgets the builds of these plugins that were refused for now: a newer one has been swapped
    // in.
    void swapped(const std::vector<plugin::Staged>& files);
    // Remembers what was finally refused: the watch does not report it again before another build
    // has been swapped in.
    void refused(const PreparedSwap& swap);

    [[nodiscard]] const Setup& setup() const { return setup_; }
    [[nodiscard]] bool is_empty() const { return swaps_.empty(); }
    // Returns the oldest swap if it is prepared, without the files that another swap has made
    // active by now; otherwise nullptr. Waits for one that only has to be loaded, which takes some
    // milliseconds. It stays until take().
    PreparedSwap* next(std::uint64_t episodes);
    // Both wait for the oldest swap, which must exist.
    PreparedSwap& wait();
    PreparedSwap take();

private:
    using Files = std::vector<std::filesystem::path>;
    using Loaded = std::optional<Swapper::Loaded>;

    struct RefusedBuild {
        SwapOrder order;
        std::uint64_t epoch = 0;  // the epoch of the refusal
    };

    // The files that prepare() works on; `hashes` receives those of the files.
    struct Preparation {
        Files files;
        std::vector<std::string> wanted_hashes;
        std::vector<std::string> active_hashes;
        std::shared_ptr<std::vector<std::string>> hashes;
    };

    [[nodiscard]] Loaded prepare(const Preparation& what) const;
    void try_out(const std::vector<plugin::Staged>& builds) const;
    void drop_active_files(PreparedSwap& prepared, std::uint64_t episodes);
    void drop_refused_build(PreparedSwap& prepared) const;
    void forget_refused(const Files& files);

    const Setup setup_;
    std::atomic<bool> is_ending_ = false;
    std::unique_ptr<PluginWatch> watch_;
    std::list<RefusedBuild> refused_;                          // until the next epoch
    std::vector<std::vector<std::string>> hashes_of_refused_;  // finally
    std::deque<PreparedSwap> swaps_;
};

}  // namespace ptp::engine
