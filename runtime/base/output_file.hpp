// Files that must be whole: written, flushed to the disk, or an error with the system's reason.
// Also reads whole small files and the entries of folders.

#pragma once

#include "base/descriptor.hpp"
#include "base/exit_code.hpp"
#include "base/sha256.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ptp {

// Throws RunError with kTrainingError and the system's words: "cannot write PATH: No space left on
// device". A file that is closed by the destructor alone was given up.
class OutputFile {
public:
    // Makes a new file; one that exists is an error.
    static OutputFile create(const std::filesystem::path& path);

    // Makes a new file; returns nullopt and the reason where there is no room for it now
    // (is_lack_of_room()).
    static std::optional<OutputFile> create_if_room(const std::filesystem::path& path,
                                                    std::error_code& why);

    // Opens a file that an earlier process wrote, cuts it to `size` bytes and continues behind
    // them. A shorter or missing one is a RunError with kDataError, and so is one whose bytes do
    // not have this SHA-256; "" where no hash was kept.
    static OutputFile append(const std::filesystem::path& path, std::uint64_t size,
                             const std::string& sha256 = "");

    // Takes over an open descriptor; `path` is for messages.
    OutputFile(int descriptor, std::filesystem::path path);

    // Writes all of the text or, in a regular file, nothing. Returns the number of bytes that were
    // written, and why that are not all.
    std::size_t write_some(std::string_view text, std::error_code& why);

    void write(const void* data, std::size_t size);
    void write(std::string_view text) { write(text.data(), text.size()); }

    // Begins to compute the hash of all bytes, which another process that continues with the file
    // can compare. Call it before the first byte or after append().
    void keep_hash();
    [[nodiscard]] std::string hash() const { return hash_ ? hash_->digits_so_far() : ""; }

    // Returns what another program has done to the file meanwhile, such as "was removed or replaced
    // by another program"; "" if it has what was written, under its name. A file that was cut and
    // then written to again is noticed, too.
    [[nodiscard]] std::string disturbance() const;

    // Returns the number of bytes in the file so far.
    [[nodiscard]] std::uint64_t size() const { return size_; }

    // Returns when everything that was written is on the disk.
    void sync();

    // Throws the error of a write that failed for this reason.
    [[noreturn]] void refuse(const std::error_code& why) const;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    // Flushes the file to the disk and closes it.
    void finish();

private:
    [[nodiscard]] std::string changed_size() const;

    Descriptor descriptor_;
    std::uint64_t size_ = 0;
    std::filesystem::path path_;
    std::optional<Sha256> hash_;
    std::string changed_size_;  // what was found before a write; "" for nothing
};

// Returns whether a write that failed for this reason may succeed when somebody has made room.
bool is_lack_of_room(int reason);

// Returns the code for a file that cannot be read for this reason: kDataError, or kTrainingError
// where the system lacks descriptors or memory, which has no cause in the file.
ExitCode code_for_unreadable(int reason);

// Returns the code for a file or folder that cannot be made for this reason: kConfigurationError
// where the name or its permissions are wrong, kTrainingError where the disk is full or the system
// lacks something, which another name would not change.
ExitCode code_for_unwritable(int reason);

// Returns the entries of a folder. Throws RunError as read_text() does.
std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& folder);

// Returns the content of a file. Throws RunError with code_for_unreadable() and the system's words,
// or where it is larger than `max_bytes`.
std::string read_text(const std::filesystem::path& path,
                      std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max());

// Returns the first line of a file, such as one of /proc; "" if there is none.
std::string first_line(const std::filesystem::path& path);

// The largest size of a file that is one small table, such as a status.
inline constexpr std::uint64_t kMaxTableBytes = 16U << 20U;

// Returns whether the path is a pipe, a socket or a device such as /dev/null, which no file must
// replace.
bool is_special_file(const std::filesystem::path& path);

// Writes a whole file under another name first and then renames it: readers see the old content or
// the new one. Throws RunError.
void replace_file(const std::filesystem::path& path, std::string_view content);

// Returns the path to write to for a file that a person has named: the target of a link, whether it
// exists or not, so that the link stays one. Throws RunError for links in a ring.
std::filesystem::path written_path(const std::filesystem::path& named);

// Throws RunError for a special file, which no file must replace.
void require_replaceable(const std::filesystem::path& named);

// Flushes the entries of a folder to the disk.
void sync_folder(const std::filesystem::path& folder);

}  // namespace ptp
