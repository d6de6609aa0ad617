#include "run/journal.hpp"

#include "base/error.hpp"
#include "control/command.hpp"
#include "fuzz/input_file.hpp"
#include "fuzz/targets.hpp"
#include "run/checkpoint_record.hpp"
#include "run/plugins_lock.hpp"
#include "run/record.hpp"
#include "run/status.hpp"
#include "run/tags.hpp"

#include <functional>
#include <string>

namespace ptp::fuzz {

// All files of a run's folder that are read without libtorch.
void journal(std::string_view input) {
    const InputFile file(input);
    const std::string text(input);
    const std::function<void()> readers[] = {
        [&] {
            for (const run::Entry& entry : run::read_journal(file.path(), control::check_entry)) {
                if (entry.command == "swap") {
                    run::swapped_plugins(entry);
                }
            }
        },
        [&] { run::read_plugins_lock(file.path()); },
        [&] { run::checkpoint_record_from(text, file.path()); },
        [&] { run::status_from(text, file.path()); },
        [&] { run::record_from(text, file.path()); },
        [&] { run::tags_from(text, file.path()); },
    };
    for (const auto& read : readers) {
        try {
            read();
        } catch (const RunError&) {
            continue;
        }
    }
}

}  // namespace ptp::fuzz
