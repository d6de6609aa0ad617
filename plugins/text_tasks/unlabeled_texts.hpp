// Texts without targets, which a task reads instead of its data.
#pragma once

#include <given_texts.hpp>
#include <ptp/settings.hpp>
#include <texts.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

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
            ptp::setting("samples", &UnlabeledTextsConfig::samples, ptp::support::kSamplesText)};
    }

    [[nodiscard]] bool is_unlabeled() const { return texts || samples; }
    // Reads the texts. REQUIRES: is_unlabeled(). Throws DataError and SettingError.
    [[nodiscard]] ptp::support::Texts read() const;
};

// Returns the lines of a file. Throws DataError for blank lines, and if there are no lines;
// `remedy`, how to get the file, ends the message if the file does not exist.
ptp::support::Texts read_text_lines(const std::filesystem::path& file, const std::string& remedy);
