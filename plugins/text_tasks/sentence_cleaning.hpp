// Converts sentences to plain words: lower case, no accents, only letters and . ! ?
#pragma once

#include <functional>
#include <string_view>

// Calls add(std::string_view) with each word of a sentence, in order. Letters become lower case and
// lose their accents: Unicode's lower-casing and canonical decomposition, without marks. Each of .
// ! ? is a separate word; all other characters separate words. REQUIRES: `sentence` is UTF-8. [any]
void for_each_clean_word(std::string_view sentence,
                         const std::function<void(std::string_view)>& add);
