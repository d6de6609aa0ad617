// Executes each request on a training, and repeats the requests of a journal.

#include "engine/swap/live_commands.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
#include "engine/distributed/signals.hpp"

#include <fmt/core.h>

#include <utility>
#include <variant>

namespace ptp::engine {

using control::Reply;

// The interface of a training to requests, whose effects are implemented in control/requests.hpp.
class LiveCommands::Run {
public:
    Run(LiveCommands& commands, LiveTraining& training)
        : commands_(commands), training_(training) {}

    [[nodiscard]] LiveTraining& training() const { return training_; }
    [[nodiscard]] bool is_paused() const { return commands_.is_paused_; }
    [[nodiscard]] std::uint64_t episodes() const { return training_.next_position().episode; }
    [[nodiscard]] Value generations() const {
        return commands_.surroundings_.generations(episodes());
    }

    void pause() {
        commands_.is_paused_ = true;
        commands_.pause_after_.reset();
    }

    // Continues until `count` episodes have run; nullopt: without an end.
    void proceed(const std::optional<std::int64_t>& count) {
        commands_.is_paused_ = false;
        commands_.pause_after_.reset();
        if (count) {
            commands_.pause_after_ = episodes() + static_cast<std::uint64_t>(*count);
        }
    }

    // Ends the training before its next episode, as a signal does.
    void stop() {
        commands_.was_interrupted_ = true;
        Signals::receive(Signals::kStopRequest);
    }

    // Returns the measurement.
    std::string validate() {
        const auto measured = training_.validate_now();
        commands_.was_interrupted_ = !measured;
        return measured.value_or("a signal ended the validation");
    }

    // Returns the reply after a change, which is also logged.
    [[nodiscard]] Reply done(std::string text) const {
        commands_.surroundings_.say(text);
        return {true, std::move(text), Value::table({{"episode", episodes()}})};
    }

private:
    LiveCommands& commands_;
    LiveTraining& training_;
};

std::optional<Reply> LiveCommands::answer(LiveTraining& training, const control::Request& request) {
    const control::Command command = control::parse(request);
    const auto act = [&](const auto& each) -> std::optional<Reply> {
        using Each = std::decay_t<decltype(each)>;
        if constexpr (std::is_same_v<Each, control::Swap>) {
            surroundings_.order_swap(each);
            return std::nullopt;
        } else {
            Run run(*this, training);
            if constexpr (requires { each.require(run); }) {
                each.require(run);
            }
            if constexpr (Each::kIsJournalled) {
                surroundings_.add_to_journal(request);
            }
            return each.act(run);
        }
    };
    try {
        return std::visit(act, command);
    } catch (const RunError& error) {
        if (error.code() != kConfigurationError) {
            throw;
        }
        return Reply::failure(error.what());
    }
}

void LiveCommands::repeat(LiveTraining& training, const control::Request& request) {
    const control::Command command = control::parse(request);
    const auto act = [&](const auto& each) {
        if constexpr (std::is_same_v<std::decay_t<decltype(each)>, control::Swap>) {
            throw RunError(kDataError, "a swap is not repeated by its request");
        } else {
            Run run(*this, training);
            static_cast<void>(each.act(run));
        }
    };
    std::visit(act, command);
}

void LiveCommands::pause_if_due(std::uint64_t episodes) {
    if (pause_after_ && episodes >= *pause_after_) {
        is_paused_ = true;
        pause_after_.reset();
        surroundings_.say("paused after " + counted(episodes, "episode"));
    }
}

}  // namespace ptp::engine
