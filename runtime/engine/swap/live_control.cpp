#include "engine/swap/live_control.hpp"

#include "base/error.hpp"
#include "base/time_text.hpp"
#include "engine/train/signals.hpp"

#include <fmt/core.h>

#include <chrono>
#include <utility>

namespace ptp::engine {

namespace {

using control::Entry;
using control::Reply;

// Where a signal is looked for while the training is paused.
constexpr std::chrono::milliseconds kPause{200};

}  // namespace

LiveControl::LiveControl(const Parts& parts, Options options)
    : parts_(parts),
      journal_(parts_.run_folder / "journal.jsonl"),
      generations_(parts_.run_folder),
      new_values_(options.new_values),
      plugins_folder_(parts_.run_folder / "plugins"),
      is_paused_(options.is_paused),
      is_watching_(options.is_watching),
      scripted_jobs_(parts_.swapper, plugins_folder_),
      jobs_(parts_.swapper, plugins_folder_) {
    resume_from(options);
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

// From here on they are this run's own, so that a resume continues with them.
void LiveControl::resume_from(const Options& options) {
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
    episodes_ = episodes;
    const std::vector<Entry>& entries = journal_.entries();
    if (entries_seen > entries.size()) {
        throw RunError(kDataError,
                       fmt::format("{} entries of journal.jsonl had taken effect, it has {}",
                                   entries_seen, entries.size()));
    }
    generations_.begin(parts_.plugins, episodes);
    begin_changes(entries_seen, episodes);
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

LiveControl::Then LiveControl::at_boundary(LiveTraining& training, bool has_pass) {
    episodes_ = training.next_position().episode;
    if (const Then then = do_scripted(training, has_pass); then != Then::kGoOn) {
        return then;
    }
    if (pause_after_ && episodes_ >= *pause_after_) {
        is_paused_ = true;
        pause_after_.reset();
        say(fmt::format("paused after {} episodes", episodes_));
    }
    order_changed_files();
    order_refused_files(training.next_position());
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
                throw RunError(prepared.code,
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
        fmt::format("{} after {} episodes", is_paused_ ? "paused" : "continues", episodes_);
    if (const Value* episodes = request.arguments.find("episodes")) {
        const auto count = static_cast<std::uint64_t>(episodes->as_integer());
        pause_after_ = episodes_ + count;
        text += fmt::format(", for {}", count);
    }
    say(text);
    return text;
}

void LiveControl::say(const std::string& text) const {
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
    } else if (command == "set") {
        parts_.swapper.change_experiment([&] {
            text = fmt::format("from episode {} on: {}", episodes_,
                               parts_.stages.advance(*parts_.session.optimization));
        });
        training.experiment_changed();
    } else {
        throw RunError(kDataError,
                       fmt::format("journal.jsonl: the command '{}' is not known", command));
    }
    say(text);
    return text;
}

Value LiveControl::status(LiveTraining& training) const {
    Value table = training.standing();
    table.set("state", is_paused_ ? "paused" : "running");
    table.set("generations", generations_.status(parts_.session.components, episodes_));
    return table;
}

}  // namespace ptp::engine
