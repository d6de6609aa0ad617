#include "report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::importer {

void Report::note(const SourceLocation& place, std::string key, std::string text) {
    notes_.push_back({place, std::move(key), std::move(text)});
}

std::string Report::notes() const {
    std::vector<Note> sorted = notes_;
    std::ranges::stable_sort(sorted, {}, &Note::place);
    std::string text;
    for (const Note& note : sorted) {
        const std::string place = note.place.text();
        text += fmt::format("{}{}note: {}: {}\n", place, place.empty() ? "" : ": ", note.key,
                            note.text);
    }
    return text;
}

}  // namespace ptp::importer
