// Names the folders to search, and the plugins in the folder of the installation.

#include "plugin/search_path.hpp"

#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/text.hpp"
#include "plugin/library_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> split_path(std::string_view list) {
    std::vector<fs::path> parts;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(path_list_separator()), list.size());
        if (end > 0) {
            parts.emplace_back(list.substr(0, end));
        }
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return parts;
}

// Returns one name for a folder, whose path may vary: "a/../b", through a link, with a final slash.
fs::path unique_name(const fs::path& folder) {
    std::error_code error;
    fs::path canonical = fs::weakly_canonical(folder, error);
    return error ? fs::absolute(folder).lexically_normal() : canonical;
}

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

bool is_default(FolderOrigin origin) {
    return origin >= FolderOrigin::kUser;
}

}  // namespace

std::string_view to_string(FolderOrigin origin) {
    constexpr std::string_view kWords[] = {"--plugins",
                                           "PTP_PLUGIN_PATH",
                                           "[plugins] path",
                                           "plugins of this user",
                                           "plugins of this machine",
                                           "plugins that come with ptp"};
    return kWords[static_cast<std::size_t>(origin) - 1];
}

SearchPath search_path_here(const std::vector<fs::path>& command_line,
                            const std::vector<fs::path>& experiment) {
    return {.command_line = command_line,
            .environment = environment_text("PTP_PLUGIN_PATH"),
            .experiment = experiment,
            .user = user_folder(),
            .executable = executable_path()};
}

std::vector<SearchFolder> named_folders(const SearchPath& path) {
    std::vector<SearchFolder> folders;
    const auto add = [&](const fs::path& folder, FolderOrigin origin) {
        fs::path name = unique_name(folder);
        if ((folder.empty() && is_default(origin)) ||
            std::ranges::find(folders, name, &SearchFolder::path) != folders.end()) {
            return;
        }
        std::error_code error;
        const bool is_searched = !is_default(origin) || fs::is_directory(name, error);
        folders.push_back({std::move(name), origin, is_searched});
    };
    const auto add_all = [&](const std::vector<fs::path>& all, FolderOrigin origin) {
        std::ranges::for_each(all, [&](const fs::path& folder) { add(folder, origin); });
    };
    add_all(path.command_line, FolderOrigin::kCommandLine);
    add_all(split_path(path.environment), FolderOrigin::kEnvironment);
    add_all(path.experiment, FolderOrigin::kExperiment);
    const auto add_with_packages = [&](const fs::path& folder, FolderOrigin origin) {
        add(folder, origin);
        add_all(package_plugin_folders(folder), origin);
    };
    add_with_packages(path.user, FolderOrigin::kUser);
    const fs::path installation = installation_folder(path.executable);
    if (const fs::path system = system_folder(path.executable); system != installation) {
        add_with_packages(system, FolderOrigin::kSystem);
    }
    add_with_packages(installation, FolderOrigin::kInstallation);
    return folders;
}

std::vector<fs::path> search_folders(const SearchPath& path) {
    std::vector<fs::path> folders;
    for (SearchFolder& folder : named_folders(path)) {
        if (folder.is_searched) {
            folders.push_back(std::move(folder.path));
        }
    }
    return folders;
}

fs::path user_folder(std::string_view xdg_data_home, const fs::path& home) {
    if (const fs::path data = xdg_data_home; data.is_absolute()) {
        return data / kBelowData;
    }
    return home.is_absolute() ? home / ".local/share" / kBelowData : fs::path();
}

std::string environment_text(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

fs::path installation_folder(const fs::path& executable) {
    return executable.empty()
               ? fs::path()
               : executable.parent_path().parent_path().lexically_normal() / kBelowPrefix;
}

fs::path packages_folder(const fs::path& plugins) {
    return plugins.empty() ? fs::path() : plugins.parent_path() / "packages";
}

std::vector<fs::path> package_plugin_folders(const fs::path& plugins) {
    std::vector<fs::path> folders;
    std::error_code error;
    const fs::path packages = packages_folder(plugins);
    for (fs::directory_iterator it(packages, error), end; !error && it != end;
         it.increment(error)) {
        if (is_snake_case(it->path().filename().string())) {
            folders.push_back(it->path() / kPackagePlugins);
        }
    }
    std::ranges::sort(folders);
    return folders;
}

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
