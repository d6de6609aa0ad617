#include "base/diagnostics.hpp"

#include "base/toml_writer.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ptp {

std::string Problem::text() const {
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
    add({Severity::kError, place, std::move(key), "", std::move(message), false});
}

void Diagnostics::error(const Value& value, std::string key, std::string message) {
    add({Severity::kError, value.place(), std::move(key), short_text(value), std::move(message),
         false});
}

void Diagnostics::missing_data(const SourceLocation& place, std::string key, std::string message) {
    add({Severity::kError, place, std::move(key), "", std::move(message), true});
}

void Diagnostics::warning(const SourceLocation& place, std::string key, std::string message) {
    add({Severity::kWarning, place, std::move(key), "", std::move(message), false});
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
    return result;
}

std::string Diagnostics::text() const {
    std::vector<std::string> lines;
    for (const Problem& problem : sorted()) {
        lines.push_back(problem.text());
    }
    return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace ptp
