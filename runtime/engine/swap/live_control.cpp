#include "engine/swap/live_control.hpp"

#include "engine/error.hpp"
#include "engine/train/signals.hpp"
#include "engine/train/time_text.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <chrono>
#include <utility>

namespace ptp::engine {

namespace {

using config::Value;
using control::Entry;
using control::Reply;

// Where a signal is looked for while the training is paused.
constexpr std::chrono::milliseconds kPause{200};

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
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

LiveControl::LiveControl(const Parts& parts, Options options)
    : parts_(parts),
      journal_(parts_.run_folder / "journal.jsonl"),
      generations_(parts_.run_folder),
      plugins_folder_(parts_.run_folder / "plugins"),
      is_paused_(options.is_paused),
      is_watching_(options.is_watching),
      scripted_jobs_(parts_.swapper, plugins_folder_),
      jobs_(parts_.swapper, plugins_folder_) {
    take_up(options);
    try {
        server_.emplace(parts_.run_folder);
    } catch (const std::exception& error) {
        const auto text =
            fmt::format("this run cannot be controlled while it runs: {}", error.what());
        if (is_paused_) {
            throw RunError(kDataError, text + "; it cannot begin paused");
        }
        parts_.log.warn(text);
    }
}

// From here on they are this run's own, so that a resume goes on with them.
void LiveControl::take_up(const Options& options) {
    for (const Entry& entry : options.script) {
        if (entry.command == "swap") {
            for (const control::SwappedPlugin& plugin : control::swapped_plugins(entry)) {
                std::filesystem::copy_file(options.script_plugins / plugin.file,
                                           plugins_folder_ / plugin.file,
                                           std::filesystem::copy_options::skip_existing);
            }
        }
        journal_.add(entry);
    }
}

void LiveControl::begin(std::uint64_t entries_seen, std::uint64_t episodes) {
    const std::vector<Entry>& entries = journal_.entries();
    if (entries_seen > entries.size()) {
        throw RunError(kDataError,
                       fmt::format("{} entries of journal.jsonl had taken effect, it has {}",
                                   entries_seen, entries.size()));
    }
    generations_.begin(parts_.plugins, episodes);
    script_.assign(entries.begin() + static_cast<std::ptrdiff_t>(entries_seen), entries.end());
    seen_ = entries_seen;
    while (!scripted_jobs_.is_idle()) {
        static_cast<void>(scripted_jobs_.take());  // prepared before a rollback
    }
    prepare_script();
    if (is_watching_ && !watch_) {
        watch();
    }
    if (is_paused_) {
        say(fmt::format("paused after {} episodes: `ptprun control {} continue` lets it go on",
                        episodes, parts_.run_folder.string()));
    }
}

void LiveControl::watch() {
    try {
        watch_.emplace(generations_.sources());
        parts_.log.info("watching for newer builds of its plugins ({})", watch_->mechanism());
    } catch (const std::exception& error) {
        parts_.log.warn("newer builds of plugins are not noticed: {}", error.what());
    }
}

// The swap that comes next is prepared while the training goes on towards it.
void LiveControl::prepare_script() {
    if (!scripted_jobs_.is_idle()) {
        return;
    }
    for (const Entry& entry : script_) {
        if (entry.command == "swap") {
            SwapOrder order;
            for (const control::SwappedPlugin& plugin : control::swapped_plugins(entry)) {
                order.files.push_back(plugins_folder_ / plugin.file);
                order.hashes.push_back(plugin.sha256);
            }
            order.takes_equal_files = true;
            scripted_jobs_.begin(std::move(order), {});
            return;
        }
    }
}

LiveControl::Then LiveControl::at_boundary(LiveTraining& training, bool has_pass) {
    episodes_ = training.next_place().episode;
    if (const Then then = do_scripted(training, has_pass); then != Then::kGoOn) {
        return then;
    }
    if (pause_after_ && episodes_ >= *pause_after_) {
        is_paused_ = true;
        pause_after_.reset();
        say(fmt::format("paused after {} episodes", episodes_));
    }
    order_changed_files();
    if (const Then then = do_requests(training, has_pass); then != Then::kGoOn) {
        return then;
    }
    return do_swaps(training, has_pass);
}

LiveControl::Then LiveControl::do_scripted(LiveTraining& training, bool has_pass) {
    while (!script_.empty() && script_.front().episode <= episodes_) {
        const Entry entry = script_.front();
        if (entry.command == "swap") {
            const SwapJobs::Done& prepared = scripted_jobs_.wait();
            if (!prepared.refusal.empty()) {
                throw RunError(kPluginError,
                               "the swap of the journal cannot be done again: " + prepared.refusal);
            }
            if (has_pass && parts_.swapper.changes_loading(*prepared.loaded)) {
                return Then::kNewPass;
            }
            script_.pop_front();
            finish_swap(training, scripted_jobs_.take(), true);
            prepare_script();
            continue;
        }
        script_.pop_front();
        ++seen_;
        static_cast<void>(act(training, entry.command, entry.arguments));
        if (was_interrupted_) {
            return Then::kInterrupted;
        }
    }
    return Then::kGoOn;
}

LiveControl::Then LiveControl::do_requests(LiveTraining& training, bool has_pass) {
    if (!server_) {
        return Then::kGoOn;
    }
    for (;;) {
        while (std::optional<control::Pending> pending = server_->next()) {
            const control::Request& request = pending->request();
            if (request.command == "swap") {
                SwapOrder order;
                for (const Value& file : request.arguments.find("files")->items()) {
                    order.files.emplace_back(file.as_string());
                }
                const Value* dry_run = request.arguments.find("dry_run");
                order.is_dry_run = dry_run != nullptr && dry_run->as_bool();
                order.asked_by.emplace(std::move(*pending));
                order_swap(std::move(order));
                continue;
            }
            pending->reply(answer(training, request));
            if (was_interrupted_) {
                return Then::kInterrupted;
            }
        }
        if (!is_paused_) {
            return Then::kGoOn;
        }
        if (Signals::received() != 0) {
            return Then::kInterrupted;
        }
        if (const Then then = do_swaps(training, has_pass); then != Then::kGoOn) {
            return then;
        }
        server_->wait(kPause);
        order_changed_files();
    }
}

Reply LiveControl::answer(LiveTraining& training, const control::Request& request) {
    const std::string& command = request.command;
    if (command == "status") {
        return {true, "", status(training)};
    }
    if (command == "pause" || command == "continue") {
        return {true, pause_or_continue(request), Value::table({{"episode", episodes_}})};
    }
    if (command == "validate") {
        if (const std::string reason = training.no_validation(); !reason.empty()) {
            return Reply::failure(reason);
        }
    }
    try {
        journal(training, command, request.arguments);
        return {true, act(training, command, request.arguments),
                Value::table({{"episode", episodes_}})};
    } catch (const RunError& error) {
        if (error.code() != kConfigurationError) {
            throw;
        }
        return Reply::failure(error.what());
    }
}

std::string LiveControl::pause_or_continue(const control::Request& request) {
    is_paused_ = request.command == "pause";
    pause_after_.reset();
    std::string text =
        fmt::format("{} after {} episodes", is_paused_ ? "paused" : "goes on", episodes_);
    if (const Value* episodes = request.arguments.find("episodes")) {
        const auto count = static_cast<std::uint64_t>(episodes->as_integer());
        pause_after_ = episodes_ + count;
        text += fmt::format(", for {}", count);
    }
    say(text);
    return text;
}

void LiveControl::say(const std::string& text) const {
    parts_.log.info(text);
    parts_.say(text);
}

void LiveControl::journal(LiveTraining& training, const std::string& command, Value arguments) {
    if (command == "learning_rate") {
        const Value* group = arguments.find("group");
        training.check_group(group == nullptr ? "" : group->as_string());
    }
    journal_.add({episodes_, command, std::move(arguments), now_text()});
    ++seen_;
}

// Gives what was done, for a person.
std::string LiveControl::act(LiveTraining& training, const std::string& command,
                             const Value& arguments) {
    std::string text;
    if (command == "checkpoint") {
        training.save_now();
        text = fmt::format("saved a checkpoint after {} episodes", episodes_);
    } else if (command == "validate") {
        const auto measured = training.validate_now();
        was_interrupted_ = !measured;
        text = measured.value_or("a signal ended the validation");
    } else if (command == "learning_rate") {
        const double rate = arguments.find("rate")->as_real();
        const Value* group = arguments.find("group");
        training.set_learning_rate(rate, group == nullptr ? "" : group->as_string());
        const std::string whose = group == nullptr ? "" : " of '" + group->as_string() + "'";
        text =
            fmt::format("the learning rate{} is {:g} from episode {} on", whose, rate, episodes_);
    } else {
        throw RunError(kDataError,
                       fmt::format("journal.jsonl: the command '{}' is not known", command));
    }
    parts_.log.info("asked for from outside: {}", text);
    parts_.say(text);
    return text;
}

void LiveControl::order_changed_files() {
    if (watch_) {
        if (auto files = watch_->changed(); !files.empty()) {
            order_swap({.files = std::move(files)});
        }
    }
}

void LiveControl::order_swap(SwapOrder order) {
    jobs_.begin(std::move(order), generations_.hashes(episodes_));
}

LiveControl::Then LiveControl::do_swaps(LiveTraining& training, bool has_pass) {
    while (const SwapJobs::Done* prepared = jobs_.next()) {
        if (has_pass && prepared->loaded && parts_.swapper.changes_loading(*prepared->loaded)) {
            return Then::kNewPass;
        }
        finish_swap(training, jobs_.take(), false);
    }
    return Then::kGoOn;
}

// `is_scripted`: it was done before, so that a refusal ends the run.
void LiveControl::finish_swap(LiveTraining& training, SwapJobs::Done done, bool is_scripted) {
    Reply reply;
    std::string text = done.refusal;
    if (text.empty() && !done.loaded) {
        text = "unchanged: what is in force was built from the same file";
    } else if (text.empty()) {
        const std::vector<plugin::Staged> files = done.loaded->files;
        const auto note = [&] {
            if (!is_scripted) {
                journal_.add({episodes_, "swap",
                              control::swap_arguments(Generations::entry_of(files)), now_text()});
            }
        };
        try {
            const SwapReport report =
                parts_.swapper.swap(std::move(*done.loaded), training.next_place(),
                                    done.order.is_dry_run ? std::function<void()>() : note);
            text = fmt::format("{} {} before episode {}: {}",
                               done.order.is_dry_run ? "could be swapped in:" : "swapped in",
                               names_of(files), episodes_, report_text(report));
            say(text);
            if (!done.order.is_dry_run) {
                ++seen_;
                generations_.add(files, episodes_);
                training.swapped(report.has_other_tensors);
            }
            reply = {true, text, Value::table({{"episode", episodes_}})};
        } catch (const SwapError& error) {
            text = refusal_text(done.order.files, error);
            done.refusal = text;
        }
    }
    if (!done.refusal.empty()) {
        if (is_scripted) {
            throw RunError(kPluginError, "the swap of the journal cannot be done again: " + text);
        }
        text += "; the training goes on with what it has";
        parts_.log.warn(text);
        reply = Reply::failure(text, kPluginError);
    }
    if (done.order.asked_by) {
        reply.message = text;
        done.order.asked_by->reply(std::move(reply));
    }
}

Value LiveControl::status(LiveTraining& training) const {
    Value table = training.standing();
    table.set("state", is_paused_ ? "paused" : "running");
    table.set("generations", generations_.status(parts_.session.components, episodes_));
    return table;
}

}  // namespace ptp::engine
