// Reads versions of plugins, and derives the next one from a change.

#include "plugin/version_number.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace ptp::plugin {

std::optional<VersionNumber> VersionNumber::parse(std::string_view text) {
    VersionNumber version;
    for (std::uint64_t* const number : {&version.major, &version.minor, &version.patch}) {
        if (number != &version.major) {
            if (!text.starts_with('.')) {
                return std::nullopt;
            }
            text.remove_prefix(1);
        }
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
        if (error != std::errc()) {
            return std::nullopt;
        }
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    const bool is_whole = text.empty() || text.front() == '-' || text.front() == '+';
    return is_whole ? std::optional(version) : std::nullopt;
}

std::string VersionNumber::text() const {
    return fmt::format("{}.{}.{}", major, minor, patch);
}

VersionNumber VersionNumber::after(Change change) const {
    if (change == Change::kIdentical) {
        return *this;
    }
    const bool is_compatible = change == Change::kWidened;
    if (major > 0) {
        return is_compatible ? VersionNumber{major, minor + 1, 0} : VersionNumber{major + 1, 0, 0};
    }
    if (minor > 0 && !is_compatible) {
        return {0, minor + 1, 0};
    }
    return {0, minor, patch + 1};
}

}  // namespace ptp::plugin
