// Executes requests to a training, between two of its episodes.
//
// Changes of the training are in the journal before they take effect, so that they can be repeated
// at the same place.

#pragma once

#include "control/command.hpp"
#include "engine/train/live_training.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ptp::engine {

// [main]
class LiveCommands {
public:
    struct Parts {
        std::function<void(const control::Request&)> journal;
        std::function<void(const std::string&)> say;               // to the user
        std::function<Value(std::uint64_t episodes)> generations;  // for the status
    };
    using OrderSwap = std::function<void(const control::Swap&)>;

    LiveCommands(Parts parts, bool is_paused) : parts_(std::move(parts)), is_paused_(is_paused) {}

    // Returns nullopt for a swap, which is ordered: its reply comes when it is prepared. Throws
    // RunError if the training cannot continue. REQUIRES: a checked request.
    std::optional<control::Reply> answer(LiveTraining& training, const control::Request& request,
                                         const OrderSwap& order_swap);

    // Repeats a request of a journal. Throws RunError.
    void repeat(LiveTraining& training, const control::Request& request);

    [[nodiscard]] bool is_paused() const { return is_paused_; }
    void pause_if_due(std::uint64_t episodes);

    // Returns whether a signal, or the request to stop the training, has ended the request.
    [[nodiscard]] bool was_interrupted() const { return was_interrupted_; }

private:
    class Run;

    Parts parts_;
    bool is_paused_ = false;
    std::optional<std::uint64_t> pause_after_;  // N episodes
    bool was_interrupted_ = false;
};

}  // namespace ptp::engine
