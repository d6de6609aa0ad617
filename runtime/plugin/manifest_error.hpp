// The error for an invalid description of a plugin.
#pragma once

#include "base/explanation.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace ptp::plugin {

// Thrown with all problems, separated by "; ". Each has its place in the manifest.
class ManifestError : public std::runtime_error, public Explained {
public:
    explicit ManifestError(std::vector<std::string> problems);
    explicit ManifestError(const Explanation& problem);

    [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

private:
    std::vector<std::string> problems_;
};

}  // namespace ptp::plugin
