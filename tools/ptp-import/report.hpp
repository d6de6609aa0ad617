// The report of an import: changes, removed parts, and errors.

#pragma once

#include "base/diagnostics.hpp"
#include "base/source_location.hpp"

#include <string>
#include <vector>

namespace ptp::importer {

class Report {
public:
    // Warnings name parts without a counterpart, errors those that prevent training.
    Diagnostics problems;

    // True if nothing was removed and no key counts that PyTorchPipe does not read.
    bool is_whole = true;

    // Comment lines for the beginning of the experiment.
    std::string remarks;

    // Notes a change that keeps the meaning: "is called training.task".
    void note(const SourceLocation& place, std::string key, std::string text);

    // Returns lines "FILE:LINE:COLUMN: note: KEY: TEXT", sorted by file and position.
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
