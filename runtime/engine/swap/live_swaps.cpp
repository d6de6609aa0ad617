// The swaps of LiveControl: from the journal, by request, and after a change of a plugin's file.

#include "base/error.hpp"
#include "base/text.hpp"
#include "control/command.hpp"
#include "engine/swap/live_control.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace ptp::engine {

namespace {

using control::Reply;
using run::Entry;

std::string report_text(const SwapReport& report) {
    std::string text;
    for (const auto& [phase, seconds] : report.seconds) {
        text += fmt::format("{}{} {:.2f} ms", text.empty() ? "" : ", ", phase_name(phase),
                            seconds * 1e3);
    }
    for (const std::string& note : report.notes) {
        text += "\n  " + note;
    }
    return text;
}

// Returns the reply in a process that only follows the first one.
Reply refused_with(const SwapJobs::Done& done, spdlog::logger& log) {
    log.warn(done.refusal->text());
    return Reply::failure(done.refusal->text(), done.code);
}

std::string names_of(const std::vector<plugin::Staged>& files) {
    std::vector<std::string> names;
    for (const plugin::Staged& file : files) {
        names.push_back(file.copy.manifest.name + " " + file.copy.manifest.version);
    }
    return join(names, ", ");
}

}  // namespace

void LiveControl::watch() {
    try {
        watch_.emplace(generations_.sources());
        parts_.log.info("watching for newer builds of its plugins");
        order_files_changed_before();
    } catch (const std::exception& error) {
        parts_.log.warn(fmt::format("newer builds of plugins are not noticed: {}", error.what()));
    }
}

// Orders changed files. The watch only reports later changes; a build may have come since the
// plugin was copied.
void LiveControl::order_files_changed_before() {
    if (auto files = generations_.newer_sources(); !files.empty()) {
        parts_.log.info(fmt::format("{}: other builds than the run has copied", path_list(files)));
        order_swap({.files = std::move(files)});
    }
}

// Prepares the next swap while the training continues towards it.
void LiveControl::prepare_script() {
    if (!scripted_jobs_.is_idle()) {
        return;
    }
    for (const Entry& entry : script_) {
        if (control::is_swap(entry)) {
            SwapOrder order;
            for (const run::SwappedPlugin& plugin : run::swapped_plugins(entry)) {
                order.files.push_back(plugins_folder_ / plugin.file);
                order.hashes.push_back(plugin.sha256);
            }
            order.takes_equal_files = true;
            scripted_jobs_.begin(std::move(order), {});
            return;
        }
    }
}

void LiveControl::order_changed_files() {
    if (!watch_) {
        return;
    }
    if (auto files = watch_->changed(); !files.empty()) {
        refused_for_now_.forget(files);
        order_swap({.files = std::move(files)});
    }
}

// Retries builds that were refused for now, when an epoch begins.
void LiveControl::order_refused_files(const TrainingPosition& place) {
    for (RefusedForNow::Build& build : refused_for_now_.due(place.epoch)) {
        parts_.say(fmt::format("{}: tried again", path_list(build.files)));
        order_swap({.files = std::move(build.files), .staged = std::move(build.staged)});
    }
}

void LiveControl::order_swap(SwapOrder order) {
    jobs_.begin(std::move(order), generations_.hashes(episodes_));
}

Boundary LiveControl::do_swaps(LiveTraining& training, bool has_pass) {
    while (SwapJobs::Done* prepared = jobs_.next()) {
        drop_active_files(*prepared);
        if (has_pass && prepared->loaded && parts_.swapper.changes_loading(*prepared->loaded)) {
            return Boundary::kNewPass;
        }
        finish_swap(training, jobs_.take(), false);
    }
    return Boundary::kContinue;
}

// Removes files that are active: another order may have swapped in the same build in the meantime.
void LiveControl::drop_active_files(SwapJobs::Done& prepared) {
    if (!prepared.loaded) {
        return;
    }
    const std::vector<std::string> hashes = generations_.hashes(episodes_);
    std::vector<plugin::Staged>& files = prepared.loaded->files;
    const auto dropped = std::erase_if(files, [&](const plugin::Staged& file) {
        return std::ranges::count(hashes, file.hash) > 0;
    });
    if (files.empty()) {
        prepared.loaded.reset();
    } else if (dropped > 0) {
        try {
            prepared.loaded = parts_.swapper.load(std::move(files));
        } catch (const SwapError& error) {
            prepared.refusal = refusal_of(prepared.order.files, error);
            prepared.refused_for = error.refused_for();
            prepared.code = error.code();
        }
    }
}

// If `is_scripted`, the swap repeats an earlier one, so that a refusal ends the run.
void LiveControl::finish_swap(LiveTraining& training, SwapJobs::Done done, bool is_scripted) {
    Reply reply;
    if (!done.refusal && !done.loaded) {
        reply.message = "unchanged: what is active was built from the same file";
    } else if (!done.refusal) {
        try {
            reply = swap_in(training, done, is_scripted);
        } catch (const SwapError& error) {
            done.refusal = refusal_of(done.order.files, error);
            done.refused_for = error.refused_for();
            done.code = error.code();
        }
    }
    if (done.refusal) {
        if (is_scripted) {
            throw RunError(done.code,
                           "the swap of the journal cannot be done again: " + done.refusal->text());
        }
        reply =
            is_first() ? refuse(done, training.next_position()) : refused_with(done, parts_.log);
    }
    if (done.order.asked_by) {
        done.order.asked_by->reply(reply);
    }
}

// Adds the swap to the journal, unless it comes from there.
void LiveControl::note_swap(const std::vector<plugin::Staged>& files, bool is_scripted) {
    if (!is_scripted) {
        add_to_journal(control::Swap::kName, run::swap_arguments(Generations::entry_of(files)));
    }
}

// REQUIRES: done.loaded. Throws SwapError.
Reply LiveControl::swap_in(LiveTraining& training, SwapJobs::Done& done, bool is_scripted) {
    const std::vector<plugin::Staged> files = done.loaded->files;
    bool has_voted = false;
    std::exception_ptr lost;  // another process's error, no reason to refuse the swap
    const auto note = [&] {
        has_voted = true;
        try {
            vote_.cast(nullptr);
            vote_.decide([&] { note_swap(files, is_scripted); });
        } catch (const RunError& error) {
            lost = error.code() == kPeerLost ? std::current_exception() : nullptr;
            throw;
        }
    };
    done.order.staged = files;
    const bool is_dry_run = done.order.is_dry_run;
    SwapReport report;
    try {
        report = parts_.swapper.swap(std::move(*done.loaded), training.next_position(),
                                     is_dry_run ? std::function<void()>() : note);
    } catch (const SwapError& error) {
        if (lost) {
            std::rethrow_exception(lost);
        }
        if (!has_voted) {
            vote_.cast(&error);
        }
        throw;
    }
    if (is_dry_run) {
        vote_.cast(nullptr);
    }
    std::string text = fmt::format("{} {} before episode {}: {}",
                                   is_dry_run ? "could be swapped in:" : "swapped in",
                                   names_of(files), episodes_, report_text(report));
    parts_.say(text);
    if (!is_dry_run) {
        ++seen_;
        generations_.add(files, episodes_);
        refused_for_now_.forget(generations_.sources_of(files));
        training.swapped(report.has_other_tensors);
    }
    return {true, std::move(text), Value::table({{"episode", episodes_}})};
}

Reply LiveControl::refuse(SwapJobs::Done& done, const TrainingPosition& place) {
    auto [text, fix] = *done.refusal;
    text += "\n    the training continues with the running build";
    if (done.refused_for == RefusedFor::kNow) {
        if (done.order.asked_by) {
            text += ", and this one is not tried again by itself";
            fix +=
                (fix.empty() ? "" : ", then ") + std::string("ask again at the end of the epoch");
        } else {
            text += ", and this one is tried again at the end of the epoch";
            refused_for_now_.add(
                {std::move(done.order.files), std::move(done.order.staged), place.epoch});
        }
    }
    text = Explanation{text, fix}.text();
    parts_.log.warn(text);
    return Reply::failure(text, done.code);
}

}  // namespace ptp::engine
