// The place where a value was written, for messages.

#pragma once

#include <compare>
#include <memory>
#include <string>
#include <string_view>

namespace ptp {

// The file name of values from the command line.
inline constexpr std::string_view kCommandLine = "--set";

// A position in an experiment file. Cheap to copy: the file's name is shared.
class SourceLocation {
public:
    // A location of a value that was made by a program: nowhere.
    SourceLocation() = default;

    // Lines and columns count from 1; 0 means the file as a whole.
    SourceLocation(std::shared_ptr<const std::string> file, int line, int column);
    SourceLocation(std::string file, int line, int column);

    [[nodiscard]] const std::string& file() const;
    [[nodiscard]] int line() const { return line_; }
    [[nodiscard]] int column() const { return column_; }

    // Returns "xor.toml:14:11", "xor.toml", "--set", or "" for nowhere.
    [[nodiscard]] std::string text() const;

    // Returns whether a message begins with a place in a file, or with kCommandLine, and a colon.
    static bool begins(std::string_view message);

    // Orders by file name, then by position.
    friend std::strong_ordering operator<=>(const SourceLocation& left,
                                            const SourceLocation& right);
    friend bool operator==(const SourceLocation& left, const SourceLocation& right);

private:
    std::shared_ptr<const std::string> file_;
    int line_ = 0;
    int column_ = 0;
};

}  // namespace ptp
