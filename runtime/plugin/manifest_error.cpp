#include "plugin/manifest_error.hpp"

#include <fmt/format.h>

#include <utility>

namespace ptp::plugin {

ManifestError::ManifestError(std::vector<std::string> problems)
    : std::runtime_error(fmt::format("{}", fmt::join(problems, "; "))),
      Explained({what()}),
      problems_(std::move(problems)) {}

ManifestError::ManifestError(const Explanation& problem)
    : std::runtime_error(problem.text()), Explained(problem), problems_{problem.text()} {}

}  // namespace ptp::plugin
