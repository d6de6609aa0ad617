// Temporary folders that go where a signal ends the program.
#pragma once

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

}  // namespace ptp
