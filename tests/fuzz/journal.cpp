#include "control/journal.hpp"

#include "base/error.hpp"
#include "control/plugins_lock.hpp"
#include "fuzz/input_file.hpp"
#include "fuzz/targets.hpp"

namespace ptp::fuzz {

void journal(std::string_view input) {
    const InputFile file(input);
    try {
        for (const control::Entry& entry : control::read_journal(file.path())) {
            if (entry.command == "swap") {
                control::swapped_plugins(entry);
            }
        }
    } catch (const RunError&) {
    }
    try {
        control::read_plugins_lock(file.path());
    } catch (const RunError&) {
    }
    try {
        control::recorded_plugins(file.path());
    } catch (const RunError&) {
    }
}

}  // namespace ptp::fuzz
