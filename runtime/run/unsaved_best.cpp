// Compares the best measurement in the status of a run with the weights that it has saved.

#include "run/unsaved_best.hpp"

#include "base/error.hpp"
#include "run/checkpoint_record.hpp"
#include "run/paths.hpp"

namespace ptp::run {

std::optional<std::int64_t> unsaved_best_epoch(const Run& run) {
    if (run.state != "died" || !run.best) {
        return std::nullopt;
    }
    std::int64_t saved = -1;
    try {
        saved = read_checkpoint_record(run.folder / kCheckpointsFolder / kBestCheckpoint)
                    .measured.episode;
    } catch (const RunError&) {  // there is none that could be read
    }
    return saved < run.best->episode ? std::optional(run.best->epoch) : std::nullopt;
}

}  // namespace ptp::run
