#include "ptp-pack/trust_text.hpp"

#include <fmt/core.h>

#include <utility>

namespace ptp::pack {

namespace fs = std::filesystem;

std::optional<LimitsInFolder> limits_in(const std::vector<fs::path>& folders,
                                        const std::string& id) {
    for (const fs::path& folder : folders) {
        KeyLimitsById all = read_key_limits(folder);
        if (const auto found = all.find(id); found != all.end()) {
            return LimitsInFolder{std::move(found->second), folder};
        }
    }
    return std::nullopt;
}

std::string trust_text(const TrustChange& change) {
    const std::optional<LimitsInFolder> now = limits_in(change.folders, change.id);
    if (!now) {
        return change.before
                   ? fmt::format("trusted: {}, for every package; until now for {} alone\n",
                                 change.id, change.before->limits.text())
                   : fmt::format("trusted: {}\n", change.id);
    }
    const std::string text = now->limits.text();
    const std::string file = (now->folder / kKeyLimitsFile).string();
    if (now->folder == change.folder) {
        return fmt::format("trusted: {}, for {} alone\n", change.id, text);
    }
    // The limits were written to another folder than the effective one.
    if (change.asked.are_none() && change.folder == change.folders.front()) {
        return fmt::format(
            "trusted: {}, for {} alone, because {} limits it; --package '*' is for every package\n",
            change.id, text, file);
    }
    return fmt::format(
        "trusted: {}, for {}; for this user for {} alone, because {} limits it\n", change.id,
        change.asked.are_none() ? "every package" : change.asked.text() + " alone", text, file);
}

}  // namespace ptp::pack
