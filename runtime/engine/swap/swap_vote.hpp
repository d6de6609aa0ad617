// The vote of a training's processes whether all of them swap, or none: each states whether it can,
// then the first one writes the swap to the journal, and only then all of them do it.

#pragma once

#include "engine/distributed/group.hpp"
#include "engine/swap/swap_error.hpp"

#include <functional>
#include <optional>
#include <string>

namespace ptp::engine {

// [main] In a single process there is no vote, and each call only does its work.
class SwapVote {
public:
    // (optional) group
    explicit SwapVote(Group* group) : group_(group) {}

    // Called once for each swap in each process; `objection` is nullptr if this process can swap.
    // Throws SwapError (commit) if this process can and another one cannot.
    void cast(const SwapError* objection);

    // Called after cast() has returned in each of them: the first one does `note`, and none
    // continues if that throws. Throws its exception there, SwapError (commit) elsewhere.
    void decide(const std::function<void()>& note);

private:
    Group* group_;
};

}  // namespace ptp::engine
