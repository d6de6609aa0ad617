#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/temporary_path.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/libraries.hpp"
#include "ptp-pack/version.hpp"

#include <fmt/core.h>

#include <map>
#include <string>

namespace ptp::pack {

namespace {

bool is_searched_for(const IndexEntry& entry, const std::string& word) {
    std::string text = entry.about.name + "\n" + entry.about.summary;
    for (const Library& library : entry.libraries) {
        text += "\n" + library.plugin;
        for (const std::string& component : library.components) {
            text += "\n" + component;
        }
    }
    return folded(text).find(folded(word)) != std::string::npos;
}

// Returns, for each name, the newest entry that fits this host, or else the newest.
std::map<std::string, const IndexEntry*> best_entries(const std::vector<OpenRepository>& all,
                                                      const std::string& word) {
    std::map<std::string, const IndexEntry*> best;
    const auto is_better = [](const IndexEntry& entry, const IndexEntry& other) {
        const bool fits = fits_host(entry.libraries);
        return fits != fits_host(other.libraries)
                   ? fits
                   : is_newer(entry.about.version, other.about.version);
    };
    for (const OpenRepository& open : all) {
        for (const IndexEntry& entry : open.index.packages) {
            if (is_searched_for(entry, word)) {
                const IndexEntry*& known = best[entry.about.name];
                known = known == nullptr || is_better(entry, *known) ? &entry : known;
            }
        }
    }
    return best;
}

std::string state_of(const IndexEntry& entry, const Store& store) {
    if (const auto installed = store.find(entry.about.name)) {
        return "installed: " + installed->manifest.about.version;
    }
    return fits_host(entry.libraries) ? "" : "not for this host";
}

int run_search(const Given& given) {
    const Folders folders = folders_here();
    const TrustedKeys keys = chosen_keys(given, folders);
    const Store store = chosen_store(given, folders);
    const TemporaryPath staging = TemporaryPath::new_folder();
    const std::vector<OpenRepository> repositories =
        open_repositories({given, folders, keys, staging.path()});
    const std::string word = given.operands().empty() ? "" : given.operands().front();
    const auto found = best_entries(repositories, word);
    if (found.empty()) {
        fmt::print("no package\n");
    }
    for (const auto& [name, entry] : found) {
        const std::string state = state_of(*entry, store);
        fmt::print("{:<24} {:<12} {}{}\n", name, entry->about.version, entry->about.summary,
                   state.empty() ? "" : " (" + state + ")");
    }
    return kDone;
}

}  // namespace

Command search_command() {
    return {.name = "search",
            .summary = "lists packages of repositories",
            .details =
                "Those with the word in their name, summary, plugins or components; without "
                "a word all.\n",
            .operands = {{.name = "WORD", .what = "a word", .min = 0}},
            .options = tools::concat({repository_options(), trust_options(), store_options()}),
            .example = "ptp-pack search loss --repository https://example.org/ptp",
            .run = run_search};
}

}  // namespace ptp::pack
