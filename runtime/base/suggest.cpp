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

bool is_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./ ").find(c) != std::string_view::npos;
}

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
    const auto held = only_holder(name, known);
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

// Returns whether a value at this place of a line is an item of a list, which may begin on a line
// above; otherwise it is that of a key.
bool is_item_at(std::string_view line, std::size_t at) {
    int depth = 0;  // within brackets that are closed before `at`
    for (; at > 0; --at) {
        const char c = line[at - 1];
        if (c == ']' || c == '}') {
            ++depth;
        } else if (depth > 0 && (c == '[' || c == '{')) {
            --depth;
        } else if (depth == 0 && (c == '[' || c == '=')) {
            return c == '[';
        }
    }
    return true;
}

// Returns the table for a call of Python: { type = "Adam", lr = 0.01 } for
// "torch.optim.Adam(lr=0.01)"; "" for other text, and for calls with other arguments.
std::string table_of_call(std::string_view text) {
    const std::size_t open = text.find('(');
    const std::size_t close = text.find(')', std::min(open, text.size()));
    if (close == text.npos || text.find('(', open + 1) != text.npos) {
        return "";
    }
    std::string_view name = trimmed(text.substr(0, open));
    name.remove_prefix(name.rfind('.') + 1);
    std::string table = fmt::format("{{ type = \"{}\"", name);
    std::string_view rest = text.substr(open + 1, close - open - 1);
    while (!trimmed(rest).empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::size_t equals = rest.find('=');
        if (equals >= comma) {
            return "";
        }
        table += fmt::format(", {} = {}", trimmed(rest.substr(0, equals)),
                             trimmed(rest.substr(equals + 1, comma - equals - 1)));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return table + " }";
}

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

std::string_view other_number_at(std::string_view line, std::size_t at) {
    const auto is_of_number = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '+' || c == '-';
    };
    std::size_t begin = std::min(at, line.size());
    while (begin > 0 && is_of_number(line[begin - 1])) {
        --begin;
    }
    const std::string_view before = trimmed(line.substr(0, begin));
    const std::string_view rest = line.substr(begin);
    const std::string_view token(rest.begin(), std::ranges::find_if_not(rest, is_of_number));
    const bool is_value =
        !before.empty() && std::string_view("=,[").find(before.back()) != std::string_view::npos;
    const std::string number = is_value ? number_meant(token) : "";
    return number.empty() || number == token ? std::string_view() : token;
}

std::string fix_of_unquoted(std::string_view line, std::size_t at) {
    at = std::min(at, line.size());
    while (at > 0 && line[at - 1] != ' ' && is_of_word(line[at - 1])) {
        --at;
    }
    const std::string_view words = trimmed(line.substr(at, line.find_first_of(",]}#\r", at) - at));
    if (const std::string table = table_of_call(line.substr(at)); !table.empty()) {
        return "write " + table;
    }
    if (words.empty() || !std::ranges::all_of(words, is_of_word) ||
        std::isalpha(static_cast<unsigned char>(words.front())) == 0) {
        return "";
    }
    const std::string small = folded(words);
    return small == "true" || small == "yes"   ? "write true"
           : small == "false" || small == "no" ? "write false"
           : small == "none" || small == "null"
               ? fmt::format("leave the {} out", is_item_at(line, at) ? "item" : "key")
               : fmt::format("write \"{}\"", words);
}

}  // namespace ptp
