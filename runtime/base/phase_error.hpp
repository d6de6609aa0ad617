// Errors of work in phases, such as staging, loading or exchanging a plugin.
#pragma once

#include "base/explanation.hpp"
#include "base/file_error.hpp"

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

namespace ptp {

// The duration of a refusal: the same attempt may succeed later (kNow) if the system lacked space,
// descriptors or memory.
enum class RefusedFor : std::int32_t { kGood, kNow };

// An error of a phase. what() is for a person, as the derived class words it.
template <class Phase>
class PhaseError : public std::runtime_error, public Explained {
public:
    [[nodiscard]] Phase phase() const { return phase_; }
    [[nodiscard]] RefusedFor refused_for() const { return refused_for_; }

    // Returns the explanation without the phase.
    [[nodiscard]] const Explanation& cause() const { return cause_; }

protected:
    // Puts `title` before the reason in what().
    PhaseError(const std::string& title, Phase phase, const Explanation& cause,
               RefusedFor refused_for)
        : std::runtime_error(title + cause.text()),
          Explained({title + cause.reason, cause.fix}),
          phase_(phase),
          cause_(cause),
          refused_for_(refused_for) {}

private:
    Phase phase_;
    Explanation cause_;
    RefusedFor refused_for_;
};

// Does the work of a phase. Every exception except a Passing is replaced by make_error(cause,
// refused_for).
template <class Passing, class Work, class MakeError>
auto in_phase(Work work, MakeError make_error) {
    try {
        return work();
    } catch (const Passing&) {
        throw;
    } catch (const ResourceError& error) {
        throw make_error(explanation_of(error), RefusedFor::kNow);
    } catch (const std::exception& error) {
        throw make_error(explanation_of(error), RefusedFor::kGood);
    }
}

}  // namespace ptp
