// The files that lie beside a plugin and travel with it, wherever it is copied, packed or
// installed: libraries that it needs and finds by the run path $ORIGIN, and its data.
//
//     my_task.so
//     libhelper.so      needed by my_task.so, whose run path has $ORIGIN
//     my_task.data/     the folder that ptp::Setup::data_folder() returns
//
// A copy under another name has its libraries in a folder of its own, `<copy>.libraries`, because
// copies of several builds lie side by side.
#pragma once

#include "plugin/library_file.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::plugin {

struct Companion {
    std::filesystem::path file;
    std::string place;  // "libhelper.so", below the plugin's folder; "data/words.txt"
    bool is_library = false;
};

// Returns the libraries first, each after those that it needs, and then the data; nothing for a
// file that is not a library. Throws ResourceError if a file cannot be read at the moment.
std::vector<Companion> companions_of(
    const std::filesystem::path& plugin,
    LibraryFile (*read)(const std::filesystem::path&) = read_library);

// Returns the file of the loaded library that this address is in.
std::filesystem::path file_of_code(const void* address);

// Returns the folder of the plugin's data, whether it has any or not.
std::filesystem::path data_place(const std::filesystem::path& plugin);
// Returns it if it is there, and an empty path otherwise.
std::filesystem::path data_folder(const std::filesystem::path& plugin);

// Returns the SHA-256 of the plugin's file; where other files travel with it, that of the hashes
// and the places of all. Throws std::runtime_error for a file that cannot be read.
std::string build_hash(const std::filesystem::path& plugin);
// Returns that hash for a plugin whose file has this one.
std::string build_hash(const std::string& plugin_hash, const std::vector<Companion>& companions);

// Returns the place of a companion beside a copy of its plugin: below "x.libraries" or "x.data" of
// "x.so".
std::filesystem::path place_beside(const std::filesystem::path& copy, const Companion& companion);

// Copies the companions of a plugin to their places beside its copy. Throws std::runtime_error.
void copy_companions(const std::vector<Companion>& companions, const std::filesystem::path& copy);

// Removes a copy with all that was copied with it.
void remove_copy(const std::filesystem::path& copy);

// Opens the libraries that lie beside the plugin, so that the plugin, which is opened next, finds
// them. Throws OpenError where the process has another library of such a name already.
void open_companions(const std::filesystem::path& plugin);

}  // namespace ptp::plugin
