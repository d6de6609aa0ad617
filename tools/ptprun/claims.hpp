// Which runs of a sweep or a search are whose, where several ptprun share its folder.

#pragma once

#include "base/json.hpp"
#include "run/process.hpp"
#include "run/status.hpp"

#include <filesystem>
#include <string>

namespace ptp::ptprun {

// What all that share a folder have in common.
struct SharedFolder {
    std::string file;  // that describes it: "sweep.json"
    std::string what;  // "sweep"
    Json content;      // after the number of the format
};

// Writes the description into a folder that has none; else compares. Throws UsageError for a folder
// of something else, RunError where it cannot be written.
void join_shared(const std::filesystem::path& folder, const SharedFolder& description);

// Writes a new file that is whole from its first moment; false where there is one. One process
// alone can make it, on file systems of several machines, too. Throws RunError.
bool create_whole(const std::filesystem::path& file, const std::string& content);

// Files NAME.claim in the folder, each of which one process alone can make, and which
// name it; NAME.claim.2 where that process is gone, and so on. What cannot be read is another
// process's.
class Claims {
public:
    Claims(std::filesystem::path folder, run::ProcessNote self, run::Machine machine);

    // Whether the run is this process's from now on, or already: no other one has claimed it, or
    // that one is known to be gone. Writes nothing where another one has it. Throws RunError.
    bool claim(const std::string& name);

    // Whether another process has claimed the run that is not known to be gone.
    [[nodiscard]] bool is_with_other(const std::string& name) const;

private:
    enum class Holder { kNone, kThis, kOther };

    struct Last {
        Holder holder = Holder::kNone;
        int number = 1;
    };

    [[nodiscard]] std::filesystem::path file(const std::string& name, int number) const;
    // The claim that counts, or the first that can be made.
    [[nodiscard]] Last last(const std::string& name) const;
    [[nodiscard]] bool is_this(const run::ProcessNote& holder) const;

    std::filesystem::path folder_;
    run::ProcessNote self_;
    run::Machine machine_;
};

}  // namespace ptp::ptprun
