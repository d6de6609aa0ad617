// Changes to a running training from outside: requests over the socket in its folder, replaced
// builds of its plugins, and previous changes in a journal.
//
// Changes are made between two episodes, and are in the journal before they take effect, so that
// they can be repeated at the same place.
//
// If several processes train together, the first one has the socket, the watch and the journal, and
// sends the others what all do next, before the same episode.

#pragma once

#include "control/server.hpp"
#include "engine/request.hpp"
#include "engine/swap/generations.hpp"
#include "engine/swap/live_commands.hpp"
#include "engine/swap/swap_queue.hpp"
#include "engine/swap/swapper.hpp"
#include "engine/train/stages.hpp"
#include "run/journal.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// [main]
class LiveControl final : public LiveRequests, private LiveCommands::Host {
public:
    struct Parts {
        TrainingSession& session;
        Plugins& plugins;
        Swapper& swapper;
        spdlog::logger& log;
        Console& console;
        std::filesystem::path run_folder;
        std::filesystem::path own_folder;  // the same, or this process's own part of it
        Stages& stages;
    };
    // Repeats the entries of the request's replay, and changes the experiment by its new values
    // when the training begins or continues. Throws RunError. A socket or a watch that is not
    // available is logged and not used; but a training that begins paused needs the socket.
    LiveControl(const Parts& parts, const RunRequest& request);

    // New values before other changes are refused: they were checked against the experiment after
    // all changes.
    void check_begin(std::uint64_t entries_seen, std::uint64_t episodes) const override;
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
    void add_to_journal(const control::Request& request) override;
    void say(const std::string& text) override { parts_.console.headline_and_log(text); }
    [[nodiscard]] Value generations(std::uint64_t episodes) const override;
    void order_swap(const control::Swap& swap) override;

    void lead(const RunRequest& request);
    [[nodiscard]] const std::vector<run::Entry>& entries() const;
    void note(std::string_view command, Value arguments);
    void take_over(const Replay& replay);
    void share_journal();
    void begin_changes(std::uint64_t entries_seen);
    void change_experiment(LiveTraining& training, const run::Entry& entry);

    Boundary do_scripted(LiveTraining& training, bool has_pass);
    std::string next_turn(LiveTraining& training, bool has_pass);
    std::optional<std::string> turn_of_request(LiveTraining& training);
    std::optional<std::string> turn_of_swap(LiveTraining& training, bool has_pass);
    void answer(LiveTraining& training, const control::Request& request);

    // Defined in live_swaps.cpp.
    [[nodiscard]] SwapOrder order_of(const Value& copies) const;
    void prepare_script();
    void swap_in_all(LiveTraining& training, const Value& copies);
    void finish_swap(LiveTraining& training, PreparedSwap swap, bool is_scripted);
    control::Reply swap_in(LiveTraining& training, PreparedSwap& swap, bool is_scripted);
    void note_swap(const std::vector<plugin::Staged>& files, bool is_scripted);
    control::Reply refuse(PreparedSwap& swap, const TrainingPosition& place);

    Parts parts_;
    std::optional<run::Journal> journal_;  // only in the first process
    std::vector<run::Entry> entries_;      // in the journal when another process read it
    Generations generations_;
    std::vector<std::string> new_values_;   // not yet in the journal
    bool gives_up_later_;                   // entries after the checkpoint that was asked for
    std::deque<run::Entry> script_;         // entries of the journal to be repeated
    std::filesystem::path plugins_folder_;  // the run's
    std::uint64_t seen_ = 0;                // entries of the journal in effect
    LiveCommands commands_;
    bool is_watching_ = false;
    std::uint64_t episodes_ = 0;
    std::optional<control::Pending> asked_by_;  // the sender of the current request
    SwapQueue swaps_;
    SwapQueue scripted_swaps_;               // at most the next one of the script
    std::optional<control::Server> server_;  // destroyed first: answers waiting clients
};

}  // namespace ptp::engine
