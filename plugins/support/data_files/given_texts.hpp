// Texts without targets that are values of a setting, as `ptprun predict --text` sets them.
#pragma once

#include "texts.hpp"

#include <ptp/settings.hpp>

#include <string>
#include <vector>

namespace ptp::support {

inline constexpr SettingText kSamplesText{
    .help = "Texts without targets themselves, in place of files; each is a sample",
    .length = "[1, inf)",
    .takes_unlabeled = true};

// Returns the texts of the setting `samples`. `more_columns` are those of a table that the model
// reads besides. Throws SettingError for these, and for a text that is blank or not UTF-8.
Texts given_texts(const std::vector<std::string>& samples,
                  const std::vector<std::string>& more_columns = {});

}  // namespace ptp::support
