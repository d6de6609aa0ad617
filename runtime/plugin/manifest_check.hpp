// Checks a plugin's declarations against the rules of ptp/declarations.h that C's types cannot
// express, and has the error for declarations that break them.
#pragma once

#include "base/explanation.hpp"
#include "base/text.hpp"
#include "plugin/manifest.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ptp::plugin {

// The limits are far beyond the needs of any plugin; they bound the time and memory for reading a
// damaged or malicious one.
inline constexpr std::size_t kMaxManifestBytes = std::size_t{4} << 20U;  // as JSON
inline constexpr std::size_t kMaxManifestDepth = 32;                     // as JSON
inline constexpr std::uint32_t kMaxListItems = 1'000;                    // of one list
inline constexpr std::uint32_t kMaxAllItems = 100'000;                   // of all lists together
inline constexpr int kMaxTableDepth = 8;                                 // tables of settings
inline constexpr std::size_t kMaxNameBytes = 256;
inline constexpr std::size_t kMaxTextBytes = 65'536;
inline constexpr std::size_t kMaxProblems = 100;  // that are listed

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

// Returns all problems with their places: "LeNet5: setting 'type': the name is reserved for the
// experiment". Shapes, conditions and ranges are checked elsewhere, where they are used.
std::vector<std::string> check(const Manifest& manifest);

// Returns the error in a default value as TOML text of the setting's type; empty if there is none.
std::string check_default(const Setting& setting);

}  // namespace ptp::plugin
