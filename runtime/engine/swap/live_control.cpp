// Changes a training between two of its episodes, in this order: entries of the journal that are
// repeated, requests over the socket, swaps. The swaps themselves are in live_swaps.cpp.
//
// Each thing that is done is a turn, which the first process chooses and all processes take:
//
//   rLINE   answer the request of this line
//   sLINE   swap in the copies in the run's folder that this line names
//   p       end the pass over the samples, for a swap that follows
//   w       nothing yet: the training is paused
//   c       the training continues

#include "engine/swap/live_control.hpp"

#include "base/duration.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/number.hpp"
#include "base/output_file.hpp"
#include "control/command.hpp"
#include "run/format.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

namespace ptp::engine {

namespace {

using run::Entry;

// The time between two checks for signals while the training is paused.
constexpr std::chrono::milliseconds kPause{200};

constexpr char kRequest = 'r';
constexpr char kSwap = 's';
constexpr char kPass = 'p';
constexpr char kWait = 'w';
constexpr char kContinue = 'c';

}  // namespace

LiveControl::LiveControl(const Parts& parts, const RunRequest& request)
    : parts_(parts),
      generations_(parts_.own_folder),
      new_values_(request.resume ? request.resume->new_values : std::vector<std::string>()),
      gives_up_later_(request.resume && !request.resume->checkpoint.empty()),
      plugins_folder_(parts_.run_folder / run::kPluginsFolder),
      commands_(*this, request.is_paused),
      swaps_({parts_.swapper, generations_, parts_.log, parts_.console,
              parts_.own_folder / run::kPluginsFolder, request.is_safe, request.try_build}),
      scripted_swaps_(swaps_.setup()) {
    parts_.session.collective.on_first([&] { lead(request); });
}

// Takes on what the first process does for all: the journal, the watch and the socket.
void LiveControl::lead(const RunRequest& request) {
    is_watching_ = request.is_watching;
    journal_.emplace(parts_.run_folder / run::kJournalFile, control::check_entry);
    if (request.replay) {
        take_over(*request.replay);
    }
    try {
        server_.emplace(parts_.run_folder);
    } catch (const std::exception& error) {
        const auto text =
            fmt::format("this run cannot be controlled while it runs: {}", error.what());
        if (commands_.is_paused()) {
            throw RunError(kDataError, text + "; it cannot begin paused");
        }
        parts_.log.warn(text);
    }
}

const std::vector<Entry>& LiveControl::entries() const {
    return journal_ ? journal_->entries() : entries_;
}

void LiveControl::note(std::string_view command, Value arguments) {
    if (journal_) {
        journal_->add({episodes_, std::string(command), std::move(arguments), now_text()});
    }
}

void LiveControl::add_to_journal(const control::Request& request) {
    note(request.command, request.arguments);
    ++seen_;
}

Value LiveControl::generations(std::uint64_t episodes) const {
    return generations_.status(parts_.session.components, episodes);
}

void LiveControl::sync() {
    if (journal_) {
        journal_->sync();
    }
    generations_.sync();
}

// Makes the entries this run's own, so that a resume continues with them.
void LiveControl::take_over(const Replay& replay) {
    for (const Entry& entry : replay.script) {
        if (control::is_swap(entry)) {
            for (const run::SwappedPlugin& plugin : run::swapped_plugins(entry)) {
                std::filesystem::copy_file(replay.plugins / plugin.file,
                                           plugins_folder_ / plugin.file,
                                           std::filesystem::copy_options::skip_existing);
            }
        }
        journal_->add(entry);
    }
}

// Shares the journal of the first process with all.
void LiveControl::share_journal() {
    const std::string text = parts_.session.collective.from_first("the journal", [this] {
        const std::filesystem::path file = parts_.run_folder / run::kJournalFile;
        return std::filesystem::exists(file) ? read_text(file) : std::string();
    });
    parts_.session.collective.on_others([&] {
        const std::filesystem::path copy = parts_.own_folder / run::kJournalFile;
        replace_file(copy, text);
        entries_ = run::read_journal(copy, control::check_entry);
    });
}

void LiveControl::check_begin(std::uint64_t entries_seen, std::uint64_t episodes) const {
    parts_.session.collective.on_first([&] {
        const std::vector<Entry>& entries = this->entries();
        if (entries_seen > entries.size()) {
            throw RunError(kDataError,
                           fmt::format("{} entries of {} had taken effect, it has {}", entries_seen,
                                       run::kJournalFile, entries.size()));
        }
        const auto change = std::ranges::find_if(
            entries.begin() + static_cast<std::ptrdiff_t>(entries_seen), entries.end(),
            [&](const Entry& entry) { return control::is_set(entry) && entry.episode > episodes; });
        if (!new_values_.empty() && !gives_up_later_ && change != entries.end()) {
            throw RunError(
                kConfigurationError,
                fmt::format("the run continues after episode {}, and its journal changes the "
                            "experiment after episode {}: resume it without --set until then",
                            episodes, change->episode));
        }
    });
}

void LiveControl::begin(std::uint64_t entries_seen, std::uint64_t episodes) {
    episodes_ = episodes;
    generations_.begin(parts_.plugins, episodes);
    Collective& all = parts_.session.collective;
    all.on_first([&] { begin_changes(entries_seen); });
    gives_up_later_ = false;  // a rollback repeats what it goes back over
    share_journal();          // with the changes that the first process has added
    all.on_others([&] { begin_changes(entries_seen); });
    const std::vector<Entry>& entries = this->entries();
    script_.assign(entries.begin() + static_cast<std::ptrdiff_t>(entries_seen), entries.end());
    seen_ = entries_seen;
    while (!scripted_swaps_.is_empty()) {
        static_cast<void>(scripted_swaps_.take());  // prepared before a rollback
    }
    prepare_script();
    if (is_watching_ && !swaps_.is_watching()) {
        swaps_.watch(episodes);
    }
    if (commands_.is_paused()) {
        say(fmt::format("paused after {}: `ptprun control {} continue` lets it continue",
                        counted(episodes, "episode"), parts_.run_folder.string()));
    }
}

// Restores the experiment after the entries seen. New values of `ptprun resume --set` become one
// more entry.
void LiveControl::begin_changes(std::uint64_t entries_seen) {
    const auto begin = entries().begin();
    const auto changes =
        std::count_if(begin, begin + static_cast<std::ptrdiff_t>(entries_seen), control::is_set);
    {
        const auto lock = parts_.swapper.hold_experiment();
        parts_.stages.resume_at(static_cast<std::size_t>(changes), *parts_.session.optimization);
    }
    if (gives_up_later_ && journal_ && !entries().empty() && entries().back().episode > episodes_) {
        parts_.stages.write();  // first: a kill in between leaves a stage of the journal
        journal_->drop_after(episodes_);
    }
    if (!new_values_.empty()) {
        note(control::kSetCommand, run::set_arguments(new_values_));
        new_values_.clear();
    }
}

// Changes the experiment. A schedule counts from its change; for changes by an earlier ptp, from
// the training's start.
void LiveControl::change_experiment(LiveTraining& training, const Entry& entry) {
    const TrainingPosition here = training.next_position();
    const TrainingPosition begin =
        entry.format < run::kSchedulesCountFromSet ? TrainingPosition() : here;
    std::string changes;
    {
        const auto lock = parts_.swapper.hold_experiment();
        changes = parts_.stages.advance(*parts_.session.optimization, here, begin);
    }
    training.experiment_changed();
    say(fmt::format("from episode {} on: {}", episodes_, changes));
}

bool LiveControl::has_change(std::uint64_t episodes) const {
    return std::ranges::any_of(script_, [episodes](const Entry& entry) {
        return control::is_set(entry) && entry.episode <= episodes;
    });
}

bool LiveControl::has_request() {
    swaps_.add_changed(episodes_);
    return (server_ && server_->has_requests()) || swaps_.next(episodes_) != nullptr;
}

Boundary LiveControl::at_boundary(LiveTraining& training, bool has_pass) {
    episodes_ = training.next_position().episode;
    if (const Boundary then = do_scripted(training, has_pass); then != Boundary::kContinue) {
        return then;
    }
    commands_.pause_if_due(episodes_);
    swaps_.add_refused(training.next_position());
    Collective& all = parts_.session.collective;
    if (!all.has_request() && !commands_.is_paused()) {
        return Boundary::kContinue;
    }
    for (;;) {
        const std::string turn = all.from_first("what is asked of the training",
                                                [&] { return next_turn(training, has_pass); });
        const std::string line = turn.substr(1);
        switch (turn.front()) {
            case kRequest:
                answer(training, control::read_request(line));
                break;
            case kSwap:
                swap_in_all(training, ptp::value_of(*parsed_json(line)));
                break;
            case kPass:
                return Boundary::kNewPass;
            case kContinue:
                return Boundary::kContinue;
            default:
                all.exchange();
        }
        if (commands_.was_interrupted() || all.take_signal() != 0) {
            return Boundary::kInterrupted;
        }
    }
}

Boundary LiveControl::do_scripted(LiveTraining& training, bool has_pass) {
    while (!script_.empty() && script_.front().episode <= episodes_) {
        const Entry entry = script_.front();
        if (control::is_swap(entry)) {
            const PreparedSwap& swap = scripted_swaps_.wait();
            if (has_pass && swap.loaded && parts_.swapper.changes_loading(*swap.loaded)) {
                return Boundary::kNewPass;
            }
            script_.pop_front();
            finish_swap(training, scripted_swaps_.take(), true);
            prepare_script();
            continue;
        }
        script_.pop_front();
        ++seen_;
        if (control::is_set(entry)) {
            change_experiment(training, entry);
        } else {
            commands_.repeat(training, {entry.command, entry.arguments});
        }
        if (commands_.was_interrupted()) {
            return Boundary::kInterrupted;
        }
    }
    return Boundary::kContinue;
}

// Returns the next turn. What concerns only the first process is done here.
std::string LiveControl::next_turn(LiveTraining& training, bool has_pass) {
    for (bool has_waited = false;; has_waited = true) {
        swaps_.add_changed(episodes_);
        if (auto turn = turn_of_request(training)) {
            return *turn;
        }
        if (auto turn = turn_of_swap(training, has_pass)) {
            return *turn;
        }
        if (!commands_.is_paused()) {
            return {kContinue};
        }
        if (has_waited || parts_.session.collective.take_signal() != 0) {
            return {kWait};
        }
        assert(server_);  // without one, nothing pauses a training
        server_->wait(kPause);
    }
}

// Answers requests for the status and for a swap, which is ordered, until another one comes.
std::optional<std::string> LiveControl::turn_of_request(LiveTraining& training) {
    while (auto pending = server_ ? server_->next() : std::nullopt) {
        const control::Request request = pending->request();
        asked_by_.emplace(std::move(*pending));
        if (request.command != control::Swap::kName && request.command != control::Status::kName) {
            return kRequest + control::line_of(request);
        }
        answer(training, request);
    }
    return std::nullopt;
}

// Finishes swaps that exchange nothing, until there is one that does.
std::optional<std::string> LiveControl::turn_of_swap(LiveTraining& training, bool has_pass) {
    while (PreparedSwap* swap = swaps_.next(episodes_)) {
        if (swap->refusal || !swap->loaded) {
            finish_swap(training, swaps_.take(), false);
            continue;
        }
        if (has_pass && parts_.swapper.changes_loading(*swap->loaded)) {
            return std::string(1, kPass);
        }
        Value copies = run::swap_arguments(Generations::entry_of(swap->loaded->files));
        copies.set("is_dry_run", swap->order.is_dry_run);
        return kSwap + ptp::text_of(json_of(copies));
    }
    return std::nullopt;
}

void LiveControl::answer(LiveTraining& training, const control::Request& request) {
    const auto reply = commands_.answer(training, request);
    if (reply && asked_by_) {
        asked_by_->reply(*reply);
    }
    asked_by_.reset();
}

void LiveControl::order_swap(const control::Swap& swap) {
    swaps_.add({.files = swap.files,
                .is_dry_run = swap.is_dry_run,
                .asked_by = std::exchange(asked_by_, std::nullopt)},
               episodes_);
}

}  // namespace ptp::engine
