// The words of other tools and what ptp calls the same thing: `ptprun help words`, `ptprun help
// metric`, and the table of docs/glossary.md.

#pragma once

#include <string>
#include <string_view>

namespace ptp::ptprun {

// A line for each word, with what it is here: "WORD  MEANING".
std::string glossary();

// "metric: in ptp a statistic: ..." for a word of another tool; "" where it is in no glossary.
// Case, and whether '-', '_' or a blank divides the word, do not matter.
std::string meaning_of(std::string_view word);

}  // namespace ptp::ptprun
