// The lines of a file with a vector for each word.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ptp::support {

// The form of all lines, known from the first.
struct VectorFormat {
    std::int64_t size = 0;    // values of each vector
    std::int64_t words = -1;  // that a header announces; -1: there is none
    std::string problem;      // of the first line; "" if it is right

    [[nodiscard]] bool has_header() const { return words >= 0; }
};

// A first line of two whole numbers is fastText's header, the number of words and the size; another
// one is a word and its vector, as all of GloVe's are.
VectorFormat vector_format(std::string_view first_line);

// Without its end: LF, CR LF or a space before them.
std::string_view without_line_end(std::string_view line);

// Splits a line into its word, which may have spaces, and its values; `values` has their size.
// Returns what is wrong, which continues "FILE:LINE: ", or "".
std::string read_vector(std::string_view line, const VectorFormat& format, std::string_view& word,
                        std::span<float> values);

}  // namespace ptp::support
