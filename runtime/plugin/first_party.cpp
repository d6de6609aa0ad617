#include "plugin/first_party.hpp"

#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "plugin/library_file.hpp"

#include <string>
#include <system_error>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;

// Names between blanks, including one before the first and one after the last.
constexpr std::string_view kFirstParty = " " PTP_FIRST_PARTY_PLUGINS " ";

bool has_same_content(const fs::path& left, const fs::path& right) {
    try {
        const InputFile one(left);
        const InputFile other(right);
        return one.size() == other.size() && one.read(0, one.size()) == other.read(0, other.size());
    } catch (const FileError&) {
        return false;
    }
}

}  // namespace

bool is_first_party_name(std::string_view plugin) {
    return !plugin.empty() && plugin.find(' ') == std::string_view::npos &&
           kFirstParty.find(" " + std::string(plugin) + " ") != std::string_view::npos;
}

bool is_first_party(std::string_view plugin, const fs::path& file,
                    const fs::path& installation_folder) {
    if (!is_first_party_name(plugin) || installation_folder.empty()) {
        return false;
    }
    const fs::path installed =
        installation_folder / (std::string(plugin) + std::string(library_suffix()));
    std::error_code error;
    return fs::equivalent(file, installed, error) || has_same_content(file, installed);
}

}  // namespace ptp::plugin
