// Texts without targets, which a task reads in place of its data.
#pragma once

#include <ptp/settings.hpp>
#include <texts.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

inline constexpr ptp::SettingText kSamplesText{
    .help = "Texts without targets themselves, in place of files; each is a sample",
    .length = "[1, inf)",
    .takes_unlabeled = true};

// The settings of a task that reads such texts line by line.
struct UnlabeledTextsConfig {
    std::optional<std::filesystem::path> texts;
    std::optional<std::vector<std::string>> samples;

    static constexpr auto settings() {
        return std::tuple{
            ptp::setting("texts", &UnlabeledTextsConfig::texts,
                         {.help = "Texts without targets, in place of data_folder: a file with one "
                                  "in each line",
                          .takes_unlabeled = true,
                          .obtain = "name a file with a text in each line"}),
            ptp::setting("samples", &UnlabeledTextsConfig::samples, kSamplesText)};
    }

    [[nodiscard]] bool is_unlabeled() const { return texts || samples; }
    // REQUIRES: is_unlabeled(). Throws DataError and SettingError.
    [[nodiscard]] ptp::support::Texts read() const;
};

// The texts of the setting `samples`. Throws SettingError for one that is blank or not UTF-8.
ptp::support::Texts given_texts(const std::vector<std::string>& samples);

// The lines of a file. Throws DataError with those that are blank, and where there is none;
// `remedy`, how to get the file, ends the message where it is not there.
ptp::support::Texts read_text_lines(const std::filesystem::path& file, const std::string& remedy);
