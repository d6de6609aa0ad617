// Does what requests ask of a training, between two of its episodes.
//
// What changes the training is in the journal before it takes effect, so that it can be done again
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
        std::function<void(const std::string&)> say;               // to a person
        std::function<Value(std::uint64_t episodes)> generations;  // for the status
    };
    using OrderSwap = std::function<void(const control::Swap&)>;

    LiveCommands(Parts parts, bool is_paused) : parts_(std::move(parts)), is_paused_(is_paused) {}

    // nullopt for a swap, which is ordered: its reply comes when it is prepared. Throws RunError if
    // the training cannot continue. REQUIRES: a request that was checked.
    std::optional<control::Reply> answer(LiveTraining& training, const control::Request& request,
                                         const OrderSwap& order_swap);

    // A request of a journal takes effect again. Throws RunError.
    void repeat(LiveTraining& training, const control::Request& request);

    [[nodiscard]] bool is_paused() const { return is_paused_; }
    void pause_if_due(std::uint64_t episodes);

    // Whether a signal has ended what was asked, or the request to stop the training.
    [[nodiscard]] bool was_interrupted() const { return was_interrupted_; }

private:
    class Run;

    Parts parts_;
    bool is_paused_ = false;
    std::optional<std::uint64_t> pause_after_;  // N episodes
    bool was_interrupted_ = false;
};

}  // namespace ptp::engine
