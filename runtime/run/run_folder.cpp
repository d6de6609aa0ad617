// Makes the folder of a run, or takes it over for a resume.

#include "run/run_folder.hpp"

#include "base/duration.hpp"
#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace ptp::run {

namespace fs = std::filesystem;

namespace {

// Refuses a folder whose name is not UTF-8: the files of a run contain it as text.
void refuse_unreadable(const fs::path& folder) {
    if (!is_utf8(folder.native())) {
        throw RunError(
            kConfigurationError,
            fmt::format("the run folder {} has a path that is not UTF-8 text: rename the "
                        "folder, or name another one",
                        folder.string()));
    }
}

// Returns whether the folder contains at most logs of processes that were started for a run that
// did not begin.
bool is_as_good_as_empty(const fs::path& folder) {
    return std::all_of(fs::directory_iterator(folder), fs::directory_iterator(),
                       [](const auto& entry) { return entry.path().filename() == kRanksFolder; });
}

void take_folder(const fs::path& folder) {
    if (fs::exists(folder) && !(fs::is_directory(folder) && is_as_good_as_empty(folder))) {
        throw RunError(kConfigurationError,
                       fmt::format("the run folder {} is there already and not empty; name another "
                                   "one, or none to get a new one",
                                   folder.string()));
    }
    fs::create_directories(folder);
}

// Returns whether a link leads into the folder, which must be canonical.
bool leads_into(const fs::path& folder, const fs::path& link) {
    std::error_code error;
    const fs::path target = fs::weakly_canonical(link, error);
    const auto [end, ignored] =
        std::mismatch(folder.begin(), folder.end(), target.begin(), target.end());
    return !error && end == folder.end();
}

Descriptor open_lock(const fs::path& run, int flags) {
    const fs::path file = run / kLockFile;
    Descriptor lock;
    do {
        lock = Descriptor(open(file.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0644));
    } while (!lock.is_open() && errno == EINTR);
    return lock;
}

// Locks the folder of the run until the descriptor is closed. On a file system without locks, the
// folder is used without.
void lock_or_refuse(const fs::path& run, const Descriptor& lock, int operation) {
    if (flock(lock.get(), operation | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        throw WithFix<RunError>(
            kConfigurationError,
            {fmt::format("the run in {} is going on in another process", run.string()),
             fmt::format("wait for its end, or end it: ptprun control {} stop",
                         shell_word(run.string()))});
    }
}

// Refuses links that lead out of the folder: the run and its components would write through them,
// and in a folder from another user could overwrite the user's files. The names of checkpoints are
// links too, but lead to folders beside them.
void refuse_links_outward(const fs::path& run) {
    std::error_code error;
    const fs::path folder = fs::canonical(run, error);
    fs::recursive_directory_iterator entry(run, error);
    for (; !error && entry != fs::end(entry); entry.increment(error)) {
        if (entry->is_symlink(error) && !leads_into(folder, entry->path())) {
            throw WithFix<RunError>(
                kDataError,
                {fmt::format("{} is a link that leads out of the run folder; a run writes nowhere "
                             "else",
                             entry->path().string()),
                 "if the run is to continue there, put what it leads to in its place; else remove "
                 "it"});
        }
    }
    if (error) {
        throw RunError(code_for_unreadable(error.value()),
                       fmt::format("cannot read {}: {}", run.string(), error.message()));
    }
}

}  // namespace

fs::path new_folder(const fs::path& parent, std::chrono::system_clock::time_point now) {
    fs::create_directories(parent);
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    const std::string stamp = stamp_text(seconds);
    fs::path folder = parent / stamp;
    for (int i = 2; !fs::create_directory(folder); ++i) {
        folder = parent / fmt::format("{}_{}", stamp, i);
    }
    return folder;
}

fs::path make_folder(const std::optional<fs::path>& asked_for, const fs::path& parent,
                     std::chrono::system_clock::time_point now) {
    try {
        refuse_unreadable(fs::absolute(asked_for ? *asked_for : parent));
        if (asked_for) {
            take_folder(*asked_for);
        }
        return fs::absolute(asked_for ? *asked_for : new_folder(parent, now));
    } catch (const fs::filesystem_error& error) {
        throw RunError(code_for_unwritable(error.code().value()),
                       fmt::format("cannot make the run folder {}: {}", error.path1().string(),
                                   error.code().message()));
    }
}

RunFolder::RunFolder(const std::optional<fs::path>& asked_for, const std::string& name,
                     std::chrono::system_clock::time_point now)
    : is_ours_(!asked_for || !fs::exists(fs::symlink_status(*asked_for))),
      path_(make_folder(asked_for, runs_root() / name, now)) {
    fs::create_directory(checkpoints());
    lock();
    is_kept_ = false;
}

RunFolder::RunFolder(const fs::path& existing) : path_(fs::absolute(existing)) {
    lock();  // first: a run that trains removes files while they are looked at
    refuse_links_outward(path_);
}

RunFolder::~RunFolder() {
    if (!is_kept_) {
        remove();
    }
}

// Removes the folder, except for files of other processes of the run, and a folder that existed
// before.
void RunFolder::remove() const {
    std::error_code ignored;  // the rest lacks an experiment, and does not count as a run
    for (fs::directory_iterator entry(path_, ignored), end; !ignored && entry != end;
         entry.increment(ignored)) {
        if (entry->path().filename() != kRanksFolder) {
            fs::remove_all(entry->path(), ignored);
        }
    }
    if (is_ours_) {
        fs::remove(path_, ignored);
    }
}

void refuse_running(const fs::path& run) {
    const Descriptor lock = open_lock(run, O_RDONLY);
    if (lock.is_open()) {  // a copy of a run may lack the file
        lock_or_refuse(fs::absolute(run), lock, LOCK_SH);
    }
}

// The system releases the lock when the process ends for any reason.
void RunFolder::lock() {
    lock_ = open_lock(path_, O_RDWR | O_CREAT);
    if (!lock_.is_open()) {
        throw RunError(code_for_unwritable(errno),
                       fmt::format("cannot use the run folder {}: {}", path_.string(),
                                   std::generic_category().message(errno)));
    }
    lock_or_refuse(path_, lock_, LOCK_EX);
}

}  // namespace ptp::run
