#include "plugin/manifest_error.hpp"

#include "base/text.hpp"

#include <utility>

namespace ptp::plugin {

ManifestError::ManifestError(std::vector<std::string> problems)
    : std::runtime_error(join(problems, "; ")),
      Explained({what()}),
      problems_(std::move(problems)) {}

ManifestError::ManifestError(const Explanation& problem)
    : std::runtime_error(problem.text()), Explained(problem), problems_{problem.text()} {}

}  // namespace ptp::plugin
