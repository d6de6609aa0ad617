// Measures how alike names are, and words the advice that follows.

#include "base/suggest.hpp"

#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <system_error>
#include <tuple>

namespace ptp {

std::string folded(std::string_view name) {
    std::string result;
    for (const char c : name) {
        const int lower = std::tolower(static_cast<unsigned char>(c));
        result += c == '-' ? '_' : static_cast<char>(lower);
    }
    return result;
}

namespace {

constexpr std::size_t kMaxListed = 40;

// Returns the length of the longest common substring.
std::size_t common_run(std::string_view left, std::string_view right) {
    constexpr std::size_t kMaxCompared = 1000;  // longer texts are not typing mistakes
    if (std::max(left.size(), right.size()) > kMaxCompared) {
        return 0;
    }
    std::size_t longest = 0;
    std::vector<std::size_t> above(right.size() + 1);
    std::vector<std::size_t> row(right.size() + 1);
    for (const char letter : left) {
        for (std::size_t j = 1; j <= right.size(); ++j) {
            row[j] = letter == right[j - 1] ? above[j - 1] + 1 : 0;
            longest = std::max(longest, row[j]);
        }
        std::swap(above, row);
    }
    return longest;
}

// Returns whether one contains the other, or their common substring exceeds half of the shorter
// one.
bool is_alike(std::string_view left, std::string_view right) {
    constexpr std::size_t kMinHeld = 3;
    constexpr std::size_t kMinCommon = 4;
    const std::size_t shorter = std::min(left.size(), right.size());
    const std::size_t run = common_run(left, right);
    const bool is_held = run == shorter && shorter >= kMinHeld;
    return is_held || (run >= kMinCommon && run * 5 >= shorter * 3);
}

// Allows about one typing mistake in three letters.
std::size_t allowed_distance(std::string_view left, std::string_view right) {
    return std::max<std::size_t>(1, std::max(left.size(), right.size()) / 3);
}

// Returns whether one name abbreviates the other, as "vocab" does "vocabulary".
bool is_abbreviated(std::string_view one, std::string_view other) {
    constexpr std::size_t kMinLength = 3;
    return std::min(one.size(), other.size()) >= kMinLength &&
           (one.starts_with(other) || other.starts_with(one));
}

// Returns whether the words of two names are alike, one by one, if both have the same number of
// words.
bool are_words_alike(std::string_view left, std::string_view right) {
    if (std::ranges::count(left, '_') != std::ranges::count(right, '_')) {
        return true;
    }
    for (;;) {
        const std::size_t left_end = left.find('_');
        const std::size_t right_end = right.find('_');
        const std::string_view one = left.substr(0, left_end);
        const std::string_view other = right.substr(0, right_end);
        if (edit_distance(one, other) > allowed_distance(one, other) &&
            !is_abbreviated(one, other)) {
            return false;
        }
        if (left_end == std::string_view::npos) {
            return true;
        }
        left.remove_prefix(left_end + 1);
        right.remove_prefix(right_end + 1);
    }
}

// Returns the only known name that contains the given one.
std::optional<std::string> only_holder(std::string_view name, std::span<const std::string> known) {
    constexpr std::size_t kMinHeld = 4;
    const std::string wanted = folded(name);
    std::optional<std::string> found;
    for (const std::string& other : known) {
        if (wanted.size() < kMinHeld || folded(other).find(wanted) == std::string::npos) {
            continue;
        }
        if (found) {
            return std::nullopt;
        }
        found = other;
    }
    return found;
}

// Returns the only known name of several words whose first one differs from the given name by one
// letter: "kernel_size" for "kernal".
std::optional<std::string> only_begun(std::string_view name, std::span<const std::string> known) {
    constexpr std::size_t kMinLength = 5;
    const std::string wanted = folded(name);
    std::optional<std::string> found;
    for (const std::string& other : known) {
        const std::string first = folded(std::string_view(other).substr(0, other.find('_')));
        if (std::min(wanted.size(), first.size()) < kMinLength || first.size() == other.size() ||
            first.size() > wanted.size() + 1 || edit_distance(wanted, first) > 1) {
            continue;
        }
        if (found) {
            return std::nullopt;
        }
        found = other;
    }
    return found;
}

}  // namespace

std::size_t edit_distance(std::string_view left, std::string_view right) {
    std::vector<std::size_t> before_last(right.size() + 1);
    std::vector<std::size_t> last(right.size() + 1);
    std::vector<std::size_t> row(right.size() + 1);
    for (std::size_t j = 0; j <= right.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= left.size(); ++i) {
        std::swap(before_last, last);
        std::swap(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
            const bool is_swap =
                i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
            if (is_swap) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
    }
    return row[right.size()];
}

std::optional<std::string> nearest(std::string_view name, std::span<const std::string> known) {
    using Candidate = std::tuple<std::size_t, std::size_t, std::string>;
    std::optional<Candidate> best;
    for (const std::string& other : known) {
        const std::size_t longest = std::max(name.size(), other.size());
        const std::size_t allowed = allowed_distance(name, other);
        // The distance is at least the difference in length: this keeps absurd names cheap.
        if (longest - std::min(name.size(), other.size()) > allowed) {
            continue;
        }
        const std::string wanted = folded(name);
        const std::string one = folded(other);
        const std::size_t distance = edit_distance(wanted, one);
        if (distance > allowed || distance >= longest || !are_words_alike(wanted, one)) {
            continue;
        }
        const Candidate candidate{distance, edit_distance(name, other), other};
        if (!best || candidate < *best) {
            best = candidate;
        }
    }
    return best ? std::optional(std::get<2>(*best)) : std::nullopt;
}

namespace {

// Returns "; did you mean 'x'?", or "".
std::string meant_text(std::string_view name, std::span<const std::string> known) {
    if (const auto meant = nearest(name, known)) {
        return fmt::format("; did you mean '{}'?", *meant);
    }
    auto held = only_holder(name, known);
    if (!held) {
        held = only_begun(name, known);
    }
    return held ? fmt::format("; did you mean '{}'?", *held) : "";
}

// Returns "; known: a, b, c", or "".
std::string known_text(std::span<const std::string> known, std::string_view all) {
    if (known.empty()) {
        return "";
    }
    const auto listed = known.first(std::min(known.size(), kMaxListed));
    const std::string text = fmt::format("; known: {}", join(listed, ", "));
    const std::size_t left_out = known.size() - listed.size();
    if (left_out == 0) {
        return text;
    }
    return fmt::format("{} and {} more{}{}", text, left_out, all.empty() ? "" : "; ", all);
}

}  // namespace

std::string hint(std::string_view name, std::span<const std::string> known, std::string_view all) {
    const std::string meant = meant_text(name, known);
    return meant.empty() ? known_text(known, all) : meant;
}

std::string hint_among(std::string_view name, std::span<const std::string> candidates,
                       std::span<const std::string> known) {
    const std::string meant = meant_text(name, candidates);
    return meant.empty() ? known_text(known, {}) : meant;
}

std::vector<std::string> most_alike(std::string_view name, std::span<const std::string> known,
                                    std::size_t count) {
    const std::string wanted = folded(name);
    const auto rank = [&](const std::string& other) {
        const std::string one = folded(other);
        const bool is_part = !wanted.empty() && (one.find(wanted) != std::string::npos ||
                                                 wanted.find(one) != std::string::npos);
        return std::tuple(!is_part, edit_distance(wanted, one), other);
    };
    std::vector<std::string> names;
    std::ranges::copy_if(known, std::back_inserter(names),
                         [&](const std::string& other) { return is_alike(wanted, folded(other)); });
    std::ranges::sort(names, {}, rank);
    names.resize(std::min(names.size(), count));
    return names;
}

std::string joined(std::span<const std::string> names, std::string_view last_word) {
    if (names.empty()) {
        return "";
    }
    if (names.size() == 1) {
        return names.front();
    }
    const auto first = names.first(names.size() - 1);
    return fmt::format("{} {} {}", join(first, ", "), last_word, names.back());
}

namespace {

std::string without_digits(std::string_view name) {
    std::string result(name);
    std::erase_if(result, is_digit);
    return result;
}

}  // namespace

std::string hint_of_layer(std::string_view name, std::span<const std::string> known) {
    std::vector<std::string> numbered;
    std::ranges::copy_if(known, std::back_inserter(numbered), [&](const std::string& other) {
        return other != name && without_digits(other) == without_digits(name);
    });
    return numbered.empty() ? hint(name, known) : known_text(numbered, {});
}

std::string number_meant(std::string_view text) {
    std::string number(trimmed(text));
    if (std::ranges::count(number, ',') == 1 && number.find('.') == std::string::npos) {
        number[number.find(',')] = '.';
    }
    constexpr std::string_view kSuffixes = "fFdDlL";
    if (!number.empty() && kSuffixes.find(number.back()) != std::string_view::npos) {
        number.pop_back();
    }
    if (const std::size_t dot = number.find('.'); dot != std::string::npos) {
        if (dot + 1 == number.size() || !is_digit(number[dot + 1])) {
            number.insert(dot + 1, "0");
        }
        if (dot == 0 || !is_digit(number[dot - 1])) {
            number.insert(dot, "0");
        }
    }
    const std::string_view digits =
        std::string_view(number).substr(number.starts_with('-') || number.starts_with('+') ? 1 : 0);
    const bool begins_well = !digits.empty() && is_digit(digits.front()) &&
                             !(digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]));
    double parsed = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
    const bool is_whole = end == digits.data() + digits.size() && error == std::errc();
    const bool has_digit = std::ranges::any_of(text, is_digit);  // which "." has not
    return begins_well && is_whole && has_digit ? number : "";
}

std::vector<std::string> meanings_of_commas(std::string_view text) {
    std::vector<std::string> pieces;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        pieces.emplace_back(trimmed(text.substr(begin, comma - begin)));
        begin = comma + 1;
    }
    const auto rest = std::span(pieces).subspan(1);
    if (rest.empty() || std::ranges::any_of(pieces, &std::string::empty)) {
        return {};
    }
    std::vector<std::string> meanings;
    const auto is_group = [](const std::string& piece) {
        return piece.size() == 3 && std::ranges::all_of(piece, is_digit);
    };
    const std::string& first = pieces.front();
    if (first.size() <= 3 && std::ranges::all_of(first, is_digit) && first.front() != '0' &&
        std::ranges::all_of(rest, is_group)) {
        meanings.push_back(join(pieces, ""));
    }
    if (std::string number = number_meant(text); !number.empty()) {
        meanings.push_back(std::move(number));
    }
    const auto is_number = [](const std::string& piece) { return number_meant(piece) == piece; };
    const auto is_bare = [](const std::string& piece) {
        return !is_digit(piece.front()) && piece.find_first_of("\"'\\") == piece.npos &&
               number_meant(piece).empty();
    };
    const auto is_quoted = [](const std::string& piece) {
        return piece.size() > 1 && piece.front() == '"' && piece.find('"', 1) + 1 == piece.size();
    };
    if (std::ranges::all_of(pieces, is_number) || std::ranges::all_of(pieces, is_quoted)) {
        meanings.push_back(fmt::format("[{}]", join(pieces, ", ")));
    } else if (std::ranges::all_of(pieces, is_bare)) {
        meanings.push_back(fmt::format("[\"{}\"]", join(pieces, "\", \"")));
        meanings.push_back(fmt::format("\"{}\"", text));
    }
    return meanings;
}

}  // namespace ptp
