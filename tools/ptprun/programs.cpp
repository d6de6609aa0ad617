// Finds the programs beside ptprun, and lists them for its help.

#include "help.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "command_line.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

namespace ptp::ptprun {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "ptp-";

// Stands in a program's file before its line of the help.
constexpr std::string_view kMark = "@ptprun-help: ";
constexpr std::size_t kMaxSummary = 100;

// Programs that the overview lists among the commands, whether they are installed or not.
struct EverydayProgram {
    std::string_view before;  // a command
    std::string_view usage;
    std::string_view summary;
};
constexpr std::array kEveryday = {
    EverydayProgram{"summary", "data RUN-OR-EXPERIMENT", "shows samples, classes and duplicates"},
    EverydayProgram{"runs", "find-lr EXPERIMENT.toml", "finds a learning rate by a short test"},
    EverydayProgram{"control", "bundle RUN", "packs a trained model into one file"},
    EverydayProgram{"control", "export RUN-OR-EXPERIMENT", "writes ONNX, TorchScript, safetensors"},
};

bool is_everyday(const std::string& name) {
    return std::ranges::any_of(
        kEveryday, [&](const EverydayProgram& one) { return one.usage.starts_with(name + " "); });
}

fs::path own_folder() {
    return beside("").parent_path();
}

// Returns the folders of PATH; an empty one, which is the current folder, is left out.
std::vector<fs::path> path_folders() {
    const char* const path = std::getenv("PATH");
    std::istringstream list(path == nullptr ? "" : path);
    std::vector<fs::path> folders;
    for (std::string folder; std::getline(list, folder, ':');) {
        if (!folder.empty()) {
            folders.emplace_back(folder);
        }
    }
    return folders;
}

// Returns whether `ptprun NAME` may start a program: other words are options, files or commands.
bool is_name(const std::string& name) {
    return !name.empty() && name != "help" && !name.starts_with('-') &&
           name.find_first_of("./") == std::string::npos && is_one_line(name) && is_utf8(name) &&
           find_command(name) == nullptr;
}

bool is_program(const fs::path& file) {
    std::error_code unreadable;
    return fs::is_regular_file(file, unreadable) && access(file.c_str(), X_OK) == 0;
}

// Returns the programs in a folder by their names after "ptp-".
std::map<std::string, fs::path> programs_in(const fs::path& folder) {
    std::map<std::string, fs::path> programs;
    std::error_code unreadable;
    for (fs::directory_iterator it(folder, unreadable), end; !unreadable && it != end;
         it.increment(unreadable)) {
        const std::string file = it->path().filename().string();
        const std::string name = file.substr(std::min(kPrefix.size(), file.size()));
        if (file.starts_with(kPrefix) && is_name(name) && is_program(it->path())) {
            programs.emplace(name, it->path());
        }
    }
    return programs;
}

// Returns the line of the help that is in the file of a program, "" if there is no short one.
std::string summary_of(const fs::path& program) {
    std::string content;
    try {
        content = read_text(program);
    } catch (const RunError&) {  // It may be run, but not read.
    }
    const std::size_t mark = content.find(kMark);
    if (mark == std::string::npos) {
        return "";
    }
    const std::size_t begin = mark + kMark.size();
    const std::size_t end = content.find_first_of(std::string_view("\n\0", 2), begin);
    const std::string line = content.substr(begin, std::min(end - begin, kMaxSummary + 1));
    return line.size() <= kMaxSummary && is_utf8(line) && is_one_line(line) ? line : "";
}

}  // namespace

std::optional<fs::path> find_program(const std::string& name) {
    if (!is_name(name)) {
        return std::nullopt;
    }
    std::vector<fs::path> folders = path_folders();
    folders.insert(folders.begin(), own_folder());
    for (const fs::path& folder : folders) {
        fs::path program = folder / (std::string(kPrefix) + name);
        if (is_program(program)) {
            return program;
        }
    }
    return std::nullopt;
}

std::vector<std::string> programs_beside() {
    std::vector<std::string> names;
    for (const auto& [name, path] : programs_in(own_folder())) {
        names.push_back(name);
    }
    return names;
}

std::string lines_of_programs(std::string_view command) {
    std::string text;
    for (const EverydayProgram& one : kEveryday) {
        text += one.before == command ? fmt::format("  {:<31}  {}\n", one.usage, one.summary) : "";
    }
    return text;
}

std::string overview_of_programs() {
    std::map<std::string, fs::path> own = programs_in(own_folder());
    std::set<std::string> others;
    for (const fs::path& folder : path_folders()) {
        for (const auto& [name, path] : programs_in(folder)) {
            if (!own.contains(name)) {
                others.insert(name);
            }
        }
    }
    std::erase_if(own, [](const auto& program) { return is_everyday(program.first); });
    std::size_t width = 0;
    for (const auto& [name, path] : own) {
        width = std::max(width, name.size());
    }
    std::string text =
        own.empty() && others.empty() ? "" : "\nprograms of their own, as ptprun NAME:\n";
    for (const auto& [name, path] : own) {
        const std::string summary = summary_of(path);
        text += summary.empty() ? fmt::format("    {}\n", name)
                                : fmt::format("    {:<{}}  {}\n", name, width, summary);
    }
    return others.empty() ? text : text + fmt::format("    in PATH: {}\n", join(others, ", "));
}

}  // namespace ptp::ptprun
