// Packages that are wrong on purpose, made file by file.
#pragma once

#include "ptp-pack/manifest.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::test {

// An entry of a tar archive, as it is asked for, sense or not.
struct TarEntry {
    std::string path;
    std::string content;
    char type =
        '0';  // '1' hard link, '2' symbolic link, '3' device, '5' folder, '6' pipe, 'S' sparse
    std::string link = {};
    int extra_size = 0;  // that the header adds to the size of the content
};

// A whole package by its parts.
struct Parts {
    pack::PackageManifest manifest;
    std::vector<TarEntry> entries;  // without the manifest

    // Adds a file, declared in the manifest too.
    void add(const std::string& path, const std::string& content);
};

// Those of a package that is right.
Parts parts_of(const std::filesystem::path& package);

std::string tar_of(const std::vector<TarEntry>& entries);

// With the manifest first.
std::string tar_of(const Parts& parts);

std::string compressed(const std::string& bytes);

}  // namespace ptp::test
