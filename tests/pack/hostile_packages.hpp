// Packages that are wrong on purpose, made file by file.
#pragma once

#include "ptp-pack/manifest.hpp"
#include "support/tar_of.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::test {

// A whole package by its parts.
struct Parts {
    pack::PackageManifest manifest;
    std::vector<TarEntry> entries;  // without the manifest

    // Adds a file, declared in the manifest too.
    void add(const std::string& path, const std::string& content);
};

// Those of a package that is right.
Parts parts_of(const std::filesystem::path& package);

// With the manifest first.
std::string tar_of(const Parts& parts);

std::string compressed(const std::string& bytes);

}  // namespace ptp::test
