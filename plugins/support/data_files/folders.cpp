// Lists files and class folders in sorted order. Folders without files are reported all at once.

#include "folders.hpp"

#include <ptp/data.hpp>
#include <ptp/error.hpp>
#include <words.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace ptp::support {

namespace fs = std::filesystem;

namespace {

std::string lowered(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

// Returns whether the file or folder is not data: its name begins with a dot, or
// systems and programs write it of themselves.
bool is_hidden(const fs::path& path) {
    constexpr std::array<std::string_view, 8> kOfSystems{
        "thumbs.db", "desktop.ini",  "__macosx",   "__pycache__",
        "@eadir",    "$recycle.bin", "lost+found", "system volume information"};
    const std::string name = lowered(path.filename().string());
    return name.starts_with('.') || std::ranges::find(kOfSystems, name) != kOfSystems.end();
}

// Returns whether the file describes the folder that it lies in, as README.txt and LICENSE.md do.
bool is_about_folder(const fs::path& path) {
    const std::string name = lowered(path.stem().string());
    return name == "readme" || name == "license";
}

bool has_ending(const fs::path& path, Endings endings) {
    return std::ranges::find(endings, lowered(path.extension().string())) != endings.end();
}

// Returns ".jpg, .jpeg or .png".
std::string listed(Endings endings) {
    std::string text;
    for (std::size_t i = 0; i < endings.size(); ++i) {
        text += i == 0 ? "" : i + 1 == endings.size() ? " or " : ", ";
        text += endings[i];
    }
    return text;
}

bool is_in(const std::string& name, const std::vector<std::string>& names) {
    return std::ranges::find(names, name) != names.end();
}

void require_folder(const fs::path& path) {
    std::error_code error;
    const fs::directory_iterator begin(path, error);
    if (error) {
        throw DataError(path, ": cannot be read as a folder: ", error.message());
    }
}

[[noreturn]] void refuse_unreadable(const fs::path& path, const std::error_code& why) {
    throw DataError(shown_text(path.string()), ": cannot be read: ", why.message(),
                    "\npermit it, or take it out of the folder");
}

// Files by their number, and the names of a few.
struct SomeFiles {
    std::size_t count = 0;
    std::string first = {};

    void add(const std::string& name) {
        constexpr std::size_t kShown = 3;
        if (++count <= kShown) {
            first += (count == 1 ? "" : ", ") + shown_text(name);
        } else if (count == kShown + 1) {
            first += ", ...";
        }
    }

    void add_all(std::vector<std::string> names) {
        std::ranges::sort(names);
        std::ranges::for_each(names, [&](const std::string& name) { add(name); });
    }

    [[nodiscard]] std::string are_left_out(std::string_view what = "file") const {
        return detail::join(count, " ", what, count == 1 ? " is" : "s are", " left out");
    }
};

// The files that no task reads, beside those that it does.
struct LeftOut {
    SomeFiles others = {};        // with other endings
    SomeFiles about_folder = {};  // with the right ones
    SomeFiles folders = {};       // with such files, that are no class

    // `what` completes "only ... are read".
    [[nodiscard]] std::string text(const std::string& what) const {
        std::string text;
        if (others.count > 0) {
            text = detail::join(others.are_left_out(), ": only ", what, " are read (", others.first,
                                ")");
        }
        if (about_folder.count > 0) {
            text += detail::join(text.empty() ? "" : "; ", about_folder.are_left_out(),
                                 " as a description of the folder (", about_folder.first,
                                 "): files of other names are read");
        }
        if (folders.count > 0) {
            text += detail::join(text.empty() ? "" : "; ", folders.are_left_out("folder"),
                                 " that `classes` does not list (", folders.first, ")");
        }
        return text;
    }
};

// Collects the files in a folder and its subfolders, following links to folders, except links to a
// folder on the current path.
class FileSearch {
public:
    FileSearch(const fs::path& root, Endings endings, LeftOut& left_out)
        : root_(root), endings_(endings), left_out_(left_out) {}

    std::vector<std::string> run() {
        visit(root_);
        left_out_.others.add_all(std::move(others_));
        left_out_.about_folder.add_all(std::move(about_folder_));
        std::ranges::sort(names_);
        return std::move(names_);
    }

private:
    using Identity = std::pair<dev_t, ino_t>;

    void visit(const fs::path& folder) {
        struct stat status {};
        if (stat(folder.c_str(), &status) != 0) {
            refuse_unreadable(folder, {errno, std::generic_category()});
        }
        const Identity identity(status.st_dev, status.st_ino);
        if (std::ranges::find(way_, identity) != way_.end()) {
            return;
        }
        way_.push_back(identity);
        std::error_code error;
        for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
             entry.increment(error)) {
            if (!is_hidden(entry->path())) {
                add(*entry);
            }
        }
        if (error) {
            refuse_unreadable(folder, error);
        }
        way_.pop_back();
    }

    void add(const fs::directory_entry& entry) {
        std::error_code ignored;  // a dangling link is an unreadable file
        const fs::path relative = entry.path().lexically_relative(root_);
        const bool is_read = has_ending(entry.path(), endings_);
        if (entry.is_directory(ignored)) {
            visit(entry.path());
        } else if (!is_about_folder(entry.path())) {
            (is_read ? names_ : others_)
                .push_back((is_read ? relative : root_.filename() / relative).string());
        } else if (is_read) {
            about_folder_.push_back((root_.filename() / relative).string());
        }
    }

    const fs::path& root_;
    Endings endings_;
    LeftOut& left_out_;
    std::vector<std::string> others_;
    std::vector<std::string> about_folder_;
    std::vector<std::string> names_;
    std::vector<Identity> way_;  // the open folders, from the root to the current one
};

// Returns the files within `folder`, sorted, with relative paths.
// If there are none, adds a line to `problems`.
std::vector<std::string> file_names(const fs::path& folder, Endings endings, LeftOut& left_out,
                                    std::string& problems) {
    require_folder(folder);
    std::vector<std::string> names = FileSearch(folder, endings, left_out).run();
    if (names.empty()) {
        problems += (problems.empty() ? "" : "\n") + folder.string() +
                    ": has no files that end with " + listed(endings);
    }
    return names;
}

void throw_unless_empty(const std::string& problems) {
    if (!problems.empty()) {
        throw DataError(problems);
    }
}

// Returns the deepest folder that contains all of these files or folders.
fs::path common_folder(const std::vector<fs::path>& paths) {
    fs::path common = paths.front();
    for (const fs::path& path : paths) {
        const auto [end, unused] =
            std::mismatch(common.begin(), common.end(), path.begin(), path.end());
        fs::path shared;
        for (auto part = common.begin(); part != end; ++part) {
            shared /= *part;
        }
        common = std::move(shared);
    }
    return fs::is_directory(common) ? common : common.parent_path();
}

std::vector<std::string> folder_names(const fs::path& root) {
    require_folder(root);
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(root, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code ignored;  // a dangling link is not a folder
        if (entry->is_directory(ignored) && !is_hidden(entry->path())) {
            names.push_back(entry->path().filename().string());
        }
    }
    if (error) {
        refuse_unreadable(root, error);
    }
    std::ranges::sort(names);
    return names;
}

// Returns whether there is such a file in a folder, without those in what cannot be read.
bool has_files(const fs::path& folder, Endings endings) {
    std::error_code ignored;
    for (fs::recursive_directory_iterator entry(folder, ignored), end; !ignored && entry != end;
         entry.increment(ignored)) {
        if (has_ending(entry->path(), endings) && !is_hidden(entry->path())) {
            return true;
        }
    }
    return false;
}

// Adds the files in the root itself, a readable folder, that would be read in that of a class, and
// the folders with such files that `classes` does not list.
void add_beside(const ClassFolders& folders, Endings endings, LeftOut& left_out) {
    std::vector<std::string> files;
    std::vector<std::string> others;
    std::error_code ignored;
    for (fs::directory_iterator entry(folders.root, ignored), end; !ignored && entry != end;
         entry.increment(ignored)) {
        const fs::path& path = entry->path();
        const std::string name = path.filename().string();
        const bool is_file = entry->is_regular_file(ignored);
        const bool is_data = is_file ? has_ending(path, endings) && !is_about_folder(path)
                                     : !is_in(name, folders.classes) && has_files(path, endings);
        if (is_data && !is_hidden(path)) {
            (is_file ? files : others).push_back(name);
        }
    }
    left_out.others.add_all(std::move(files));
    left_out.folders.add_all(std::move(others));
}

// Rejects names of classes that are not UTF-8, which checkpoints, tables and listings need.
void refuse_unreadable_names(const fs::path& root, const std::vector<std::string>& classes) {
    std::string problems;
    for (const std::string& name : classes) {
        if (invalid_utf8_at(name)) {
            problems += (problems.empty() ? "" : "\n") + shown_text((root / name).string()) +
                        ": the name of the class is not UTF-8 text";
        }
    }
    if (!problems.empty()) {
        throw DataError(problems, "\nrename the folder; convmv changes the names of many");
    }
}

}  // namespace

FoundFiles find_files(const std::vector<fs::path>& paths, Endings endings) {
    FoundFiles files;
    if (paths.empty()) {
        return files;
    }
    std::string problems;
    LeftOut left_out;
    std::vector<fs::path> given;
    for (const fs::path& path : paths) {
        const fs::path normal = path.lexically_normal();
        given.push_back(normal.has_filename() ? normal : normal.parent_path());
        if (!fs::is_directory(path)) {
            files.paths.push_back(normal);
            continue;
        }
        for (const std::string& name : file_names(path, endings, left_out, problems)) {
            files.paths.push_back((path / name).lexically_normal());
        }
    }
    throw_unless_empty(problems);
    files.left_out = left_out.text("files that end with " + listed(endings));
    const fs::path root = common_folder(given);
    for (const fs::path& path : files.paths) {
        files.names.push_back(shown_text(path.lexically_relative(root).string()));
    }
    return files;
}

// Explains how a section may lack classes.
constexpr std::string_view kMayBeAbsent =
    "write incomplete = true in the task, where a class may have no files";

// Returns the ways out where folders of classes, but not all, have no files.
std::string fix_of_empty(const ClassFolders& folders, std::size_t empty_count) {
    if (!folders.are_found) {
        return "\n    fix: " + std::string(kMayBeAbsent);
    }
    constexpr std::size_t kMaxListed = 20;
    const bool are_few = folders.classes.size() <= kMaxListed;
    const Data names(Data::List(folders.classes.begin(), folders.classes.end()));
    return std::string("\n    fix: ") +
           (empty_count == 1 ? "remove the folder, or put such files into it"
                             : "remove the folders, or put such files into them") +
           "\n         or, where a class may have no files, " +
           (are_few ? "write classes = " + names.toml() + " and"
                    : "list the names of all folders as classes, and write") +
           " incomplete = true in the task of each section";
}

std::vector<std::string> find_classes(const ClassFolders& folders) {
    const auto& [root, wanted, may_be_absent, are_found] = folders;
    std::string problems;
    for (auto name = wanted.begin(); name != wanted.end(); ++name) {
        if (std::find(wanted.begin(), name, *name) != name) {
            throw ConfigError("classes: '", *name, "' is listed twice");
        }
        if (!may_be_absent && !fs::is_directory(root / *name)) {
            problems += (problems.empty() ? "" : "\n") + (root / *name).string() +
                        ": no such folder, and `classes` names it";
        }
    }
    if (!problems.empty()) {
        std::vector<std::string> names = fs::is_directory(root) ? folder_names(root) : wanted;
        std::erase_if(names, [&](const std::string& name) { return is_in(name, wanted); });
        SomeFiles others;
        others.add_all(std::move(names));
        const std::string there =
            "name folders that are there in `classes` (" + others.first + ")\n         or ";
        throw DataError(problems, "\n    fix: ", others.count == 0 ? "" : there, kMayBeAbsent);
    }
    std::vector<std::string> names = wanted.empty() ? folder_names(root) : wanted;
    if (names.empty()) {
        throw DataError(root, ": has no folders; expected one for each class");
    }
    refuse_unreadable_names(root, names);
    return names;
}

ClassFiles find_class_files(const ClassFolders& folders, Endings endings) {
    const auto& [root, classes, may_be_absent, are_found] = folders;
    ClassFiles files;
    std::string problems;
    std::size_t empty_count = 0;
    LeftOut left_out;
    for (std::size_t target = 0; target < classes.size(); ++target) {
        if (may_be_absent && !fs::exists(root / classes[target])) {
            continue;
        }
        const auto names = file_names(root / classes[target], endings, left_out, problems);
        empty_count += names.empty() ? 1 : 0;
        for (const std::string& name : names) {
            files.names.push_back(classes[target] + "/" + shown_text(name));
            files.paths.push_back(root / classes[target] / name);
            files.targets.push_back(static_cast<std::int64_t>(target));
        }
    }
    if (!may_be_absent || files.paths.empty()) {
        const bool may_help = !problems.empty() && !files.paths.empty();
        throw_unless_empty(may_help ? problems + fix_of_empty(folders, empty_count) : problems);
    }
    add_beside(folders, endings, left_out);
    files.left_out =
        left_out.text("files in the folders of classes that end with " + listed(endings));
    return files;
}

}  // namespace ptp::support
