// The folders of this program, and files of repositories, which are folders or addresses.

#include "ptp-pack/fetch.hpp"

#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "common/download.hpp"
#include "plugin/search_path.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHttps = "https://";

[[noreturn]] void too_large(const std::string& location, std::uint64_t max_bytes) {
    refuse(kDataError, {fmt::format("{}: has more than {} bytes", location, max_bytes)});
}

Fetched fetch_address(const std::string& location, const fs::path& to, std::uint64_t max_bytes) {
    OutputFile file = OutputFile::create(to);
    bool is_too_large = false;
    const long status = tools::download({.address = location,
                                         .program = "ptp-pack",
                                         .take = [&](long /*status*/, std::string_view bytes) {
                                             is_too_large = file.size() + bytes.size() > max_bytes;
                                             if (!is_too_large) {
                                                 file.write(bytes);
                                             }
                                             return !is_too_large;
                                         }});
    if (is_too_large) {
        too_large(location, max_bytes);
    }
    if (status == tools::kNotFound || status == tools::kGone) {
        return Fetched::kMissing;
    }
    file.finish();
    return Fetched::kWhole;
}

Fetched copy_path(const std::string& location, const fs::path& to, std::uint64_t max_bytes) {
    constexpr std::uint64_t kPieceSize = 1U << 20U;
    if (is_absent(location)) {
        return Fetched::kMissing;
    }
    try {
        const InputFile source(location);
        if (source.size() > max_bytes) {
            too_large(location, max_bytes);
        }
        OutputFile copy = OutputFile::create(to);
        while (copy.size() < source.size()) {
            const std::string piece = source.read(copy.size(), kPieceSize);
            if (piece.empty()) {
                break;
            }
            copy.write(piece);
        }
        copy.finish();
    } catch (const FileError& why) {
        refuse(kDataError, {fmt::format("{}: {}", location, why.what())});
    }
    return Fetched::kWhole;
}

// Returns a folder; variables with relative paths are ignored, as specified by XDG.
fs::path folder_of(const char* variable, const char* below_home) {
    const char* const own = std::getenv(variable);
    if (own != nullptr && fs::path(own).is_absolute()) {
        return fs::path(own) / "ptp";
    }
    const fs::path home = home_folder();
    return home.is_absolute() ? home / below_home / "ptp" : fs::path();
}

}  // namespace

bool is_address(std::string_view location) {
    const std::string begin = in_lower_case(location.substr(0, kHttps.size()));
    return begin.starts_with("http://") || begin == kHttps;
}

std::string normal_location(std::string location) {
    if (!is_address(location)) {
        return location;
    }
    const std::size_t scheme = location.find("://") + 3;
    while (location.size() > scheme && location.back() == '/') {
        location.pop_back();
    }
    const std::size_t end = std::min(location.find_first_of("/?#", scheme), location.size());
    const std::size_t user = location.substr(0, end).rfind('@');  // user names are case-sensitive
    const std::size_t host = user == std::string::npos ? scheme : user + 1;
    return in_lower_case(location.substr(0, scheme)) + location.substr(scheme, host - scheme) +
           in_lower_case(location.substr(host, end - host)) + location.substr(end);
}

std::string unique_location(const std::string& location) {
    if (is_address(location)) {
        return normal_location(location);
    }
    std::error_code error;
    const fs::path folder = fs::weakly_canonical(location, error);
    return error ? fs::absolute(location).lexically_normal().string() : folder.string();
}

std::string location_of(const std::string& repository, const std::string& file) {
    if (!is_address(repository)) {
        return (fs::path(repository) / file).string();
    }
    return repository + (repository.ends_with('/') ? "" : "/") + file;
}

Fetched fetch(const std::string& location, const fs::path& to, std::uint64_t max_bytes) {
    return is_address(location) ? fetch_address(normal_location(location), to, max_bytes)
                                : copy_path(location, to, max_bytes);
}

fs::path fetch_signature(const std::string& location, const fs::path& to) {
    constexpr std::uint64_t kMaxSignatureBytes = 1U << 20U;
    fs::path signature = to.string() + kSignatureEnding;
    std::error_code error;
    fs::remove(signature, error);
    if (fetch(location + kSignatureEnding, signature, kMaxSignatureBytes) == Fetched::kMissing) {
        fs::remove(signature, error);
    }
    return signature;
}

void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        refuse(kTrainingError,
               {fmt::format("cannot make {}: {}", folder.string(), error.message())});
    }
}

std::vector<fs::path> files_ending_with(const fs::path& folder, std::string_view ending) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : entries_of(folder)) {
        if (entry.path().extension() == ending) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

Folders folders_here() {
    return {.user_config = folder_of("XDG_CONFIG_HOME", ".config"),
            .system_config = "/etc/ptp",
            .state = folder_of("XDG_STATE_HOME", ".local/state"),
            .user_packages = plugin::packages_folder(plugin::user_folder()),
            .system_packages =
                plugin::packages_folder(plugin::system_folder(plugin::executable_path()))};
}

fs::path below(const fs::path& folder, const fs::path& name) {
    return folder.empty() ? fs::path() : folder / name;
}

bool is_absent(const fs::path& path) {
    std::error_code error;
    return fs::symlink_status(path, error).type() == fs::file_type::not_found;
}

}  // namespace ptp::pack
