#include "engine/swap/trial_phase.hpp"

#include <fmt/core.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>

namespace ptp::engine {

TrialPhase::TrialPhase(SwapPhase first) {
    static_assert(std::atomic<SwapPhase>::is_always_lock_free);
    void* const memory = ::mmap(nullptr, sizeof(*shared_), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::runtime_error(fmt::format("no shared memory: {}", std::strerror(errno)));
    }
    shared_ = new (memory) Shared{.phase = first};
}

void TrialPhase::note(const SwapError& error) {
    shared_->phase = error.phase();
    shared_->refused_for = error.refused_for();
    shared_->code = error.code();
}

SwapError TrialPhase::error(const Explanation& cause) const {
    return {shared_->phase, cause, shared_->refused_for, shared_->code};
}

TrialPhase::~TrialPhase() {
    ::munmap(shared_, sizeof(*shared_));
}

}  // namespace ptp::engine
