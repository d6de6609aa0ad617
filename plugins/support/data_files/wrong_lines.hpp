// Collects errors in files of data.
#pragma once

#include <ptp/error.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace ptp::support {

// Collects problems, and throws them together: the first ten, and the number of the others.
class Problems {
public:
    // Adds a problem, a sentence that begins with a path.
    void add(const std::string& problem) {
        if (++count_ <= kMaxListed) {
            text_ += (count_ == 1 ? "" : "\n") + problem;
        }
    }

    // Throws DataError, with `fix` (optional) below, if there are any problems.
    void throw_if_any(const std::string& fix = "") const {
        const std::string below = fix.empty() ? "" : "\nfix: " + fix;
        if (count_ > kMaxListed) {
            throw DataError(text_, "\nand ", count_ - kMaxListed, " more", below);
        }
        if (count_ > 0) {
            throw DataError(text_, below);
        }
    }

private:
    static constexpr std::int64_t kMaxListed = 10;

    std::string text_;
    std::int64_t count_ = 0;
};

// Collects the wrong lines of a file.
class WrongLines {
public:
    explicit WrongLines(std::filesystem::path file) : file_(std::move(file)) {}

    // Adds a line; `problem` continues "FILE:LINE: ".
    void add(std::int64_t line, const std::string& problem) {
        problems_.add(detail::join(file_, ":", line, ": ", problem));
    }

    // Throws DataError, with `fix` (optional) below, if there are any wrong lines.
    void throw_if_any(const std::string& fix = "") const { problems_.throw_if_any(fix); }

private:
    std::filesystem::path file_;
    Problems problems_;
};

}  // namespace ptp::support
