// Removes temporary folders that no destructor removes: those of a program that a signal ends, and
// those that killed programs have left.
#pragma once

#include "base/descriptor.hpp"

#include <filesystem>
#include <string>

namespace ptp {

// Has a signal that ends a program (SIGHUP, SIGINT, SIGTERM) remove the folders of
// TemporaryPath::new_folder() first. A signal that is ignored, or handled already, stays so. For
// the main() of a program: a library leaves the handlers to its process.
void remove_temporary_folders_on_signals();

// Lists a folder that was made, and takes it off the list. Any thread may call them; beyond 64
// folders at once, and with paths of 512 bytes and more, a folder is not listed.
void list_temporary_folder(const std::string& path);
void unlist_temporary_folder(const std::string& path);

// Locks a folder that was made for this user alone, until the descriptor is closed or the process
// ends, even by SIGKILL. Where that fails the descriptor is not open, and
// remove_abandoned_folders() never removes the folder. [any]
[[nodiscard]] Descriptor hold_temporary_folder(const std::string& path);

// Returns a text that Linux draws at each boot, by which a process of another boot is known to have
// ended, whatever its number; "" where there is none. Containers of one machine have it in common.
[[nodiscard]] std::string boot_id();

// Returns the mark of the processes that see each other's locks in `parent`, as the names of
// temporary folders have it; "" without a boot. [any]
[[nodiscard]] std::string boot_mark(const std::filesystem::path& parent,
                                    const std::string& boot = boot_id());

// Returns the name of a temporary folder in `parent`, with an 'X' for each of the random characters
// at its end. The name has a mark of the processes that see each other's locks: those of this boot
// that see `parent` through the same mounted file system. Other machines may share the folder, and
// on many network file systems no machine sees the locks of another. Without a boot there is no
// mark. [any]
[[nodiscard]] std::string temporary_folder_pattern(const std::filesystem::path& parent,
                                                   const std::string& boot = boot_id());

// Removes the folders of this user in `parent` that a process has locked and none locks now, and
// whose names have the mark of this boot; without a boot none. Links are not followed. A folder
// that cannot be removed stays. [any]
void remove_abandoned_folders(const std::filesystem::path& parent,
                              const std::string& boot = boot_id());

}  // namespace ptp
