#include "plugin/manifest_error.hpp"

#include <fmt/format.h>

#include <utility>

namespace ptp::plugin {

ManifestError::ManifestError(std::vector<std::string> problems)
    : std::runtime_error(fmt::format("{}", fmt::join(problems, "; "))),
      problems_(std::move(problems)) {}

}  // namespace ptp::plugin
