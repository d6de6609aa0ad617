// The calls on files that differ between systems, each as open(2) and its like have it: they return
// a negative number, or false, and leave the reason in errno. What a signal interrupts is called
// again here and nowhere else. One file for each system implements them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace ptp::system {

// Opens a file for reading in binary form, without waiting for the other end of a pipe. Not
// inherited by child processes, as all that these functions open.
int open_to_read(const std::filesystem::path& path);

// Makes a new file for writing; one that exists is an error (EEXIST). `mode` as of open(2), where
// the system has one.
int create_new(const std::filesystem::path& path, int mode);

// Opens a file that exists for writing at its beginning. A link is an error.
int open_to_write(const std::filesystem::path& path);

// Opens or makes a file to write at its end. A link is an error.
int open_to_append(const std::filesystem::path& path);

// Opens or makes a file, and waits until no other process has it open through this function. A link
// is an error.
int open_locked(const std::filesystem::path& path);

// The same for a folder that exists, for changes that are read, made and written back.
int open_locked_folder(const std::filesystem::path& folder);

// Reads at a place, as pread(2): fewer bytes at the end of the file. Another thread must not use
// the descriptor meanwhile.
std::ptrdiff_t read_at(int descriptor, void* out, std::size_t size, std::uint64_t offset);

// From here on a file that would grow beyond a limit of this process (ulimit -f) is a write that
// fails, with a reason, and no signal that ends the process. Child processes inherit that.
void report_size_limit();

// Has what was written on the disk when it returns 0.
int flush(int descriptor);

// Gives a file or a folder a new name; a file takes the place of one that exists.
int rename_over(const std::filesystem::path& from, const std::filesystem::path& to);

// Whether two folders could change their names in one step; false without an error (errno is
// EINVAL or ENOSYS) where the system cannot.
bool exchange(const std::filesystem::path& left, const std::filesystem::path& right);

// Whether files may be made in a folder, as far as permissions tell.
bool may_write_into(const std::filesystem::path& folder);

// Makes the entries of a folder lasting, where the system does not do so by itself.
int flush_folder(const std::filesystem::path& folder);

// Makes a new folder that only this user can read, and replaces the XXXXXX at the end of `name`.
bool make_private_folder(std::string& name);

// Of a terminal; 0 where the descriptor is none.
std::size_t columns_of_terminal(int descriptor);

}  // namespace ptp::system
