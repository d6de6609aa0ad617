// Temporary folders that go where a signal ends the program, and those that a program has left
// which ended at once.
#pragma once

#include "base/descriptor.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace ptp {

// Has a signal that ends a program (SIGHUP, SIGINT, SIGTERM) remove the folders of
// TemporaryPath::new_folder() first. A signal that is ignored, or handled already, stays so. For
// the main() of a program: a library leaves the handlers to its process.
void remove_temporary_folders_on_signals();

// Lists a folder that was made, and takes it off the list. Any thread may call them; beyond 64
// folders at once, and with paths of 512 bytes and more, a folder is not listed.
void list_temporary_folder(const std::string& path);
void unlist_temporary_folder(const std::string& path);

// Holds a folder that was made for this user alone, until the descriptor is closed or the process
// ends, even by SIGKILL. Where that fails the descriptor is not open, and the folder is never
// abandoned. [any]
[[nodiscard]] Descriptor hold_temporary_folder(const std::string& path);

// Removes the folders of this user in `parent` that a process has held and none holds, and whose
// names are like `pattern`, with any characters in place of its 'X's at the end. Links are not
// followed. What cannot be removed stays. [any]
void remove_abandoned_folders(const std::filesystem::path& parent, std::string_view pattern);

}  // namespace ptp
