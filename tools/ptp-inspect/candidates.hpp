// All files that may be meant by a name, wherever they lie on the search path.
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
    std::string origin;  // of its folder: "--plugins"; "" if it lies in no searched folder
    std::optional<plugin::Manifest> manifest;  // also of a refused file, if it can be read at all
    std::string refusal;                       // "": this host can use it

    [[nodiscard]] bool is_usable() const { return refusal.empty(); }
    // Its plugin, or what its file is called.
    [[nodiscard]] std::string plugin_name() const;
    [[nodiscard]] bool has_type(const std::string& type) const;
};

// In the order of the search, each folder by itself: that one hides another is not a refusal.
std::vector<Candidate> all_candidates(const std::vector<plugin::SearchFolder>& folders);

// Of a file that is named by its path.
Candidate candidate_of(const std::filesystem::path& file, const std::string& origin);

// Those that are meant: by the path of a file, the name of a plugin, a type, or "plugin/Type".
std::vector<Candidate> meant_by(const std::string& name, std::vector<Candidate> all);

// Whether the name is that of a file.
bool is_file(const std::string& name);

}  // namespace ptp::inspect
