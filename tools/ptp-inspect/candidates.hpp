// Finds all files on the search path that a name may mean.
#pragma once

#include "plugin/manifest.hpp"
#include "plugin/search_path.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::inspect {

// A file in a searched folder that is named like a plugin.
struct Candidate {
    std::filesystem::path path;
    std::string origin;  // of its folder: "--plugins"; "" if not in a searched folder
    std::optional<plugin::Manifest> manifest;  // also of a rejected file, if readable
    std::string refusal;                       // "": this host can use it

    [[nodiscard]] bool is_usable() const { return refusal.empty(); }
    // Returns the name of its plugin, or the file's name without one.
    [[nodiscard]] std::string plugin_name() const;
    [[nodiscard]] bool has_type(const std::string& type) const;
};

// Returns candidates in the order of the search, each folder separately: a file that another one
// hides is not rejected for that.
std::vector<Candidate> all_candidates(const std::vector<plugin::SearchFolder>& folders);

// Returns the candidate for a file that is named by its path.
Candidate candidate_of(const std::filesystem::path& file, const std::string& origin);

// Returns the candidates that the name means: by the path of a file, the name of a plugin, a type,
// or "plugin/Type".
std::vector<Candidate> meant_by(const std::string& name, std::vector<Candidate> all);

// Returns whether the name is that of a file.
bool is_file(const std::string& name);

}  // namespace ptp::inspect
