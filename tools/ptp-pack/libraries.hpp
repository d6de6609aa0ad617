// The libraries of packages: what a plugin's file declares, and which of several this host can use.

#pragma once

#include "plugin/companions.hpp"
#include "ptp-pack/manifest.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::pack {

// "linux-x86_64".
std::string host_platform();

struct DescribedLibrary {
    Library library;  // its path is left empty
    std::string license;
    std::string author;
    std::string homepage;
    std::vector<plugin::Companion> companions;
};

// Returns the files and folders that travel with a plugin's file.
std::vector<plugin::Companion> companions_for_any_machine(const std::filesystem::path& plugin);

// Returns the libraries that one for this host needs and neither the package nor the host has.
std::vector<std::string> missing_libraries(const Library& library,
                                           const std::vector<PackedFile>& files);

// Reads a plugin's file, of any machine, without running its code. Throws RunError with
// kPluginError.
DescribedLibrary describe_library(const std::filesystem::path& file);

// Returns its path in a package: "plugins/linux-x86_64/libtorch-1.13.1/my_losses.so".
std::string packed_path(const Library& library);

// One library for each plugin in the list, the newest ABI that this host has. Throws RunError with
// kPluginError where there is none for a plugin: why, for each of its libraries; `package` is for
// the message.
std::vector<Library> choose_libraries(const std::vector<Library>& libraries,
                                      const std::string& package);

// Returns whether choose_libraries() would find all.
bool fits_host(const std::vector<Library>& libraries);

// Throws RunError with kDataError unless the unpacked file is what the manifest declares it to be.
void check_unpacked(const std::filesystem::path& file, const Library& library,
                    const std::string& package);

}  // namespace ptp::pack
