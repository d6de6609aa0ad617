// Calls on files, the standard output and the terminal that differ between systems. Those on files
// return, after an error, a negative number or false, and set errno, as open(2); interrupted ones
// are repeated here and only here. See system_file_posix.cpp and system_file_windows.cpp.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace ptp::system {

// Opens a file for reading in binary form, without waiting for the other end of a pipe. Like all
// descriptors opened here, it is not inherited by child processes.
int open_to_read(const std::filesystem::path& path);

// Creates a file for writing; an existing one is an error (EEXIST). `mode` is as for open(2), where
// the system has one.
int create_new(const std::filesystem::path& path, int mode);

// Opens an existing file for writing at its beginning. A link is an error.
int open_to_write(const std::filesystem::path& path);

// Opens or creates a file for writing at its end. A link is an error.
int open_to_append(const std::filesystem::path& path);

// Opens or creates a file, and waits until no other process has it open through this function. A
// link is an error.
int open_locked(const std::filesystem::path& path);

// Opens and locks an existing folder in the same way, to read, change and write back its content.
int open_locked_folder(const std::filesystem::path& folder);

// Reads at an offset, as pread(2): fewer bytes at the end of the file. Another thread must not use
// the descriptor meanwhile.
std::ptrdiff_t read_at(int descriptor, void* out, std::size_t size, std::uint64_t offset);

// Makes a write that would exceed a file size limit of this process (ulimit -f) fail with an error
// instead of ending the process by a signal. Child processes inherit that.
void report_size_limit();

// Ignores SIGPIPE, and discards what is written to the standard output after the reader of the
// pipe, such as `head`, has ended, so that a program ends with its own exit code.
void outlive_reader();

// Returns 0 once everything written is on the disk.
int flush(int descriptor);

// Renames a file or a folder; a file replaces an existing one.
int rename_over(const std::filesystem::path& from, const std::filesystem::path& to);

// Swaps the names of two folders in one step, if possible; returns false without an error (errno is
// EINVAL or ENOSYS) if the system cannot.
bool exchange(const std::filesystem::path& left, const std::filesystem::path& right);

// Returns whether files may be created in a folder, judging by permissions.
bool may_write_into(const std::filesystem::path& folder);

// Flushes the entries of a folder to disk, if the system does not do so by itself.
int flush_folder(const std::filesystem::path& folder);

// Creates a folder that only this user can read, and replaces the XXXXXX at the end of `name`.
bool make_private_folder(std::string& name);

// Returns the width of a terminal; 0 if the descriptor is not a terminal.
std::size_t columns_of_terminal(int descriptor);

}  // namespace ptp::system
