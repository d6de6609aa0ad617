// Swaps that are prepared while the training continues: other threads wait for the files, copy and
// load them.

#pragma once

#include "control/server.hpp"
#include "engine/request.hpp"
#include "engine/swap/swapper.hpp"
#include "plugin/staging.hpp"

#include <atomic>
#include <deque>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

struct SwapOrder {
    std::vector<std::filesystem::path> files;
    std::vector<plugin::Staged> staged = {};  // existing copies of them; none: not yet
    std::vector<std::string> hashes = {};     // required SHA-256 of the files; none: any
    bool is_dry_run = false;
    bool takes_equal_files = false;                 // even if they are active
    std::optional<control::Pending> asked_by = {};  // waits for a reply; nullopt: the watch
};

// [main]
class SwapJobs {
public:
    // A prepared swap, or why it was refused. `loaded` is empty if no file differs from the active
    // ones.
    struct Done {
        SwapOrder order;
        std::optional<Swapper::Loaded> loaded;
        std::optional<Explanation> refusal;
        RefusedFor refused_for = RefusedFor::kGood;
        ExitCode code = kPluginError;  // if it was refused
    };

    // If `is_safe`, refuses files that do not come with ptp. `try_build` may be empty.
    SwapJobs(Swapper& swapper, std::filesystem::path copies, bool is_safe, TryBuild try_build)
        : swapper_(swapper),
          copies_(std::move(copies)),
          is_safe_(is_safe),
          try_build_(std::move(try_build)) {}
    ~SwapJobs();
    SwapJobs(const SwapJobs&) = delete;
    SwapJobs& operator=(const SwapJobs&) = delete;

    void begin(SwapOrder order, const std::vector<std::string>& active_hashes);

    [[nodiscard]] bool is_idle() const { return jobs_.empty(); }

    // Returns the oldest order if it is prepared, otherwise nullptr; wait() waits for it, and so
    // does next() for one that only has to be loaded, which takes some milliseconds. It stays until
    // take(), which waits too. REQUIRES for both: !is_idle().
    Done* next();
    Done& wait();
    Done take();

private:
    struct Job {
        SwapOrder order;
        std::future<std::optional<Swapper::Loaded>> loaded;
    };

    void try_out(const std::vector<plugin::Staged>& builds) const;

    Swapper& swapper_;
    std::filesystem::path copies_;
    bool is_safe_;
    TryBuild try_build_;
    std::atomic<bool> is_ending_ = false;
    std::deque<Job> jobs_;
    std::optional<Done> front_;  // the first job's, which is prepared
};

}  // namespace ptp::engine
