// The exception of the engine: why a run ends, in words for a person, and its exit code.

#pragma once

#include "base/exit_code.hpp"

#include <stdexcept>
#include <string>

namespace ptp {

class RunError : public std::runtime_error {
public:
    RunError(ExitCode code, const std::string& message)
        : std::runtime_error(message), code_(code) {}

    [[nodiscard]] ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

}  // namespace ptp
