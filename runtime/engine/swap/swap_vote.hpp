// How the processes of a training decide whether all of them swap, or none: each states whether it
// can, then the first one puts the swap into the journal, and only then all of them do it.

#pragma once

#include "engine/distributed/group.hpp"
#include "engine/swap/swap_error.hpp"

#include <functional>
#include <optional>
#include <string>

namespace ptp::engine {

// [main] In a single process there is nothing to decide, and each call does what it does there.
class SwapVote {
public:
    // (optional) group
    explicit SwapVote(Group* group) : group_(group) {}

    // In each process once for each swap, in place of what follows in it: it can, where `objection`
    // is nullptr. Throws SwapError (commit) where this process can and another one cannot.
    void cast(const SwapError* objection);

    // After cast() has returned in each of them: the first one does `note`, and none continues
    // where that has thrown. Throws what it throws there, SwapError (commit) elsewhere.
    void decide(const std::function<void()>& note);

private:
    Group* group_;
};

}  // namespace ptp::engine
