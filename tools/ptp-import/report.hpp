// What an import has to say: what it changed, what it left out, and what is wrong.

#pragma once

#include "base/diagnostics.hpp"
#include "base/source_location.hpp"

#include <string>
#include <vector>

namespace ptp::importer {

class Report {
public:
    // Warnings name what has no counterpart, errors what cannot be trained as it is.
    Diagnostics problems;

    // A change that keeps the meaning: "is called training.task".
    void note(const SourceLocation& place, std::string key, std::string text);

    // "FILE:LINE:COLUMN: note: KEY: TEXT", a line each, sorted by file and position.
    [[nodiscard]] std::string notes() const;

private:
    struct Note {
        SourceLocation place;
        std::string key;
        std::string text;
    };

    std::vector<Note> notes_;
};

}  // namespace ptp::importer
