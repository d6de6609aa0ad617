// The terms of other tools and their equivalents in ptp: `ptprun help words`, `ptprun help metric`,
// and the table of docs/glossary.md.

#pragma once

#include <string>
#include <string_view>

namespace ptp::ptprun {

// Returns a line "WORD  MEANING" for each word.
std::string glossary();

// Returns "metric: in ptp a statistic: ..." for a term of another tool; "" if it is not in the
// glossary. Ignores case, and whether '-', '_' or a blank divides the word.
std::string meaning_of(std::string_view word);

}  // namespace ptp::ptprun
