// Finds the libraries and data that travel with a plugin, and copies, hashes and opens them.

#include "plugin/companions.hpp"

#include "base/explanation.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "plugin/open.hpp"

#include <fmt/format.h>
#include <boost/dll/runtime_symbol_info.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDataPlace = "data/";

using Read = LibraryFile (*)(const fs::path&);

fs::path with_ending(fs::path plugin, const char* ending) {
    return plugin.replace_extension(ending);
}

// "$ORIGIN/deep" of a library in /x is "/x/deep". Other run paths lead to what the system has.
std::optional<fs::path> below_origin(std::string_view run_path, const fs::path& origin) {
    for (const std::string_view name : {"${ORIGIN}", "$ORIGIN"}) {
        if (run_path.starts_with(name)) {
            return fs::path(origin.string() + std::string(run_path.substr(name.size())));
        }
    }
    return std::nullopt;
}

// Returns nullopt for a file that is not a library, which is reported when it is loaded.
std::optional<LibraryFile> library_at(const fs::path& file, Read read) {
    try {
        return read(file);
    } catch (const ResourceError&) {
        throw;
    } catch (const FileError&) {
        return std::nullopt;
    }
}

class LibrarySearch {
public:
    LibrarySearch(fs::path root, Read read) : root_(std::move(root)), read_(read) {}

    // Returns the libraries that this file needs, each after those that it needs itself.
    void add_needed(const fs::path& file, const fs::path& origin) {
        const std::optional<LibraryFile> library = library_at(file, read_);
        for (const std::string& name : library ? library->needed : std::vector<std::string>()) {
            const fs::path found = beside(name, library->run_paths, origin);
            std::string place = found.lexically_relative(root_).generic_string();
            if (!found.empty() && known_.insert(place).second) {
                add_needed(found, found.parent_path());
                libraries_.push_back({found, std::move(place), true});
            }
        }
    }

    std::vector<Companion> take() { return std::move(libraries_); }

private:
    // Returns the library in the plugin's folder or below it; empty if it is not there. The
    // libraries of libtorch are the host's.
    fs::path beside(const std::string& name, const std::vector<std::string>& run_paths,
                    const fs::path& origin) const {
        if (name.find('/') != std::string::npos || name.starts_with("libtorch") ||
            name.starts_with("libc10")) {
            return {};
        }
        for (const std::string& run_path : run_paths) {
            if (const auto folder = below_origin(run_path, origin)) {
                fs::path file = (*folder / name).lexically_normal();
                std::error_code ignored;
                if (!file.lexically_relative(root_).generic_string().starts_with("..") &&
                    fs::is_regular_file(file, ignored)) {
                    return file;
                }
            }
        }
        return {};
    }

    fs::path root_;
    Read read_;
    std::set<std::string> known_;
    std::vector<Companion> libraries_;
};

std::vector<Companion> data_of(const fs::path& plugin) {
    std::vector<Companion> files;
    const fs::path folder = data_folder(plugin);
    if (folder.empty()) {
        return files;
    }
    std::error_code error;
    std::error_code ignored;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
        if (it->is_directory(ignored) && !it->is_symlink(ignored)) {
            continue;
        }
        if (!it->is_regular_file(ignored)) {
            throw WithFix<FileError>(
                {fmt::format("has {} among its data, which is not a file", it->path().string()),
                 "put a file there, or remove it"});
        }
        const fs::path below = it->path().lexically_relative(folder);
        files.push_back({it->path(), std::string(kDataPlace) + below.generic_string()});
    }
    if (error) {
        throw UnreadableFile(
            fmt::format("its data in {} cannot be read: {}", folder.string(), error.message()));
    }
    std::ranges::sort(files, {}, &Companion::place);
    return files;
}

// The plugin's needs have this name, and a library that calls itself otherwise is not taken for it.
void check_own_name(const Companion& library, const std::string& name) {
    const std::string own = read_library(library.file).own_name;
    if (own != name) {
        throw WithFix<OpenError>(
            {own.empty() ? fmt::format("needs {}, which does not state its own name (SONAME)", name)
                         : fmt::format("needs {}, which calls itself {}", name, own),
             fmt::format("link it with -Wl,-soname,{}, and the plugin with it", name)});
    }
}

// Returns the digits of a build's hash in the name of the folder that has the libraries of one of
// its copies, "x.1.16ed56e20ac6f50a.libraries"; "" for any other folder.
std::string build_in_name(const fs::path& library) {
    for (fs::path folder = library.parent_path(); folder.has_relative_path();
         folder = folder.parent_path()) {
        if (folder.extension() == ".libraries") {
            return folder.stem().extension().string();
        }
    }
    return "";
}

// Returns whether a library that the process has is this one. The copy that it was opened from may
// be gone, as after an experiment of a program that opens several.
bool is_same_library(const fs::path& loaded, const fs::path& library) {
    std::error_code ignored;
    return fs::exists(loaded, ignored) ? sha256_of_file(loaded) == sha256_of_file(library)
                                       : !build_in_name(library).empty() &&
                                             build_in_name(loaded) == build_in_name(library) &&
                                             loaded.filename() == library.filename();
}

}  // namespace

std::vector<Companion> companions_of(const fs::path& plugin, Read read) {
    const fs::path file = fs::absolute(plugin).lexically_normal();
    const fs::path own = with_ending(file, ".libraries");
    std::error_code ignored;
    const fs::path root = fs::is_directory(own, ignored) ? own : file.parent_path();
    LibrarySearch search(root, read);
    search.add_needed(file, root);
    std::vector<Companion> all = search.take();
    std::ranges::move(data_of(file), std::back_inserter(all));
    return all;
}

fs::path file_of_code(const void* address) {
    boost::dll::fs::error_code ignored;
    return boost::dll::symbol_location_ptr(address, ignored).string();
}

fs::path data_place(const fs::path& plugin) {
    return with_ending(fs::absolute(plugin).lexically_normal(), ".data");
}

fs::path data_folder(const fs::path& plugin) {
    if (plugin.empty()) {
        return {};
    }
    const fs::path folder = data_place(plugin);
    std::error_code ignored;
    return fs::is_directory(folder, ignored) ? folder : fs::path();
}

std::string build_hash(const std::string& plugin_hash, const std::vector<Companion>& companions) {
    if (companions.empty()) {
        return plugin_hash;
    }
    std::vector<std::string> lines;
    for (const Companion& companion : companions) {
        lines.push_back(fmt::format("{}  {}\n", sha256_of_file(companion.file), companion.place));
    }
    std::ranges::sort(lines);
    std::string text = plugin_hash + "\n";
    for (const std::string& line : lines) {
        text += line;
    }
    return sha256(text);
}

std::string build_hash(const fs::path& plugin) {
    return build_hash(sha256_of_file(plugin), companions_of(plugin));
}

fs::path place_beside(const fs::path& copy, const Companion& companion) {
    return companion.is_library
               ? with_ending(copy, ".libraries") / companion.place
               : with_ending(copy, ".data") / companion.place.substr(kDataPlace.size());
}

void copy_companions(const std::vector<Companion>& companions, const fs::path& copy) {
    for (const Companion& companion : companions) {
        const fs::path to = place_beside(copy, companion);
        fs::create_directories(to.parent_path());
        replace_file(to, read_text(companion.file));
    }
}

void remove_copy(const fs::path& copy) {
    std::error_code ignored;
    fs::remove(copy, ignored);
    fs::remove_all(with_ending(copy, ".libraries"), ignored);
    fs::remove_all(with_ending(copy, ".data"), ignored);
}

void open_companions(const fs::path& plugin) {
    for (const Companion& companion : companions_of(plugin)) {
        if (!companion.is_library) {
            continue;
        }
        const std::string name = companion.file.filename().string();
        check_own_name(companion, name);
        const fs::path loaded = loaded_library(name);
        if (loaded.empty()) {
            open_library(companion.file);
        } else if (!is_same_library(loaded, companion.file)) {
            throw WithFix<OpenError>(
                {fmt::format("needs the {} beside it, and this process has another one already, {}",
                             name, loaded.string()),
                 "link it statically, or give each build of it a name of its own (SONAME)"});
        }
    }
}

}  // namespace ptp::plugin
