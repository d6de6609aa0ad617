// Executes each request on a training, and repeats the requests of a journal.

#include "engine/swap/live_commands.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
#include "engine/distributed/signals.hpp"

#include <utility>
#include <variant>

namespace ptp::engine {

using control::Reply;

std::optional<Reply> LiveCommands::answer(LiveTraining& training, const control::Request& request) {
    training_ = &training;
    const control::AnyRequest parsed = control::parse(request);
    const auto act = [&](const auto& each) -> std::optional<Reply> {
        using Each = std::decay_t<decltype(each)>;
        if constexpr (std::is_same_v<Each, control::Swap>) {
            host_.order_swap(each);
            return std::nullopt;
        } else {
            if constexpr (requires { each.require(*this); }) {
                each.require(*this);
            }
            if constexpr (Each::kIsJournalled) {
                host_.add_to_journal(request);
            }
            return each.act(*this);
        }
    };
    try {
        return std::visit(act, parsed);
    } catch (const RunError& error) {
        if (error.code() != kConfigurationError) {
            throw;
        }
        return Reply::failure(error.what());
    }
}

void LiveCommands::repeat(LiveTraining& training, const control::Request& request) {
    training_ = &training;
    const control::AnyRequest parsed = control::parse(request);
    const auto act = [&](const auto& each) {
        if constexpr (std::is_same_v<std::decay_t<decltype(each)>, control::Swap>) {
            throw RunError(kDataError, "a swap is not repeated by its request");
        } else {
            static_cast<void>(each.act(*this));
        }
    };
    std::visit(act, parsed);
}

void LiveCommands::pause_if_due(std::uint64_t episodes) {
    if (pause_after_ && episodes >= *pause_after_) {
        is_paused_ = true;
        pause_after_.reset();
        host_.say("paused after " + counted(episodes, "episode"));
    }
}

void LiveCommands::pause() {
    is_paused_ = true;
    pause_after_.reset();
}

void LiveCommands::proceed(const std::optional<std::int64_t>& count) {
    is_paused_ = false;
    pause_after_.reset();
    if (count) {
        pause_after_ = episodes() + static_cast<std::uint64_t>(*count);
    }
}

void LiveCommands::stop() {
    was_interrupted_ = true;
    Signals::receive(Signals::kStopRequest);
}

std::string LiveCommands::validate() {
    const auto measured = training_->validate_now();
    was_interrupted_ = !measured;
    return measured.value_or("a signal ended the validation");
}

Reply LiveCommands::done(std::string text) const {
    host_.say(text);
    return {true, std::move(text), Value::table({{"episode", episodes()}})};
}

}  // namespace ptp::engine
