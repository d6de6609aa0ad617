// The reason of a failure and its fix. Errors show the fix as a line that begins with "fix: "; the
// code that detects an error fills in both.
#pragma once

#include "base/exit_code.hpp"

#include <exception>
#include <string>
#include <utility>

namespace ptp {

struct Explanation {
    std::string reason;
    std::string fix = {};  // "": none is known

    // Returns "REASON\n    fix: FIX", as errors have it; the reason alone if there is no fix.
    [[nodiscard]] std::string text() const {
        return fix.empty() ? reason : reason + "\n    fix: " + fix;
    }

    friend bool operator==(const Explanation&, const Explanation&) = default;
};

// A base class of exceptions whose what() is the text of an explanation.
class Explained {
public:
    explicit Explained(Explanation explanation) : explanation_(std::move(explanation)) {}
    virtual ~Explained() = default;

    [[nodiscard]] const Explanation& explanation() const { return explanation_; }

private:
    Explanation explanation_;
};

// An exception of type Error that has an explanation.
template <class Error>
class WithFix : public Error, public Explained {
public:
    explicit WithFix(const Explanation& explanation)
        : Error(explanation.text()), Explained(explanation) {}
    WithFix(ExitCode code, const Explanation& explanation)
        : Error(code, explanation.text()), Explained(explanation) {}
};

// Returns the explanation of any exception; the reason is what() if it has none.
inline Explanation explanation_of(const std::exception& error) {
    const auto* const explained = dynamic_cast<const Explained*>(&error);
    return explained != nullptr ? explained->explanation() : Explanation{error.what()};
}

}  // namespace ptp
