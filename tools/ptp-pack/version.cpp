// Compares versions by Semantic Versioning, and reads requirements.

#include "ptp-pack/version.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <charconv>

namespace ptp::pack {

namespace {

bool is_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Parses a natural number without leading zeros.
std::optional<std::uint64_t> natural(std::string_view text) {
    std::uint64_t number = 0;
    if (!is_digits(text) || (text.size() > 1 && text.front() == '0')) {
        return std::nullopt;
    }
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

// Splits "a.b.c" into its parts, which may be empty.
std::vector<std::string_view> parts_of(std::string_view text, char between) {
    std::vector<std::string_view> parts;
    std::size_t end = 0;
    while ((end = text.find(between)) != std::string_view::npos) {
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    parts.push_back(text);
    return parts;
}

bool is_prerelease_part(std::string_view part) {
    const bool is_word = !part.empty() && std::ranges::all_of(part, [](char c) {
        return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
               (c >= 'A' && c <= 'Z');
    });
    return is_word && (!is_digits(part) || natural(part).has_value());
}

// Compares numbers by value, words by bytes; numbers precede words.
std::strong_ordering compared(const std::string& left, const std::string& right) {
    const auto left_number = natural(left);
    const auto right_number = natural(right);
    if (left_number && right_number) {
        return *left_number <=> *right_number;
    }
    if (left_number || right_number) {
        return left_number ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    return left.compare(right) <=> 0;
}

struct Comparison {
    std::string_view relation;
    Version version;
};

// Returns nullopt for anything but a comparison, such as ">=1.2.0".
std::optional<Comparison> parse_comparison(std::string_view text) {
    for (const std::string_view relation : {">=", "<=", ">", "<", "="}) {
        if (text.starts_with(relation)) {
            const auto version = parse_version(trimmed(text.substr(relation.size())));
            return version ? std::optional(Comparison{relation, *version}) : std::nullopt;
        }
    }
    return std::nullopt;
}

bool is_met(const Comparison& wanted, const Version& version) {
    const std::strong_ordering order = version <=> wanted.version;
    return wanted.relation.find(order < 0 ? '<' : order > 0 ? '>' : '=') != std::string_view::npos;
}

// Returns the comparisons of a requirement; "*" has none.
std::vector<std::optional<Comparison>> comparisons_of(std::string_view requirement) {
    std::vector<std::optional<Comparison>> all;
    if (trimmed(requirement) != "*") {
        for (const std::string_view part : parts_of(requirement, ',')) {
            all.push_back(parse_comparison(trimmed(part)));
        }
    }
    return all;
}

}  // namespace

std::strong_ordering operator<=>(const Version& left, const Version& right) {
    if (const auto order = left.numbers <=> right.numbers; order != 0) {
        return order;
    }
    if (left.prerelease.empty() || right.prerelease.empty()) {
        return left.prerelease.empty() <=> right.prerelease.empty();
    }
    const std::size_t common = std::min(left.prerelease.size(), right.prerelease.size());
    for (std::size_t i = 0; i < common; ++i) {
        if (const auto order = compared(left.prerelease[i], right.prerelease[i]); order != 0) {
            return order;
        }
    }
    return left.prerelease.size() <=> right.prerelease.size();
}

std::optional<Version> parse_version(std::string_view text) {
    constexpr std::size_t kMaxVersionBytes = 64;
    Version version;
    const std::size_t dash = text.find('-');
    const auto numbers = parts_of(text.substr(0, dash), '.');
    if (text.size() > kMaxVersionBytes || numbers.size() != version.numbers.size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto number = natural(numbers[i]);
        if (!number) {
            return std::nullopt;
        }
        version.numbers[i] = *number;
    }
    if (dash != std::string_view::npos) {
        for (const std::string_view part : parts_of(text.substr(dash + 1), '.')) {
            if (!is_prerelease_part(part)) {
                return std::nullopt;
            }
            version.prerelease.emplace_back(part);
        }
    }
    return version;
}

bool is_newer(std::string_view version, std::string_view other) {
    return *parse_version(version) > *parse_version(other);
}

bool is_prerelease(std::string_view version) {
    return !parse_version(version)->prerelease.empty();
}

bool is_requirement(std::string_view text) {
    return std::ranges::all_of(comparisons_of(text),
                               [](const auto& comparison) { return comparison.has_value(); });
}

bool accepts(std::string_view requirement, std::string_view version) {
    const Version parsed = *parse_version(version);
    return std::ranges::all_of(comparisons_of(requirement),
                               [&](const auto& comparison) { return is_met(*comparison, parsed); });
}

}  // namespace ptp::pack
