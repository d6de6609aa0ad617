// Executes requests to a training, between two of its episodes.
//
// Changes of the training are in the journal before they take effect, so that they can be repeated
// at the same place.

#pragma once

#include "control/command.hpp"
#include "engine/train/live_training.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ptp::engine {

// [main]
class LiveCommands {
public:
    // The functions that LiveCommands needs from its owner, besides the training. LiveControl has
    // them, and tests have others.
    class Host {
    public:
        virtual ~Host() = default;
        virtual void add_to_journal(const control::Request& request) = 0;
        virtual void say(const std::string& text) = 0;  // to the user
        // Returns the generations of plugins, for the status.
        [[nodiscard]] virtual Value generations(std::uint64_t episodes) const = 0;
        virtual void order_swap(const control::Swap& swap) = 0;
    };

    LiveCommands(Host& host, bool is_paused) : host_(host), is_paused_(is_paused) {}

    // Answers a request that control::parse() accepts. Returns nullopt for a swap, which is
    // ordered: its reply comes when it is prepared. Throws RunError if the training cannot
    // continue.
    std::optional<control::Reply> answer(LiveTraining& training, const control::Request& request);

    // Repeats a request of a journal. Throws RunError.
    void repeat(LiveTraining& training, const control::Request& request);

    [[nodiscard]] bool is_paused() const { return is_paused_; }
    void pause_if_due(std::uint64_t episodes);

    // Returns whether a signal, or the request to stop the training, has interrupted the training.
    [[nodiscard]] bool was_interrupted() const { return was_interrupted_; }

    // The following functions are for the actions of requests, in control/requests.hpp.
    [[nodiscard]] LiveTraining& training() const { return *training_; }
    [[nodiscard]] std::uint64_t episodes() const { return training_->next_position().episode; }
    [[nodiscard]] Value generations() const { return host_.generations(episodes()); }
    void pause();
    // Continues until `count` episodes have run; nullopt: without an end.
    void proceed(const std::optional<std::int64_t>& count);
    // Ends the training before its next episode, as a signal does.
    void stop();
    // Returns the measurement.
    std::string validate();
    // Returns the reply after a change, which is also logged.
    [[nodiscard]] control::Reply done(std::string text) const;

private:
    Host& host_;
    LiveTraining* training_ = nullptr;  // that of the current request
    bool is_paused_ = false;
    std::optional<std::uint64_t> pause_after_;  // N episodes
    bool was_interrupted_ = false;
};

}  // namespace ptp::engine
