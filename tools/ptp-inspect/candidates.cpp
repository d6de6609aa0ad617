#include "candidates.hpp"

#include "plugin/catalog.hpp"
#include "plugin/library_file.hpp"
#include "plugin/note.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace ptp::inspect {

namespace {

namespace fs = std::filesystem;

// Returns the manifest, also of a build for another host.
std::optional<plugin::Manifest> readable_manifest(const fs::path& file) {
    try {
        return plugin::read_note(plugin::read_library(file));
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

std::string name_that_remains(const fs::path& file) {
    try {
        if (std::string name = plugin::name_in_note(plugin::read_library(file)); !name.empty()) {
            return name;
        }
    } catch (const std::exception&) {  // then the file's name is used
    }
    const std::string stem = file.stem().string();
    return stem.starts_with("lib") ? stem.substr(3) : stem;
}

bool is_same_file(const fs::path& left, const fs::path& right) {
    std::error_code error;
    return fs::weakly_canonical(left, error) == fs::weakly_canonical(right, error);
}

bool is_meant(const Candidate& candidate, const std::string& name) {
    if (is_file(name)) {
        return is_same_file(candidate.path, name);
    }
    const std::size_t slash = name.find('/');
    if (slash != std::string::npos) {
        return candidate.plugin_name() == name.substr(0, slash) &&
               (candidate.has_type(name.substr(slash + 1)) || !candidate.manifest);
    }
    return candidate.plugin_name() == name || candidate.has_type(name);
}

}  // namespace

std::string Candidate::plugin_name() const {
    return manifest ? manifest->name : name_that_remains(path);
}

bool Candidate::has_type(const std::string& type) const {
    return manifest && std::ranges::find(manifest->components, type, &plugin::Component::name) !=
                           manifest->components.end();
}

Candidate candidate_of(const fs::path& file, const std::string& origin) {
    Candidate candidate{.path = file, .origin = origin, .manifest = std::nullopt, .refusal = ""};
    try {
        candidate.manifest = plugin::read_manifest(file);
    } catch (const std::exception& error) {
        candidate.refusal = error.what();
        candidate.manifest = readable_manifest(file);
    }
    return candidate;
}

std::vector<Candidate> all_candidates(const std::vector<plugin::SearchFolder>& folders) {
    std::vector<Candidate> all;
    for (const plugin::SearchFolder& folder : folders) {
        if (!folder.is_searched) {
            continue;
        }
        std::vector<fs::path> files;
        const plugin::Catalog catalog = plugin::scan({folder.path});
        for (const plugin::CatalogEntry& entry : catalog.plugins) {
            files.push_back(entry.path);
        }
        for (const plugin::RejectedFile& rejected : catalog.rejected) {
            if (rejected.path != folder.path) {
                files.push_back(rejected.path);
            }
        }
        std::ranges::sort(files);
        for (const fs::path& file : files) {
            all.push_back(candidate_of(file, std::string(to_string(folder.origin))));
        }
    }
    return all;
}

std::vector<Candidate> meant_by(const std::string& name, std::vector<Candidate> all) {
    std::erase_if(all, [&](const Candidate& candidate) { return !is_meant(candidate, name); });
    return all;
}

bool is_file(const std::string& name) {
    std::error_code error;
    return fs::path(name).extension() == plugin::library_suffix() ||
           (name.find('/') != std::string::npos && fs::exists(name, error));
}

}  // namespace ptp::inspect
