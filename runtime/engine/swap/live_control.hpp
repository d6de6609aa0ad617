// Changes to a running training from outside: requests over the socket in its folder, replaced
// builds of its plugins, and previous changes in a journal.
//
// They are made between two episodes, and are in the journal before they take effect, so that they
// can be repeated at the same place.
//
// If several processes train together, the first one has the socket, the watch and the journal, and
// sends the others what all do next, before the same episode.

#pragma once

#include "control/server.hpp"
#include "engine/distributed/group.hpp"
#include "engine/swap/generations.hpp"
#include "engine/swap/live_commands.hpp"
#include "engine/swap/plugin_watch.hpp"
#include "engine/swap/refused_for_now.hpp"
#include "engine/swap/swap_jobs.hpp"
#include "engine/swap/swap_vote.hpp"
#include "engine/swap/swapper.hpp"
#include "engine/train/stages.hpp"
#include "run/journal.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// [main]
class LiveControl final : public LiveRequests {
public:
    struct Parts {
        TrainingSession& session;
        Plugins& plugins;
        Swapper& swapper;
        spdlog::logger& log;
        std::filesystem::path run_folder;
        std::filesystem::path own_folder;             // the same, or this process's own part of it
        std::function<void(const std::string&)> say;  // to the screen and the log
        Stages& stages;
    };
    struct Options {
        bool is_watching = false;
        bool is_paused = false;  // at the start
        // Entries of another run, to be repeated in this one; files of swaps are in
        // `script_plugins`.
        std::vector<run::Entry> script = {};
        std::filesystem::path script_plugins = {};
        // KEY=VALUE texts that change the experiment when the training begins or continues.
        std::vector<std::string> new_values = {};
        bool is_safe = false;  // swaps only load plugins that come with ptp
        TryBuild try_build = {};
    };
    // Throws RunError. A socket or a watch that is not available is logged and not used; but a
    // training that begins paused needs the socket.
    LiveControl(const Parts& parts, const Options& options);

    void begin(std::uint64_t entries_seen, std::uint64_t episodes) override;
    [[nodiscard]] bool has_change(std::uint64_t episodes) const override;
    [[nodiscard]] bool has_request() override;
    Boundary at_boundary(LiveTraining& training, bool has_pass) override;
    void sync() override;
    [[nodiscard]] std::uint64_t entries_seen() const override { return seen_; }
    [[nodiscard]] std::vector<run::ActivePlugin> plugins(std::uint64_t episodes) const override {
        return generations_.active(parts_.plugins, episodes);
    }

private:
    Boundary do_scripted(LiveTraining& training, bool has_pass);
    Boundary do_requests(LiveTraining& training, bool has_pass);
    void answer_requests(LiveTraining& training);  // until one interrupts the training
    void answer(LiveTraining& training, control::Pending pending);
    void wait_for_request();
    Boundary do_swaps(LiveTraining& training, bool has_pass);

    void resume_from(const Options& options);
    [[nodiscard]] const std::vector<run::Entry>& entries() const;
    void add_to_journal(std::string_view command, Value arguments);

    // Defined in live_ranks.cpp.
    [[nodiscard]] bool is_first() const;  // true also for a single process
    Boundary do_in_all(LiveTraining& training, bool has_pass);
    std::string next_order(LiveTraining& training, bool has_pass);
    [[nodiscard]] std::string order_of_swap(const SwapJobs::Done& prepared) const;
    void answer_in_all(LiveTraining& training, const std::string& line);
    void swap_in_all(LiveTraining& training, const std::string& order);
    void share_journal();

    // Defined in live_changes.cpp.
    void begin_changes(std::uint64_t entries_seen, std::uint64_t episodes);
    void refuse_change_before_another(std::uint64_t entries_seen, std::uint64_t episodes) const;
    void change_experiment(LiveTraining& training, const run::Entry& entry);

    // Defined in live_swaps.cpp.
    void watch();
    void order_files_changed_before();
    void prepare_script();
    void order_changed_files();
    void order_refused_files(const TrainingPosition& place);
    void order_swap(SwapOrder order);
    void drop_active_files(SwapJobs::Done& prepared);
    void finish_swap(LiveTraining& training, SwapJobs::Done done, bool is_scripted);
    control::Reply swap_in(LiveTraining& training, SwapJobs::Done& done, bool is_scripted);
    void note_swap(const std::vector<plugin::Staged>& files, bool is_scripted);
    control::Reply refuse(SwapJobs::Done& done, const TrainingPosition& place);

    Parts parts_;
    std::optional<run::Journal> journal_;  // only in the first process
    std::vector<run::Entry> entries_;      // in the journal when another process read it
    SwapVote vote_;
    Generations generations_;
    std::vector<std::string> new_values_;   // not yet in the journal
    std::deque<run::Entry> script_;         // entries of the journal to be repeated
    std::filesystem::path plugins_folder_;  // the run's
    std::uint64_t seen_ = 0;                // entries of the journal in effect
    LiveCommands commands_;
    bool is_watching_ = false;
    std::uint64_t episodes_ = 0;
    std::optional<PluginWatch> watch_;
    RefusedForNow refused_for_now_;             // builds reported by the watch
    std::optional<control::Pending> asked_by_;  // the sender of the current request
    SwapJobs scripted_jobs_;
    SwapJobs jobs_;
    std::optional<control::Server> server_;  // destroyed first: answers waiting clients
};

}  // namespace ptp::engine
