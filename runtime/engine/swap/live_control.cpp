#include "engine/swap/live_control.hpp"

#include "base/duration.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "control/command.hpp"
#include "engine/distributed/signals.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <chrono>
#include <utility>

namespace ptp::engine {

namespace {

using run::Entry;

// The time between two checks for signals while the training is paused.
constexpr std::chrono::milliseconds kPause{200};

void require_prepared(const SwapJobs::Done& prepared) {
    if (prepared.refusal) {
        throw RunError(prepared.code,
                       "the swap of the journal cannot be done again: " + prepared.refusal->text());
    }
}

}  // namespace

LiveControl::LiveControl(const Parts& parts, const Options& options)
    : parts_(parts),
      vote_(parts_.session.collective.group()),
      generations_(parts_.own_folder),
      new_values_(options.new_values),
      plugins_folder_(parts_.run_folder / run::kPluginsFolder),
      commands_({[this](const control::Request& request) {
                     add_to_journal(request.command, request.arguments);
                     ++seen_;
                 },
                 parts_.say,
                 [this](std::uint64_t episodes) {
                     return generations_.status(parts_.session.components, episodes);
                 }},
                options.is_paused),
      is_watching_(options.is_watching),
      scripted_jobs_(parts_.swapper, parts_.own_folder / run::kPluginsFolder, options.is_safe,
                     options.try_build),
      jobs_(parts_.swapper, parts_.own_folder / run::kPluginsFolder, options.is_safe,
            options.try_build) {
    if (!is_first()) {
        return;
    }
    journal_.emplace(parts_.run_folder / run::kJournalFile, control::check_entry);
    resume_from(options);
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

void LiveControl::sync() {
    if (journal_) {
        journal_->sync();
    }
    generations_.sync();
}

void LiveControl::add_to_journal(std::string_view command, Value arguments) {
    if (journal_) {
        journal_->add({episodes_, std::string(command), std::move(arguments), now_text()});
    }
}

// Makes them this run's own, so that a resume continues with them.
void LiveControl::resume_from(const Options& options) {
    for (const Entry& entry : options.script) {
        if (control::is_swap(entry)) {
            for (const run::SwappedPlugin& plugin : run::swapped_plugins(entry)) {
                std::filesystem::copy_file(options.script_plugins / plugin.file,
                                           plugins_folder_ / plugin.file,
                                           std::filesystem::copy_options::skip_existing);
            }
        }
        journal_->add(entry);
    }
}

const std::vector<Entry>& LiveControl::entries() const {
    return journal_ ? journal_->entries() : entries_;
}

void LiveControl::begin(std::uint64_t entries_seen, std::uint64_t episodes) {
    episodes_ = episodes;
    generations_.begin(parts_.plugins, episodes);
    if (!is_first()) {
        share_journal();
    }
    if (entries_seen > entries().size()) {
        throw RunError(kDataError, fmt::format("{} entries of {} had taken effect, it has {}",
                                               entries_seen, run::kJournalFile, entries().size()));
    }
    begin_changes(entries_seen, episodes);
    if (is_first()) {
        share_journal();
    }
    const std::vector<Entry>& entries = this->entries();
    script_.assign(entries.begin() + static_cast<std::ptrdiff_t>(entries_seen), entries.end());
    seen_ = entries_seen;
    while (!scripted_jobs_.is_idle()) {
        static_cast<void>(scripted_jobs_.take());  // prepared before a rollback
    }
    prepare_script();
    if (is_watching_ && !watch_ && is_first()) {
        watch();
    }
    if (commands_.is_paused()) {
        parts_.say(fmt::format("paused after {}: `ptprun control {} continue` lets it continue",
                               counted(episodes, "episode"), parts_.run_folder.string()));
    }
}

Boundary LiveControl::at_boundary(LiveTraining& training, bool has_pass) {
    episodes_ = training.next_position().episode;
    if (const Boundary then = do_scripted(training, has_pass); then != Boundary::kContinue) {
        return then;
    }
    commands_.pause_if_due(episodes_);
    if (parts_.session.collective.size() > 1) {
        return do_in_all(training, has_pass);
    }
    order_changed_files();
    order_refused_files(training.next_position());
    if (const Boundary then = do_requests(training, has_pass); then != Boundary::kContinue) {
        return then;
    }
    return do_swaps(training, has_pass);
}

Boundary LiveControl::do_scripted(LiveTraining& training, bool has_pass) {
    while (!script_.empty() && script_.front().episode <= episodes_) {
        const Entry entry = script_.front();
        if (control::is_swap(entry)) {
            const SwapJobs::Done& prepared = scripted_jobs_.wait();
            require_prepared(prepared);
            if (has_pass && parts_.swapper.changes_loading(*prepared.loaded)) {
                return Boundary::kNewPass;
            }
            script_.pop_front();
            finish_swap(training, scripted_jobs_.take(), true);
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

void LiveControl::answer(LiveTraining& training, control::Pending pending) {
    const auto order = [&](const control::Swap& swap) {
        order_swap(
            {.files = swap.files, .is_dry_run = swap.is_dry_run, .asked_by = std::move(pending)});
    };
    if (const auto reply = commands_.answer(training, pending.request(), order)) {
        pending.reply(*reply);
    }
}

void LiveControl::answer_requests(LiveTraining& training) {
    while (std::optional<control::Pending> pending = server_->next()) {
        answer(training, std::move(*pending));
        if (commands_.was_interrupted()) {
            return;
        }
    }
}

// REQUIRES: a server.
void LiveControl::wait_for_request() {
    server_->wait(kPause);
}

Boundary LiveControl::do_requests(LiveTraining& training, bool has_pass) {
    if (!server_) {
        return Boundary::kContinue;
    }
    for (;;) {
        answer_requests(training);
        if (commands_.was_interrupted()) {
            return Boundary::kInterrupted;
        }
        if (!commands_.is_paused()) {
            return Boundary::kContinue;
        }
        if (Signals::received() != 0) {
            return Boundary::kInterrupted;
        }
        if (const Boundary then = do_swaps(training, has_pass); then != Boundary::kContinue) {
            return then;
        }
        wait_for_request();
        order_changed_files();
    }
}

}  // namespace ptp::engine
