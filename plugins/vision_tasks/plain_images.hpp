// Images in folders without labels, and as a list of files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

// Whether the name begins with a dot.
bool is_hidden(const std::filesystem::path& path);

// Throws DataError unless it is a folder that can be read.
void require_folder(const std::filesystem::path& path);

// The image files within `folder` and the folders in it, sorted. Links to folders further down are
// not followed: they may lead back. Throws DataError.
std::vector<std::string> image_names(const std::filesystem::path& folder);

// One of each for each file.
struct PlainImages {
    std::vector<std::filesystem::path> paths;
    std::vector<std::string> names;  // the path within the folder that all of them share
};

// Files in the order given, files in folders in the order of their names. A file that is named
// itself may have any name. Throws DataError for folders without images.
PlainImages find_plain_images(const std::vector<std::filesystem::path>& paths);
