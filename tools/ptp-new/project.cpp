// Writes a project's files from the templates of the SDK.

#include "project.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/output_file.hpp"
#include "base/replace_folder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::newplugin {

namespace {

namespace fs = std::filesystem;

using Replacements = std::vector<std::pair<std::string, std::string>>;

// Escapes a text for a quoted argument of CMake.
std::string cmake_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        out += c == '"' || c == '\\' || c == '$' ? "\\" : "";
        out += c;
    }
    return out;
}

int this_year() {
    const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    return static_cast<int>(std::chrono::year_month_day(today).year());
}

// Replaces all names in one pass, so that inserted texts are not replaced again; returns nullopt if
// a replacement is unknown.
std::optional<std::string> replaced(std::string_view text, const Replacements& replacements) {
    std::string out;
    while (!text.empty()) {
        const auto found = std::ranges::find_if(
            replacements, [&](const auto& one) { return text.starts_with(one.first); });
        if (found == replacements.end()) {
            out += text.front();
            text.remove_prefix(1);
            continue;
        }
        if (found->second.empty()) {
            return std::nullopt;
        }
        out += found->second;
        text.remove_prefix(found->first.size());
    }
    return out;
}

// Returns the names in the templates and their replacements in the project.
Replacements replacements_for(const Options& options) {
    return {
        {"my_plugin", options.name},
        {"my_component", options.name},
        {"MyComponent", options.type},
        {"@KIND@", options.kind},
        {"@LICENSE@", options.license},
        {"@AUTHOR@", cmake_text(options.author)},
        {"@HOMEPAGE@", cmake_text(options.homepage)},
        {"@HOLDER@", options.author.empty() ? "the authors of " + options.name : options.author},
        {"@YEAR@", std::to_string(this_year())},
        {"@PTP_VERSION@", PTP_VERSION}};
}

// Fills a template; lines with an unknown text, such as an author's, are removed.
std::string filled(std::string_view text, const Replacements& replacements) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        out += replaced(text.substr(0, end), replacements).value_or("");
        text.remove_prefix(end);
    }
    return out;
}

void copy_file_filled(const fs::path& from, const fs::path& to, const Replacements& replacements) {
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    if (error) {
        throw RunError(kTrainingError, fmt::format("cannot write {}: {}", to.parent_path().string(),
                                                   error.message()));
    }
    OutputFile file = OutputFile::create(to);
    file.write(filled(read_text(from), replacements));
    file.finish();
    const fs::perms executable =
        fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
    if ((fs::status(from).permissions() & fs::perms::owner_exec) != fs::perms::none) {
        fs::permissions(to, executable, fs::perm_options::add, error);
    }
}

void copy_folder_filled(const fs::path& from, const fs::path& to,
                        const Replacements& replacements) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(from, error), end; !error && it != end;
         it.increment(error)) {
        if (it->is_regular_file()) {
            const fs::path name = it->path().lexically_relative(from);
            const std::string target = *replaced(name.string(), replacements);
            copy_file_filled(it->path(), to / target, replacements);
        }
    }
    if (error) {
        throw RunError(kTrainingError,
                       fmt::format("cannot read {}: {}", from.string(), error.message()));
    }
}

void require_new(const Options& options) {
    std::error_code error;
    if (fs::symlink_status(options.into, error).type() != fs::file_type::not_found) {
        throw WithFix<RunError>(kConfigurationError,
                                {fmt::format("{}: exists", options.as_given.string()),
                                 "name another folder: --into FOLDER"});
    }
    if (!fs::is_directory(options.into.parent_path(), error)) {
        throw WithFix<RunError>(kConfigurationError,
                                {fmt::format("{}: there is no folder {}", options.as_given.string(),
                                             options.into.parent_path().string()),
                                 fmt::format("mkdir -p {}", options.into.parent_path().string())});
    }
}

}  // namespace

fs::path template_folder(const fs::path& executable) {
    fs::path folder = executable.parent_path().parent_path() / "share/ptp/template";
    if (!fs::is_directory(folder / "common")) {
        throw WithFix<RunError>(kTrainingError,
                                {fmt::format("the templates are not in {}", folder.string()),
                                 "install the SDK of ptp whole: cmake --install BUILD --component "
                                 "sdk, or the package ptp-sdk"});
    }
    return folder;
}

void make_project(const Options& options, const fs::path& templates) {
    require_new(options);
    const Replacements replacements = replacements_for(options);
    replace_folder(options.into, [&](const fs::path& made) {
        copy_folder_filled(templates / "common", made, replacements);
        if (options.kind != "task") {  // a task makes its own samples
            copy_folder_filled(templates / "points", made, replacements);
        }
        copy_folder_filled(templates / options.kind, made, replacements);
        if (!options.license.empty()) {
            copy_file_filled(templates / "licenses" / (options.license + ".txt"), made / "LICENSE",
                             replacements);
        }
    });
}

}  // namespace ptp::newplugin
