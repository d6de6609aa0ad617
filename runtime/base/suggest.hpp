// The text after "unknown ...": the name that was probably meant, or all the names there are.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp {

// Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, replacements and
// swaps of neighbors that lead from one text to the other.
std::size_t edit_distance(std::string_view left, std::string_view right);

// What is left of a name when case and the kind of dash do not count.
std::string folded(std::string_view name);

// The known name that is most like `name`, if one is like enough: about one slip in three letters.
// Where both have several words, this holds for each: "batch_limit" is not a slip in "epoch_limit".
// Case and '-' for '_' count little. Of equally near names the alphabetically first.
std::optional<std::string> nearest(std::string_view name, std::span<const std::string> known);

// "; did you mean 'x'?" for the nearest, or the only one that holds the name; or "; known:
// a, b, c" where none is, or "" where none is known. Of very
// many the first are named; `all` then tells how to list the others: "ptp-inspect lists all".
std::string hint(std::string_view name, std::span<const std::string> known,
                 std::string_view all = {});

// The same, but only one of `candidates` is offered.
std::string hint_among(std::string_view name, std::span<const std::string> candidates,
                       std::span<const std::string> known);

// The names that are most alike, best first, at most `count`: those that hold the name or are held
// by it, then those that share more than half of the shorter one. None where none is alike.
std::vector<std::string> most_alike(std::string_view name, std::span<const std::string> known,
                                    std::size_t count);

// "a", "a and b", "a, b and c".
std::string joined(std::span<const std::string> names, std::string_view last_word = "and");

}  // namespace ptp
