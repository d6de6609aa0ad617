// Guesses the name, number or list that a mistyped text means, and writes it after "unknown ...".

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp {

// Returns the Damerau-Levenshtein distance (optimal string alignment): the number of insertions,
// deletions, replacements and swaps of neighbors that turn one text into the other.
std::size_t edit_distance(std::string_view left, std::string_view right);

// Returns the name without differences of case and kind of dash.
std::string folded(std::string_view name);

// Returns the known name that is nearest to `name`, if any is near enough: about one mistake in
// three letters. For names of several words this holds for each word: "batch_limit" is not near
// "epoch_limit". Case and '-' for '_' count little. Ties are broken alphabetically.
std::optional<std::string> nearest(std::string_view name, std::span<const std::string> known);

// Returns "; did you mean 'x'?" for the nearest name, or the only one that contains `name`;
// otherwise "; known: a, b, c"; "" if no names are known. A long list is cut; `all` then states how
// to list the others: "ptp-inspect lists all".
std::string hint(std::string_view name, std::span<const std::string> known,
                 std::string_view all = {});

// Returns hint(), but suggests only one of `candidates`.
std::string hint_among(std::string_view name, std::span<const std::string> candidates,
                       std::span<const std::string> known);

// Returns the most similar names, best first, at most `count`: those that contain the name or are
// contained in it, then those that share more than half of the shorter one; empty if none is
// similar.
std::vector<std::string> most_alike(std::string_view name, std::span<const std::string> known,
                                    std::size_t count);

// Returns hint() for the name of a layer. Another number is no typing mistake: for "layers.3" it
// lists the layers that differ in it alone.
std::string hint_of_layer(std::string_view name, std::span<const std::string> known);

// Returns the number as TOML has it: "1e-3" for "1e-3f", "0.5" for ".5" or "0,5", "1.0" for "1.";
// "" if the text is not a number.
std::string number_meant(std::string_view text);

// Returns the values of TOML that a text with commas may mean, numbers first: 0.5 or [0, 5] for
// "0,5", 1000 or 1.000 for "1,000", a list or a string for "a, b". Empty without a comma.
std::vector<std::string> meanings_of_commas(std::string_view text);

// Returns "a", "a and b", "a, b and c".
std::string joined(std::span<const std::string> names, std::string_view last_word = "and");

}  // namespace ptp
