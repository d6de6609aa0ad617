// Writes files so that a full disk, another writer or a kill is noticed and leaves whole content;
// reads small files and the entries of folders.

#include "base/output_file.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/system_file.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <utility>

namespace ptp {

namespace {

[[noreturn]] void cannot_write(const std::filesystem::path& path, int reason = errno) {
    throw RunError(kTrainingError, fmt::format("cannot write {}: {}", path.string(),
                                               std::generic_category().message(reason)));
}

Sha256 hash_of_beginning(const std::filesystem::path& path, std::uint64_t size) {
    constexpr std::uint64_t kPiece = 1U << 20U;
    Sha256 hash;
    if (size == 0) {
        return hash;
    }
    try {
        const InputFile file(path);
        for (std::uint64_t done = 0; done < size; done += kPiece) {
            hash.add(file.read(done, std::min(kPiece, size - done)));
        }
    } catch (const FileError& error) {
        throw RunError(kDataError, fmt::format("{}: {}", path.string(), error.what()));
    }
    return hash;
}

}  // namespace

OutputFile OutputFile::create(const std::filesystem::path& path) {
    const int descriptor = system::create_new(path, 0644);
    if (descriptor < 0) {
        cannot_write(path);
    }
    return {descriptor, path};
}

std::optional<OutputFile> OutputFile::create_if_room(const std::filesystem::path& path,
                                                     std::error_code& why) {
    const int descriptor = system::create_new(path, 0644);
    if (descriptor < 0 && !is_lack_of_room(errno)) {
        cannot_write(path);
    }
    if (descriptor < 0) {
        why = {errno, std::generic_category()};
        return std::nullopt;
    }
    return OutputFile(descriptor, path);
}

namespace {

[[noreturn]] void refuse_to_continue(const std::filesystem::path& path, const std::string& why) {
    throw WithFix<RunError>(
        kDataError, {fmt::format("cannot continue with {}: {}", path.string(), why),
                     "put the file back as it was; without it, ptprun replay RUN trains anew"});
}

}  // namespace

OutputFile OutputFile::append(const std::filesystem::path& path, std::uint64_t size,
                              const std::string& sha256) {
    const int descriptor = system::open_to_write(path);
    if (descriptor < 0 && (errno == EMFILE || errno == ENFILE)) {
        cannot_write(path);  // the file is as it was
    }
    if (descriptor < 0) {
        refuse_to_continue(path, std::generic_category().message(errno));
    }
    OutputFile file(descriptor, path);
    struct stat status {};
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        refuse_to_continue(path, "it is not a regular file");
    }
    file.size_ = size;
    const off_t end = lseek(descriptor, 0, SEEK_END);
    if (end >= 0 && static_cast<std::uint64_t>(end) < size) {
        refuse_to_continue(
            path,
            fmt::format("it has {} bytes, had {} when the checkpoint was written", end, size));
    }
    if (!sha256.empty()) {
        file.hash_ = hash_of_beginning(path, size);
        if (file.hash() != sha256) {
            refuse_to_continue(path, fmt::format("its first {} bytes are not those that were there "
                                                 "when the checkpoint was written",
                                                 size));
        }
    }
    if (end < 0 || ftruncate(descriptor, static_cast<off_t>(size)) != 0 ||
        lseek(descriptor, static_cast<off_t>(size), SEEK_SET) < 0) {
        cannot_write(path);
    }
    return file;
}

OutputFile::OutputFile(int descriptor, std::filesystem::path path)
    : descriptor_(descriptor), path_(std::move(path)) {}

std::size_t OutputFile::write_some(std::string_view text, std::error_code& why) {
    if (changed_size_.empty()) {
        changed_size_ = changed_size();  // what is written now would hide it
    }
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = ::write(descriptor_.get(), text.data() + done, text.size() - done);
        if (written < 0 && errno != EINTR) {
            why = {errno, std::generic_category()};
            break;
        }
        done += static_cast<std::size_t>(std::max<ssize_t>(written, 0));
    }
    // Half a row would be read as a whole one: "0.1" of "0.123".
    if (why && done > 0 && ftruncate(descriptor_.get(), static_cast<off_t>(size_)) == 0 &&
        lseek(descriptor_.get(), static_cast<off_t>(size_), SEEK_SET) >= 0) {
        done = 0;
    }
    size_ += done;
    if (hash_) {
        hash_->add(text.substr(0, done));
    }
    return done;
}

void OutputFile::keep_hash() {
    if (!hash_) {
        hash_ = hash_of_beginning(path_, size_);
    }
}

std::string OutputFile::changed_size() const {
    struct stat own {};
    if (fstat(descriptor_.get(), &own) != 0 || !S_ISREG(own.st_mode) ||
        static_cast<std::uint64_t>(own.st_size) == size_) {
        return "";
    }
    return fmt::format("has {} bytes, but {} were written: another program has changed it",
                       own.st_size, size_);
}

std::string OutputFile::disturbance() const {
    if (std::string changed = changed_size_.empty() ? changed_size() : changed_size_;
        !changed.empty()) {
        return changed;
    }
    struct stat own {};
    struct stat named {};
    if (fstat(descriptor_.get(), &own) != 0 || !S_ISREG(own.st_mode)) {
        return "";
    }
    const bool is_there = lstat(path_.c_str(), &named) == 0;
    return is_there && named.st_dev == own.st_dev && named.st_ino == own.st_ino
               ? ""
               : "was removed or replaced by another program";
}

void OutputFile::write(const void* data, std::size_t size) {
    std::error_code why;
    if (write_some({static_cast<const char*>(data), size}, why) < size) {
        refuse(why);
    }
}

void OutputFile::refuse(const std::error_code& why) const {
    cannot_write(path_, why.value());
}

void OutputFile::sync() {
    // A pipe or a device cannot be synced, and need not.
    if (system::flush(descriptor_.get()) != 0 && errno != EINVAL && errno != EROFS) {
        cannot_write(path_);
    }
}

void OutputFile::finish() {
    sync();
    if (close(descriptor_.release()) != 0) {
        cannot_write(path_);
    }
}

bool is_lack_of_room(int reason) {
    return reason == ENOSPC || reason == EDQUOT;
}

ExitCode code_for_unreadable(int reason) {
    return reason == EMFILE || reason == ENFILE || reason == ENOMEM ? kTrainingError : kDataError;
}

ExitCode code_for_unwritable(int reason) {
    constexpr std::array kOfName = {EACCES, EPERM,  EROFS,        ENOENT, ENOTDIR,
                                    EEXIST, EISDIR, ENAMETOOLONG, ELOOP,  EINVAL};
    return std::ranges::count(kOfName, reason) > 0 ? kConfigurationError : kTrainingError;
}

std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& folder) {
    std::vector<std::filesystem::directory_entry> entries;
    std::error_code error;
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
        entries.push_back(*it);
    }
    if (error) {
        throw RunError(code_for_unreadable(error.value()),
                       fmt::format("cannot read {}: {}", folder.string(), error.message()));
    }
    return entries;
}

std::string first_line(const std::filesystem::path& path) {
    std::ifstream stream(path);
    std::string line;
    std::getline(stream, line);
    return line;
}

std::string read_text(const std::filesystem::path& path, std::uint64_t max_bytes) {
    const OpenedFile opened = open_regular(path);
    if (!opened.descriptor.is_open()) {
        throw RunError(code_for_unreadable(opened.reason),
                       fmt::format("cannot read {}: {}", path.string(), opened.problem()));
    }
    std::string text;
    std::array<char, 65536> piece{};
    for (std::ptrdiff_t count = 1; count > 0 && text.size() <= max_bytes;) {
        count = system::read_at(opened.descriptor.get(), piece.data(), piece.size(), text.size());
        if (count < 0) {
            throw RunError(kDataError, fmt::format("cannot read {}: {}", path.string(),
                                                   std::generic_category().message(errno)));
        }
        text.append(piece.data(), static_cast<std::size_t>(count));
    }
    if (text.size() > max_bytes) {
        throw RunError(kDataError, fmt::format("cannot read {}: it is larger than {} MiB",
                                               path.string(), max_bytes >> 20U));
    }
    return text;
}

bool is_special_file(const std::filesystem::path& path) {
    std::error_code ignored;  // what cannot be looked at is not there
    const auto status = std::filesystem::status(path, ignored);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
           !std::filesystem::is_directory(status);
}

std::filesystem::path written_path(const std::filesystem::path& named) {
    constexpr int kMaxLinks = 40;  // as the system has it
    std::error_code error;
    std::filesystem::path path = named;
    for (int links = 0; std::filesystem::is_symlink(path, error); ++links) {
        if (links == kMaxLinks) {
            cannot_write(named, ELOOP);
        }
        path = path.parent_path() / std::filesystem::read_symlink(path, error);
        if (error) {
            cannot_write(named, error.value());
        }
    }
    return path;
}

void require_replaceable(const std::filesystem::path& named) {
    if (is_special_file(named)) {
        throw RunError(kTrainingError,
                       fmt::format("cannot write {}: it is not a regular file", named.string()));
    }
}

void replace_file(const std::filesystem::path& path, std::string_view content) {
    const std::filesystem::path made = path.string() + ".new";
    std::error_code error;
    if (std::filesystem::remove(made, error); error) {
        cannot_write(made, error.value());
    }
    try {
        OutputFile file = OutputFile::create(made);
        file.write(content);
        file.finish();
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(made, ignored);
        throw;
    }
    if (system::rename_over(made, path) != 0) {
        const int reason = errno;
        std::error_code ignored;
        std::filesystem::remove(made, ignored);
        cannot_write(path, reason);
    }
    sync_folder(path.parent_path());
}

void sync_folder(const std::filesystem::path& folder) {
    if (system::flush_folder(folder) != 0) {
        cannot_write(folder);
    }
}

}  // namespace ptp
