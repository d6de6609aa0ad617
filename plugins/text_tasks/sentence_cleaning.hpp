// Sentences as plain words: lower case, no accents, letters and . ! ? alone.
#pragma once

#include <functional>
#include <string_view>

// Calls add(std::string_view) with each word of a sentence, in order. Letters become lower case and
// lose their accents: Unicode's lower-casing and canonical decomposition, marks left out. Each of
// . ! ? is a word of its own; all else separates words. REQUIRES: `sentence` is UTF-8. [any]
void for_each_clean_word(std::string_view sentence,
                         const std::function<void(std::string_view)>& add);
