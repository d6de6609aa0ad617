// A plugin describes itself in a way that cannot be right.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace ptp::plugin {

// what() is all problems, separated by "; ". Each states where in the manifest, and what is wrong.
class ManifestError : public std::runtime_error {
public:
    explicit ManifestError(std::vector<std::string> problems);

    const std::vector<std::string>& problems() const { return problems_; }

private:
    std::vector<std::string> problems_;
};

}  // namespace ptp::plugin
