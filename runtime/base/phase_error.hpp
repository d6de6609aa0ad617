// Errors of work that is done in phases: a plugin is staged, loaded, exchanged.
#pragma once

#include "base/file_error.hpp"

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace ptp {

// Whether the same can be expected to succeed at another moment: the system lacked room,
// descriptors or memory.
enum class RefusedFor : std::int32_t { kGood, kNow };

// what() is for a person, as the derived class words it.
template <class Phase>
class PhaseError : public std::runtime_error {
public:
    [[nodiscard]] Phase phase() const { return phase_; }
    [[nodiscard]] const std::string& reason() const { return reason_; }  // without the phase
    [[nodiscard]] RefusedFor refused_for() const { return refused_for_; }

protected:
    PhaseError(const std::string& what, Phase phase, std::string reason, RefusedFor refused_for)
        : std::runtime_error(what),
          phase_(phase),
          reason_(std::move(reason)),
          refused_for_(refused_for) {}

private:
    Phase phase_;
    std::string reason_;
    RefusedFor refused_for_;
};

// Does the work of a phase. Whatever goes wrong in it becomes make_error(reason, refused_for), but
// for a Passing.
template <class Passing, class Work, class MakeError>
auto in_phase(Work work, MakeError make_error) {
    try {
        return work();
    } catch (const Passing&) {
        throw;
    } catch (const ResourceError& error) {
        throw make_error(error.what(), RefusedFor::kNow);
    } catch (const std::exception& error) {
        throw make_error(error.what(), RefusedFor::kGood);
    }
}

}  // namespace ptp
