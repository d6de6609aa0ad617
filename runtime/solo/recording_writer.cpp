// Writes a recording in parts and as a whole, and reports what is lost where that fails.

#include "solo/recording_writer.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"

#include <fmt/core.h>

namespace ptp::solo {

void RecordingWriter::keep(const SavedState& part) {
    try {
        if (!is_begun_) {
            is_begun_ = true;
            unfinished_.emplace(unfinished_path(request_.file));
        }
        if (unfinished_) {
            unfinished_->add(part);
            leaves_file_ = unfinished_->is_begun();
        }
    } catch (const RunError& error) {
        log_->warn(fmt::format("if this process ends early, what it {} is lost: {}",
                               leaves_file_ ? "records from here on" : "has recorded",
                               error.what()));
        unfinished_.reset();
    }
}

void RecordingWriter::write(const SavedState& whole) {
    try {
        if (!unfinished_ || !unfinished_->finish(request_.file, whole)) {
            write_recording(request_.file, whole);
            remove_unfinished(request_.file);
        }
    } catch (const RunError& error) {
        if (!leaves_file_) {
            throw;
        }
        throw WithFix<RunError>(
            error.code(),
            {explanation_of(error).reason,
             fmt::format("make room and record again; {} has the batches that were written before, "
                         "and ptp-inspect replay reads it",
                         unfinished_path(request_.file).string())});
    }
    unfinished_.reset();
    log_->info(fmt::format("the recording is in {}", request_.file.string()));
}

void RecordingWriter::log_unfinished(const char* problem) {
    log_->error(fmt::format("the recording is not finished: {}", problem));
}

}  // namespace ptp::solo
