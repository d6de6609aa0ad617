// Trainings whose bits neither threads nor interruptions change.
#pragma once

#include "support/temp_folder.hpp"

#include <string>

namespace ptp::test {

// Trains an experiment undisturbed; with 0, 1 and 3 loader threads; killed after two validations
// and resumed; and with swaps; and checks that all wrote the same. REQUIRES: it has [validation],
// six epochs, and an exporter to the file rows.csv.
void check_same_bits(const TempFolder& folder, const std::string& experiment);

}  // namespace ptp::test
