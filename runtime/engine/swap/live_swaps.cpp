// The swaps of LiveControl: from the journal, by request, and after a change of a plugin's file. Of
// several processes, all swap or none: each states whether it can, then the first one writes the
// swap to the journal, and only then all of them do it.

#include "base/error.hpp"
#include "base/json.hpp"
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

std::string names_of(const std::vector<plugin::Staged>& files) {
    std::vector<std::string> names;
    for (const plugin::Staged& file : files) {
        names.push_back(file.copy.manifest.name + " " + file.copy.manifest.version);
    }
    return join(names, ", ");
}

std::string objection_text(const SwapError& error, const std::string& process) {
    const auto& [reason, fix] = error.explanation();
    return ptp::text_of(
        json_of(Value::table({{"reason", fmt::format("{} refuses it {}", process, reason)},
                              {"fix", fix},
                              {"is_for_now", error.refused_for() == RefusedFor::kNow},
                              {"code", static_cast<int>(error.code())}})));
}

SwapError objection_from(const std::string& text) {
    const Value table = ptp::value_of(*parsed_json(text));
    return {SwapPhase::kCommit,
            {table.find("reason")->as_string(), table.find("fix")->as_string()},
            table.find("is_for_now")->as_bool() ? RefusedFor::kNow : RefusedFor::kGood,
            static_cast<ExitCode>(table.find("code")->as_integer())};
}

// Called once for each swap in each process; `objection` is nullptr if this process can swap.
// Throws SwapError (commit) if this process can and another one cannot.
void vote(Collective& all, const SwapError* objection) {
    constexpr const char* kVote = "the vote on a swap";
    const auto own = [&] {
        return objection == nullptr ? std::string() : objection_text(*objection, all.name());
    };
    const std::vector<std::string> others = all.from_others(kVote, own);
    const std::string decision = all.from_first(kVote, [&] {
        std::string first = own();
        for (const std::string& other : others) {
            first = first.empty() ? other : first;
        }
        return first;
    });
    if (objection == nullptr && !decision.empty()) {
        throw objection_from(decision);
    }
}

}  // namespace

// Returns the order of a swap of copies in the run's folder, from the arguments of its entry in a
// journal.
SwapOrder LiveControl::order_of(const Value& copies) const {
    run::Entry entry;
    entry.arguments = copies;
    SwapOrder order{.files = {}, .is_decided = true};
    for (const run::SwappedPlugin& plugin : run::swapped_plugins(entry)) {
        order.files.push_back(plugins_folder_ / plugin.file);
        order.hashes.push_back(plugin.sha256);
    }
    return order;
}

// Prepares the next swap while the training continues towards it.
void LiveControl::prepare_script() {
    const auto next = std::ranges::find_if(script_, control::is_swap);
    if (scripted_swaps_.is_empty() && next != script_.end()) {
        scripted_swaps_.add(order_of(next->arguments), episodes_);
    }
}

// Swaps in all processes. The others load the copies that the first process has made.
void LiveControl::swap_in_all(LiveTraining& training, const Value& copies) {
    parts_.session.collective.enter(distributed::Phase::kSwapping);
    if (swaps_.is_empty()) {  // the first process has it prepared
        SwapOrder own = order_of(copies);
        own.is_dry_run = copies.find("is_dry_run")->as_bool();
        swaps_.add(std::move(own), episodes_);
    }
    PreparedSwap swap = swaps_.take();
    if (swap.refusal) {
        const SwapError refused(SwapPhase::kLoad, swap.refusal->why, swap.refusal->refused_for,
                                swap.refusal->code);
        vote(parts_.session.collective, &refused);
    }
    finish_swap(training, std::move(swap), false);
}

// If `is_scripted`, the swap repeats an earlier one, so that a refusal ends the run.
void LiveControl::finish_swap(LiveTraining& training, PreparedSwap swap, bool is_scripted) {
    Reply reply;
    if (!swap.refusal && !swap.loaded) {
        reply.message = "unchanged: what is active was built from the same file";
    } else if (!swap.refusal) {
        try {
            reply = swap_in(training, swap, is_scripted);
        } catch (const SwapError& error) {
            swap.refuse(error);
        }
    }
    if (swap.refusal && is_scripted) {
        throw RunError(swap.refusal->code,
                       "the swap of the journal cannot be done again: " + swap.refusal->why.text());
    }
    if (swap.refusal) {
        reply = refuse(swap, training.next_position());
    }
    if (swap.order.asked_by) {
        swap.order.asked_by->reply(reply);
    }
}

Reply LiveControl::swap_in(LiveTraining& training, PreparedSwap& swap, bool is_scripted) {
    Collective& all = parts_.session.collective;
    const std::vector<plugin::Staged> files = swap.loaded->files;
    bool has_voted = false;
    const auto note = [&] {
        has_voted = true;
        vote(all, nullptr);
        note_swap(files, is_scripted);
    };
    swap.order.staged = files;
    const bool is_dry_run = swap.order.is_dry_run;
    SwapReport report;
    try {
        report = is_dry_run
                     ? parts_.swapper.try_swap(std::move(*swap.loaded), training.next_position())
                     : parts_.swapper.swap(std::move(*swap.loaded), training.next_position(), note);
    } catch (const SwapError& error) {
        if (!has_voted) {
            vote(all, &error);
        }
        throw;
    }
    if (is_dry_run) {
        vote(all, nullptr);
    }
    std::string text = fmt::format("{} {} before episode {}: {}",
                                   is_dry_run ? "could be swapped in:" : "swapped in",
                                   names_of(files), episodes_, report_text(report));
    say(text);
    if (!is_dry_run) {
        ++seen_;
        generations_.add(files, episodes_);
        swaps_.swapped(files);
        training.swapped(report.has_other_tensors);
    }
    return {true, std::move(text), Value::table({{"episode", episodes_}})};
}

// Adds the swap to the journal, unless it comes from there. Throws SwapError (commit) in all
// processes if the first one cannot.
void LiveControl::note_swap(const std::vector<plugin::Staged>& files, bool is_scripted) {
    Collective& all = parts_.session.collective;
    Explanation why;
    try {
        if (!is_scripted) {
            note(control::Swap::kName, run::swap_arguments(Generations::entry_of(files)));
        }
    } catch (const std::exception& error) {
        why = explanation_of(error);
    }
    const std::string shared = all.from_first("the commit of a swap", [&] {
        return why.reason.empty() ? ""
                                  : fmt::format("{} cannot note it: {}", all.name(), why.reason);
    });
    why.reason = why.reason.empty() ? shared : why.reason;
    if (!why.reason.empty()) {
        throw SwapError(SwapPhase::kCommit, why, RefusedFor::kNow, kTrainingError);
    }
}

Reply LiveControl::refuse(PreparedSwap& swap, const TrainingPosition& place) {
    swaps_.refused(swap);
    auto [text, fix] = swap.refusal->why;
    if (!swap.order.is_decided) {
        text += "\n    the training continues with the running build";
        if (swap.refusal->refused_for == RefusedFor::kNow && swap.order.asked_by) {
            text += ", and this one is not tried again by itself";
            fix +=
                (fix.empty() ? "" : ", then ") + std::string("ask again at the end of the epoch");
        } else if (swap.refusal->refused_for == RefusedFor::kNow) {
            text += ", and this one is tried again at the end of the epoch";
            swaps_.retry(std::move(swap.order), place.epoch);
        }
    }
    text = Explanation{text, fix}.text();
    parts_.log.warn(text);
    return Reply::failure(text, swap.refusal->code);
}

}  // namespace ptp::engine
