// LiveControl with several processes that train together: all carry out the requests to the first
// one before the same episode. It sends them one order after the other:
//
//   rLINE               the request of this line
//   sD\0HASH\0FILE...   the swap of these copies in the run's folder; D: 1 only tries it
//   p                   end the pass over the samples, for a swap that follows
//   w                   nothing yet: the training is paused
//   c                   the training continues

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "control/command.hpp"
#include "engine/swap/live_control.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <filesystem>
#include <utility>

namespace ptp::engine {

namespace {

constexpr char kRequest = 'r';
constexpr char kSwap = 's';
constexpr char kPass = 'p';
constexpr char kWait = 'w';
constexpr char kContinue = 'c';

constexpr const char* kOrders = "what is asked of the training";

// Returns the parts of a text separated by '\0'.
std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char character : text) {
        if (character == '\0') {
            parts.emplace_back();
        } else {
            parts.back() += character;
        }
    }
    return parts;
}

}  // namespace

bool LiveControl::is_first() const {
    return parts_.session.collective.is_first();
}

// Shares the journal of the first process with all.
void LiveControl::share_journal() {
    if (parts_.session.collective.size() == 1) {
        return;
    }
    const std::filesystem::path file = parts_.run_folder / run::kJournalFile;
    const std::string text = parts_.session.collective.share(
        is_first() && std::filesystem::exists(file) ? read_text(file) : std::string(),
        "the journal");
    if (!is_first()) {
        const std::filesystem::path copy = parts_.own_folder / run::kJournalFile;
        replace_file(copy, text);
        entries_ = run::read_journal(copy, control::check_entry);
    }
}

bool LiveControl::has_request() {
    if (!is_first()) {
        return false;
    }
    order_changed_files();
    return (server_ && server_->has_requests()) || jobs_.next() != nullptr;
}

Boundary LiveControl::do_in_all(LiveTraining& training, bool has_pass) {
    Collective& shared = parts_.session.collective;
    if (is_first()) {
        order_refused_files(training.next_position());
    }
    if (!shared.agreed().has_request && !commands_.is_paused()) {
        return Boundary::kContinue;
    }
    for (;;) {
        const std::string order =
            shared.share(is_first() ? next_order(training, has_pass) : std::string(), kOrders);
        switch (order.front()) {
            case kRequest:
                answer_in_all(training, order.substr(1));
                break;
            case kSwap:
                swap_in_all(training, order.substr(1));
                break;
            case kPass:
                return Boundary::kNewPass;
            case kContinue:
                return Boundary::kContinue;
            default:
                shared.exchange();
        }
        if (commands_.was_interrupted() || shared.take_signal() != 0) {
            return Boundary::kInterrupted;
        }
    }
}

// Returns the next order. Requests that concern only the first process are handled here.
std::string LiveControl::next_order(LiveTraining& training, bool has_pass) {
    bool has_waited = false;
    for (;;) {
        order_changed_files();
        if (auto pending = server_ ? server_->next() : std::nullopt) {
            const std::string& command = pending->request().command;
            if (command != control::Swap::kName && command != control::Status::kName) {
                asked_by_.emplace(std::move(*pending));
                return kRequest + control::line_of(asked_by_->request());
            }
            answer(training, std::move(*pending));
            continue;
        }
        if (SwapJobs::Done* prepared = jobs_.next()) {
            drop_active_files(*prepared);
            if (prepared->refusal || !prepared->loaded) {
                finish_swap(training, jobs_.take(), false);
                continue;
            }
            if (has_pass && parts_.swapper.changes_loading(*prepared->loaded)) {
                return {kPass};
            }
            return kSwap + order_of_swap(*prepared);
        }
        if (!commands_.is_paused()) {
            return {kContinue};
        }
        if (has_waited || !server_) {
            return {kWait};
        }
        wait_for_request();
        has_waited = true;
    }
}

std::string LiveControl::order_of_swap(const SwapJobs::Done& prepared) const {
    std::string order = prepared.order.is_dry_run ? "1" : "0";
    for (const plugin::Staged& file : prepared.loaded->files) {
        order += '\0' + file.hash + '\0' + file.copy.path.filename().string();
    }
    return order;
}

void LiveControl::answer_in_all(LiveTraining& training, const std::string& line) {
    if (asked_by_) {
        control::Pending pending = std::move(*asked_by_);
        asked_by_.reset();
        answer(training, std::move(pending));
        return;
    }
    static_cast<void>(
        commands_.answer(training, control::read_request(line), [](const control::Swap&) {}));
}

// Swaps in all processes. The others load the copies that the first process has made.
void LiveControl::swap_in_all(LiveTraining& training, const std::string& order) {
    parts_.session.collective.enter(distributed::Phase::kSwapping);
    if (!is_first()) {
        const std::vector<std::string> parts = parts_of(order);
        SwapOrder own{.files = {}, .is_dry_run = parts.front() == "1", .takes_equal_files = true};
        for (std::size_t i = 1; i + 1 < parts.size(); i += 2) {
            own.hashes.push_back(parts[i]);
            own.files.push_back(plugins_folder_ / parts[i + 1]);
        }
        jobs_.begin(std::move(own), {});
    }
    SwapJobs::Done done = jobs_.take();
    if (done.refusal) {
        const SwapError refused(SwapPhase::kLoad, *done.refusal, done.refused_for, done.code);
        vote_.cast(&refused);
        parts_.log.warn(done.refusal->text());
        return;
    }
    finish_swap(training, std::move(done), false);
}

}  // namespace ptp::engine
