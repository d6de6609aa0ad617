#include "engine/swap/swap_vote.hpp"

#include "base/number.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <exception>
#include <vector>

namespace ptp::engine {

namespace {

constexpr char kNow = 'n';
constexpr char kGood = 'g';

// Returns "n5 RANK...\0FIX": for now or not, the exit code, the reason and the fix.
std::string text_of_objection(const SwapError& error, const distributed::Place& place) {
    const auto& [reason, fix] = error.explanation();
    std::string text =
        fmt::format("{}{} rank {} of {} on {} refuses it {}",
                    error.refused_for() == RefusedFor::kNow ? kNow : kGood,
                    static_cast<int>(error.code()), place.rank, place.size, place.host, reason);
    text += '\0';
    text += fix;
    return text;
}

SwapError objection_from(const std::string& text) {
    const std::size_t space = text.find(' ');
    const std::size_t end = text.find('\0');
    const int code = std::stoi(text.substr(1, space - 1));
    return {SwapPhase::kCommit,
            {text.substr(space + 1, end - space - 1), text.substr(end + 1)},
            text.front() == kNow ? RefusedFor::kNow : RefusedFor::kGood,
            static_cast<ExitCode>(code)};
}

}  // namespace

void SwapVote::cast(const SwapError* objection) {
    if (group_ == nullptr) {
        return;
    }
    const std::string own =
        objection == nullptr ? "" : text_of_objection(*objection, group_->place());
    std::string first;
    for (const std::string& each : group_->gather(own, "the vote on a swap")) {
        first = first.empty() ? each : first;
    }
    const std::string decision = group_->share(first, "the vote on a swap");
    if (objection == nullptr && !decision.empty()) {
        throw objection_from(decision);
    }
}

void SwapVote::decide(const std::function<void()>& note) {
    if (group_ == nullptr) {
        note();
        return;
    }
    std::exception_ptr failure;
    std::string why;
    if (group_->is_first()) {
        try {
            note();
        } catch (const std::exception& error) {
            failure = std::current_exception();
            why = fmt::format("rank 0 of {} on {} cannot note it: {}", group_->size(),
                              group_->place().host, explanation_of(error).reason);
        }
    }
    why = group_->share(why, "the commit of a swap");
    if (failure) {
        std::rethrow_exception(failure);
    }
    if (!why.empty()) {
        throw SwapError(SwapPhase::kCommit, {why}, RefusedFor::kNow, kTrainingError);
    }
}

}  // namespace ptp::engine
