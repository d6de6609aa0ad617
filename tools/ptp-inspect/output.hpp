// The output of ptp-inspect, and its exit codes.
#pragma once

#include "text_listing.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace ptp::inspect {

inline constexpr int kUsage = 2;
inline constexpr int kPlugin = 3;
inline constexpr int kIncomplete = 4;  // for --check
inline constexpr int kOutput = 5;

struct OutputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Prints to the standard output. Throws OutputError on failure, because an incomplete listing is
// useless.
void print(const std::string& text);

// Prints each error to the standard error; indented lines belong to the preceding error. Returns
// `status`.
int complain(const std::string& text, int status);

// Prints a warning to the standard error.
void warn(const std::string& text);

Style style_of_output();

// Returns the replacement of "~"; empty if unknown.
std::filesystem::path home_folder();

}  // namespace ptp::inspect
