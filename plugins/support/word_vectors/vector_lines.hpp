// Parses the lines of a file with a vector for each word.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ptp::support {

// The format of all lines, detected by the first one.
struct VectorFormat {
    std::int64_t size = 0;    // number of values per vector
    std::int64_t words = -1;  // number in a header; -1: there is none
    std::string problem;      // error in the first line; "" if there is none

    [[nodiscard]] bool has_header() const { return words >= 0; }
};

// A first line of two integers is fastText's header, the number of words and the size; any other is
// a word and its vector, as in all of GloVe's files.
VectorFormat vector_format(std::string_view first_line);

// Returns the line without its end: LF or CR LF, and a space before.
std::string_view without_line_end(std::string_view line);

// Splits a line into its word, which may have spaces, and its values; `values` has their size.
// Returns an error, which continues "FILE:LINE: ", or "".
std::string read_vector(std::string_view line, const VectorFormat& format, std::string_view& word,
                        std::span<float> values);

}  // namespace ptp::support
