// Shows problems with their places, the lines in question and the fixes, in color where it is
// wanted.

#include "common/render.hpp"

#include "base/number.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "common/excerpt.hpp"
#include "experiment/load/override.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

namespace ptp::tools {

namespace {

constexpr std::string_view kIndent = "    ";
constexpr std::size_t kGutter = 8;  // width of "   14 | "

enum class Paint { kPlace, kError, kWarning, kMark, kFix };

std::string painted(std::string_view text, Paint paint, const RenderStyle& style) {
    if (!style.has_color) {
        return std::string(text);
    }
    const char* code = "1";
    switch (paint) {
        case Paint::kPlace:
            break;
        case Paint::kError:
            code = "1;31";
            break;
        case Paint::kWarning:
            code = "1;33";
            break;
        case Paint::kMark:
            code = "1;32";
            break;
        case Paint::kFix:
            code = "1;36";
            break;
    }
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

// The lines of files; each file is read once for all problems.
class SourceLines {
public:
    explicit SourceLines(const std::vector<std::string>& overrides) : overrides_(overrides) {}

    std::optional<std::string> at(const SourceLocation& place) {
        if (place.line() < 1 || place.column() < 1) {
            return std::nullopt;
        }
        const auto index = static_cast<std::size_t>(place.line()) - 1;
        if (place.file() == kCommandLine) {
            const bool is_one_line =
                index < overrides_.size() && overrides_[index].find('\n') == std::string::npos;
            return is_one_line ? std::optional(overrides_[index]) : std::nullopt;
        }
        const auto [found, is_new] = files_.try_emplace(place.file());
        if (is_new) {
            found->second = lines_of(place.file());
        }
        return index < found->second.size() ? std::optional(found->second[index]) : std::nullopt;
    }

    [[nodiscard]] const std::vector<std::string>& overrides() const { return overrides_; }

private:
    // Returns no lines for anything but a regular file, which can be read a second time.
    static std::vector<std::string> lines_of(const std::string& file) {
        std::vector<std::string> lines;
        std::error_code error;
        if (!std::filesystem::is_regular_file(file, error)) {
            return lines;
        }
        std::ifstream stream(file);
        for (std::string line; std::getline(stream, line);) {
            if (line.ends_with('\r')) {
                line.pop_back();
            }
            lines.push_back(std::move(line));
        }
        return lines;
    }

    const std::vector<std::string>& overrides_;
    std::map<std::string, std::vector<std::string>> files_;
};

// Returns the place of a problem. An error that is found late only has its key, not the place.
SourceLocation place_of(const Problem& problem, const std::vector<std::string>& overrides) {
    const bool is_found_late = problem.place.file() == kCommandLine && problem.place.line() == 0;
    const std::string& subject = problem.key.empty() ? problem.message : problem.key;
    return is_found_late ? experiment::place_in_overrides(overrides, subject) : problem.place;
}

std::string excerpt_text(const SourceLocation& place, SourceLines& lines,
                         const RenderStyle& style) {
    const auto line = lines.at(place);
    if (!line) {
        return "";
    }
    const std::size_t width = std::max(style.width, 2 * kGutter) - kGutter;
    const Excerpt excerpt = excerpt_of(*line, place.column(), width);
    const bool is_file = place.file() != kCommandLine;
    const std::string number = is_file ? fmt::format("{}", place.line()) : "";
    return fmt::format("{:>5} | {}\n      | {}\n", number, excerpt.line,
                       painted(excerpt.mark, Paint::kMark, style));
}

// Returns the lines after the first one, indented, with the fix highlighted.
std::string further_text(std::string_view lines, const RenderStyle& style) {
    std::string text;
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        std::string_view line = lines.substr(0, end);
        lines.remove_prefix(std::min(end + 1, lines.size()));
        if (line.empty()) {
            continue;
        }
        const std::size_t text_begin = std::min(line.find_first_not_of(' '), line.size());
        const std::string indent(text_begin > 0 ? text_begin : kIndent.size(), ' ');
        line.remove_prefix(text_begin);
        std::string shown(line);
        for (const std::string_view label : {"fix:", "help:"}) {
            if (line.starts_with(label)) {
                shown = painted(label, Paint::kFix, style) + std::string(line.substr(label.size()));
            }
        }
        text += fmt::format("{}{}\n", indent, shown);
    }
    return text;
}

// Removes the number after the last colon of `text`, with the colon, and returns it; nullopt if
// there is none.
std::optional<int> take_number(std::string_view& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    unsigned number = 0;  // without a sign
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + colon + 1, last, number);
    if (error != std::errc() || end != last || colon + 1 == text.size()) {
        return std::nullopt;
    }
    text = text.substr(0, colon);
    return static_cast<int>(number);
}

// Removes the place with which a message begins, and returns it; nullopt if there is none.
std::optional<SourceLocation> take_place(std::string_view& message) {
    const std::size_t end = message.find(": ");
    if (end == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view file = message.substr(0, end);
    SourceLocation place(std::string(kCommandLine), 0, 0);
    if (file != kCommandLine) {
        const auto column = take_number(file);
        const auto line = column ? take_number(file) : std::nullopt;
        if (!line || file.empty()) {
            return std::nullopt;
        }
        place = SourceLocation(std::string(file), *line, *column);
    }
    message.remove_prefix(end + 2);
    return place;
}

// Returns "pipeline.net.dropout = 1.5: must be in [0, 1)".
std::string first_line_of(const Problem& problem, std::string_view message) {
    std::string subject = problem.key;
    if (!problem.value.empty()) {
        subject += (subject.empty() ? "" : " = ") + problem.value;
    }
    subject = harmless(subject);
    return fmt::format("{}{}{}", subject, subject.empty() ? "" : ": ", message);
}

std::string shown_text(const Problem& problem, std::string_view program, SourceLines& lines,
                       const RenderStyle& style) {
    const std::string explanation = harmless(problem.explanation());
    const std::string_view message = explanation;
    const std::size_t end = std::min(message.find('\n'), message.size());
    const bool is_error = problem.severity == Severity::kError;
    const std::string place = harmless(problem.place.text());
    const std::string first = first_line_of(problem, message.substr(0, end));
    return fmt::format("{}: {} {}\n{}{}",
                       painted(place.empty() ? program : place, Paint::kPlace, style),
                       is_error ? painted("error:", Paint::kError, style)
                                : painted("warning:", Paint::kWarning, style),
                       painted(first, Paint::kPlace, style),
                       excerpt_text(place_of(problem, lines.overrides()), lines, style),
                       further_text(message.substr(end), style));
}

}  // namespace

RenderStyle style_for(int descriptor) {
    RenderStyle style{.has_color = has_color(descriptor)};
    style.width = terminal_width(descriptor).value_or(style.width);
    return style;
}

std::string rendered(const Problem& problem, std::string_view program,
                     const std::vector<std::string>& overrides, const RenderStyle& style) {
    SourceLines lines(overrides);
    return shown_text(problem, program, lines, style);
}

std::string rendered(const Diagnostics& problems, std::string_view program,
                     const std::vector<std::string>& overrides, const RenderStyle& style) {
    return rendered(problems.sorted(), program, overrides, style);
}

std::string rendered(const std::vector<Problem>& problems, std::string_view program,
                     const std::vector<std::string>& overrides, const RenderStyle& style) {
    std::string text;
    std::size_t warnings = 0;
    SourceLines lines(overrides);
    for (const Problem& problem : problems) {
        text += shown_text(problem, program, lines, style);
        warnings += problem.severity == Severity::kWarning ? 1 : 0;
    }
    const std::string count = count_text(problems.size() - warnings, warnings);
    return count.empty() ? text : fmt::format("{}{}\n", text, count);
}

std::string count_text(std::size_t errors, std::size_t warnings) {
    if (errors < 2) {
        return "";
    }
    const std::string text = fmt::format("{} errors", errors);
    if (warnings == 0) {
        return text;
    }
    return fmt::format("{} and {}", text, counted(warnings, "warning"));
}

Problem problem_from(std::string_view message) {
    Problem problem;
    if (const auto place = take_place(message)) {
        problem.place = *place;
    }
    problem.message = message;
    return problem;
}

}  // namespace ptp::tools
