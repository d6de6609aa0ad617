// The error for an invalid description of a plugin.
#pragma once

#include "base/explanation.hpp"
#include "base/text.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ptp::plugin {

// Thrown with all problems, separated by "; ". Each has its place in the manifest.
class ManifestError : public std::runtime_error, public Explained {
public:
    explicit ManifestError(std::vector<std::string> problems)
        : std::runtime_error(join(problems, "; ")),
          Explained({what()}),
          problems_(std::move(problems)) {}
    explicit ManifestError(const Explanation& problem)
        : std::runtime_error(problem.text()), Explained(problem), problems_{problem.text()} {}

    [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

private:
    std::vector<std::string> problems_;
};

}  // namespace ptp::plugin
