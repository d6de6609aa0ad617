#include "engine/swap/live_commands.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <utility>
#include <variant>

namespace ptp::engine {

using control::Reply;

// One function for each command. May the training do it at all? That is asked before the journal
// has it.
class LiveCommands::Act {
public:
    Act(LiveCommands& commands, LiveTraining& training)
        : commands_(commands), training_(training) {}

    void check(const control::LearningRate& command) const { training_.check_group(command.group); }
    void check(const control::Validate&) const {
        if (const std::string reason = training_.no_validation(); !reason.empty()) {
            throw RunError(kConfigurationError, reason);
        }
    }
    void check(const auto&) const {}

    Reply operator()(const control::Status&) const {
        Value table = training_.standing();
        table.set("state", commands_.is_paused_ ? "paused" : "running");
        table.set("generations", commands_.parts_.generations(episodes()));
        return {true, "", std::move(table)};
    }

    Reply operator()(const control::Pause&) const {
        commands_.is_paused_ = true;
        commands_.pause_after_.reset();
        return done(fmt::format("paused after {} episodes", episodes()));
    }

    Reply operator()(const control::Continue& command) const {
        commands_.is_paused_ = false;
        commands_.pause_after_.reset();
        std::string text = fmt::format("continues after {} episodes", episodes());
        if (command.episodes) {
            commands_.pause_after_ = episodes() + static_cast<std::uint64_t>(*command.episodes);
            text += fmt::format(", for {}", *command.episodes);
        }
        return done(std::move(text));
    }

    Reply operator()(const control::Checkpoint&) const {
        training_.save_now();
        return done(fmt::format("saved a checkpoint after {} episodes", episodes()));
    }

    Reply operator()(const control::Validate&) const {
        const auto measured = training_.validate_now();
        commands_.was_interrupted_ = !measured;
        return done(measured.value_or("a signal ended the validation"));
    }

    Reply operator()(const control::LearningRate& command) const {
        training_.set_learning_rate(command.rate, command.group);
        return done(fmt::format("the learning rate{} is {:g} from episode {} on",
                                command.group.empty() ? "" : " of '" + command.group + "'",
                                command.rate, episodes()));
    }

private:
    [[nodiscard]] std::uint64_t episodes() const { return training_.next_position().episode; }

    [[nodiscard]] Reply done(std::string text) const {
        commands_.parts_.say(text);
        return {true, std::move(text), Value::table({{"episode", episodes()}})};
    }

    LiveCommands& commands_;
    LiveTraining& training_;
};

std::optional<Reply> LiveCommands::answer(LiveTraining& training, const control::Request& request,
                                          const OrderSwap& order_swap) {
    const control::Command command = control::parse(request);
    const auto act = [&](const auto& each) -> std::optional<Reply> {
        using Each = std::decay_t<decltype(each)>;
        if constexpr (std::is_same_v<Each, control::Swap>) {
            order_swap(each);
            return std::nullopt;
        } else {
            const Act act(*this, training);
            act.check(each);
            if constexpr (Each::kIsJournalled) {
                parts_.journal(request);
            }
            return act(each);
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
            static_cast<void>(Act(*this, training)(each));
        }
    };
    std::visit(act, command);
}

void LiveCommands::pause_if_due(std::uint64_t episodes) {
    if (pause_after_ && episodes >= *pause_after_) {
        is_paused_ = true;
        pause_after_.reset();
        parts_.say(fmt::format("paused after {} episodes", episodes));
    }
}

}  // namespace ptp::engine
