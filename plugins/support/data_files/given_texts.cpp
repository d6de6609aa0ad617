// Checks that texts of a setting are UTF-8 and have words.

#include "given_texts.hpp"

#include <ptp/error.hpp>
#include <words.hpp>

namespace ptp::support {

Texts given_texts(const std::vector<std::string>& samples,
                  const std::vector<std::string>& more_columns) {
    if (!more_columns.empty()) {
        throw SettingError("samples", "are texts alone, and the model reads ",
                           quoted_names(more_columns),
                           ", too, as a table with all columns has them\nfix: --data FILE.csv");
    }
    Texts texts;
    for (size_t i = 0; i < samples.size(); ++i) {
        if (invalid_utf8_at(samples[i])) {
            throw SettingError("samples", "text ", i + 1, " is not valid UTF-8");
        }
        if (!has_words(samples[i])) {
            throw SettingError("samples", "text ", i + 1, " is blank");
        }
        texts.add(samples[i]);
    }
    return texts;
}

}  // namespace ptp::support
