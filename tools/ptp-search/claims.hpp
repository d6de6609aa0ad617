// Assigns the runs of a sweep or a search to the ptprun processes that share its folder.

#pragma once

#include "base/json.hpp"
#include "run/process.hpp"
#include "run/status.hpp"

#include <filesystem>
#include <string>

namespace ptp::search {

// The description that all users of a shared folder have in common.
struct SharedFolder {
    std::string file;  // with the description: "sweep.json"
    std::string what;  // "sweep"
    Json content;      // following the number of the format
};

// Writes the description into a folder that has none; otherwise compares it. Throws UsageError if
// the folder has another content, RunError if writing fails.
void join_shared(const std::filesystem::path& folder, const SharedFolder& description);

// Creates a file with its full content in one step; returns false if it exists. Only one process
// can create it, also on network file systems. Throws RunError.
bool create_whole(const std::filesystem::path& file, const std::string& content);

// Files NAME.claim in the folder, each of which only one process can create, and which identify it;
// NAME.claim.2 if that process has ended, and so on. An unreadable claim belongs to another
// process.
class Claims {
public:
    Claims(std::filesystem::path folder, run::ProcessNote self, run::Machine machine);

    // Returns whether the run is this process's now: no other process has claimed it, or that
    // process has certainly ended. Writes nothing if another one has it. Throws RunError.
    bool claim(const std::string& name);

    // Returns whether another process has claimed the run, and may still exist.
    [[nodiscard]] bool is_with_other(const std::string& name) const;

private:
    enum class Holder { kNone, kThis, kOther };

    struct Last {
        Holder holder = Holder::kNone;
        int number = 1;
    };

    [[nodiscard]] std::filesystem::path file(const std::string& name, int number) const;
    // Returns the effective claim, or the first one that can be made.
    [[nodiscard]] Last last(const std::string& name) const;
    [[nodiscard]] bool is_this(const run::ProcessNote& holder) const;

    std::filesystem::path folder_;
    run::ProcessNote self_;
    run::Machine machine_;
};

}  // namespace ptp::search
