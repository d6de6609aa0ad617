// What ptp-inspect prints, and its exit codes.
#pragma once

#include "text_listing.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace ptp::inspect {

inline constexpr int kUsage = 2;
inline constexpr int kPlugin = 3;
inline constexpr int kIncomplete = 4;  // of --check
inline constexpr int kOutput = 5;

struct OutputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// On the standard output. Half a listing is not what was asked for: throws OutputError.
void print(const std::string& text);

// Each error on the standard error; lines that are indented belong to the one before them. Returns
// `status`.
int complain(const std::string& text, int status);

// A warning on the standard error.
void warn(const std::string& text);

Style style_of_output();

// What "~" expands to; empty if that is not known.
std::filesystem::path home_folder();

}  // namespace ptp::inspect
