// Warns of an experiment that was changed after the training, and of weights that a kill has lost.

#include "run_warnings.hpp"

#include "base/explanation.hpp"
#include "base/text.hpp"
#include "host/run_stages.hpp"
#include "run/checkpoint_record.hpp"
#include "run/paths.hpp"
#include "run/process.hpp"
#include "run/read_run.hpp"

#include <fmt/core.h>

namespace ptp::ptprun {

namespace fs = std::filesystem;

namespace {

// The weights of a training that continues are those of the moment.
void warn_of_running(const run::Run& run, const Subject& subject, const fs::path& checkpoint,
                     Diagnostics& problems) {
    if (run.state == "running") {
        problems.warning(SourceLocation(run.folder.string(), 0, 0), "",
                         fmt::format("is still training: what is used are the weights of {}",
                                     checkpoint_text(subject, checkpoint)));
    }
}

void warn_of_unsaved_best(const run::Run& run, Diagnostics& problems) {
    if (const auto lost = run::unsaved_best_epoch(run)) {
        problems.warning(
            SourceLocation(run.folder.string(), 0, 0), "",
            Explanation{fmt::format("was killed in epoch {}: its tables call epoch {} the best, "
                                    "but the weights of that were not saved",
                                    run.epoch, *lost),
                        "ptprun resume " + shell_word(run.folder.string())});
    }
}

}  // namespace

void warn_of_run(const Subject& subject, const std::optional<fs::path>& checkpoint,
                 Diagnostics& problems) {
    if (!subject.run || subject.bundle) {
        return;
    }
    if (const auto file = host::changed_experiment(*subject.run)) {
        problems.warning(
            SourceLocation(file->string(), 0, 0), "",
            "has changed since the run wrote it: its weights were trained with another "
            "experiment, and ptprun resume refuses it");
    }
    if (!checkpoint) {
        return;
    }
    const run::Run run = run::read_run(*subject.run, run::this_machine());
    warn_of_running(run, subject, *checkpoint, problems);
    if (*checkpoint == *subject.run / run::kCheckpointsFolder / run::kBestCheckpoint) {
        warn_of_unsaved_best(run, problems);
    }
}

}  // namespace ptp::ptprun
