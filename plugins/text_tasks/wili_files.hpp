// Reads the files of WiLI-2018.
#pragma once

#include "labelled_texts.hpp"

#include <filesystem>
#include <string>
#include <vector>

inline constexpr const char* kWiliFolder = "~/data/language_identification/wily";
inline constexpr const char* kWiliObtain =
    "take wili-2018.zip from https://zenodo.org/record/841984, unpack it, and set data_folder to "
    "the folder with x_train.txt, y_train.txt, x_test.txt and y_test.txt";

// Returns "FOLDER/x_train.txt". `part` is "train" or "test".
std::filesystem::path wili_file(const std::filesystem::path& folder, const char* kind,
                                const char* part);

// Returns the languages of a file y. Throws DataError.
std::vector<std::string> read_languages(const std::filesystem::path& file);

struct WiliPart {
    ptp::support::Texts texts;
    std::vector<std::string> languages;  // one for each text
};

// Publishes the words of x_train.txt. Throws DataError.
void publish_wili_words(const std::filesystem::path& folder, const ptp::Setup& setup);

// Throws DataError, also if the files have different numbers of lines.
WiliPart read_wili(const std::filesystem::path& folder, const char* part);
