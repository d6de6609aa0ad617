// Looks into texts: what a program printed, a file of a run, the message of an error.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::test {

inline bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

inline std::size_t count_of(std::string_view part, std::string_view text) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

// Returns the lines without their ends; the last may have none.
inline std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// Returns the message of the error that the work ends with; "" where it ends well. What is not an
// `Error` passes.
template <class Error = std::exception, class Work>
std::string error_of(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

// Returns the text of the error that the work throws, if it has this exit code.
template <class Error, class Code, class Work>
std::string error_of(Code code, const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.code() == code ? error.what() : "another exit code";
    }
    return "";
}

}  // namespace ptp::test
