// A plugin describes itself in a way that cannot be right.
#pragma once

#include "base/explanation.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace ptp::plugin {

// what() is all problems, separated by "; ". Each states where in the manifest, and what is wrong.
class ManifestError : public std::runtime_error, public Explained {
public:
    explicit ManifestError(std::vector<std::string> problems);
    explicit ManifestError(const Explanation& problem);

    [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

private:
    std::vector<std::string> problems_;
};

}  // namespace ptp::plugin
