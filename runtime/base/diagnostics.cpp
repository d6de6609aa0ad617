// Collects and sorts problems, and writes them as plain lines; tools/common/render.cpp shows them
// with their source.

#include "base/diagnostics.hpp"

#include "base/ranges.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"

#include <algorithm>
#include <utility>

namespace ptp {

namespace {

std::string problem_lines(const std::vector<Problem>& problems,
                          std::string (Problem::*text)() const) {
    return join(transformed(problems, [&](const Problem& problem) { return (problem.*text)(); }),
                "\n");
}

}  // namespace

std::string Problem::text() const {
    return Explanation{reason(), fix}.text();
}

std::string Problem::reason() const {
    std::string line = place.text();
    const auto append = [&](std::string_view part) {
        if (!line.empty() && !part.empty()) {
            line += ": ";
        }
        line += part;
    };
    append(key);
    if (!value.empty()) {
        line += (key.empty() ? (line.empty() ? "" : ": ") : " = ") + value;
    }
    append((severity == Severity::kWarning ? "warning: " : "") + message);
    return line;
}

void Diagnostics::error(const SourceLocation& place, std::string key, std::string message) {
    error(place, std::move(key), Explanation{std::move(message)});
}

void Diagnostics::error(const SourceLocation& place, std::string key, Explanation message) {
    add({Severity::kError, place, std::move(key), "", std::move(message.reason),
         std::move(message.fix)});
}

void Diagnostics::error(const Value& value, std::string key, std::string message) {
    error(value, std::move(key), Explanation{std::move(message)});
}

void Diagnostics::error(const Value& value, std::string key, Explanation message) {
    add({Severity::kError, value.place(), std::move(key), short_text(value),
         std::move(message.reason), std::move(message.fix)});
}

void Diagnostics::missing_data(const SourceLocation& place, std::string key, std::string message,
                               std::string fix) {
    add({Severity::kError, place, std::move(key), "", std::move(message), std::move(fix), true});
}

void Diagnostics::warning(const SourceLocation& place, std::string key, std::string message) {
    warning(place, std::move(key), Explanation{std::move(message)});
}

void Diagnostics::warning(const SourceLocation& place, std::string key, Explanation message) {
    add({Severity::kWarning, place, std::move(key), "", std::move(message.reason),
         std::move(message.fix)});
}

void Diagnostics::add(Problem problem) {
    const bool is_error = problem.severity == Severity::kError;
    const auto repeats = [&](const Problem& other) {
        return other.severity == Severity::kError && other.key == problem.key &&
               other.place == problem.place;
    };
    if (is_error && !problem.key.empty() && std::ranges::any_of(problems_, repeats)) {
        return;
    }
    error_count_ += is_error ? 1 : 0;
    problems_.push_back(std::move(problem));
}

std::vector<Problem> Diagnostics::sorted() const {
    std::vector<Problem> result = problems_;
    std::ranges::stable_sort(result, {}, &Problem::place);
    const auto repeats = [](const Problem& one, const Problem& other) {
        return one.severity == Severity::kError && other.severity == Severity::kError &&
               one.place == other.place && one.place.line() > 0 && !one.value.empty() &&
               one.value == other.value && one.message == other.message;
    };
    const auto repeated = std::ranges::unique(result, repeats);
    result.erase(repeated.begin(), repeated.end());
    return result;
}

std::string Diagnostics::text() const {
    return problem_lines(sorted(), &Problem::text);
}

std::string Diagnostics::reasons() const {
    return problem_lines(sorted(), &Problem::reason);
}

}  // namespace ptp
