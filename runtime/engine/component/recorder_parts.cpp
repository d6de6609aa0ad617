// The parts of a recording that are kept as it proceeds, in case the process is killed.

#include "engine/component/recorder.hpp"

#include <utility>

namespace ptp::engine {

// Keeps the inputs of a call, before the call: it may be the last.
void Recorder::keep_begun(RecordedCall& call) {
    if (!options_.keep) {
        return;
    }
    if (!is_begin_kept_) {
        is_begin_kept_ = true;
        options_.keep({Value::table({{"asked", options_.batches}, {"record", record_}}), {}});
        keep_ended();
    }
    for (std::size_t i = ended_kept_; i < calls_.size(); ++i) {
        if (calls_[i].get() == &call) {
            keep_part(i, call);
        }
    }
}

// Keeps the calls whose values are complete: the next call begins after the last gradient.
void Recorder::keep_ended() {
    if (!options_.keep || !is_begin_kept_) {
        return;
    }
    for (std::size_t i = ended_kept_; i < calls_.size(); ++i) {
        RecordedCall& call = *calls_[i];
        const bool has_all =
            call.is_complete && (!call.waits_for_gradients || i + 1 < calls_.size());
        if (has_all && !call.is_kept) {
            call.is_kept = true;
            keep_part(i, call);
        }
        if (call.is_kept && i == ended_kept_) {
            ++ended_kept_;
        }
    }
}

void Recorder::keep_part(std::size_t index, RecordedCall& call) {
    SavedState part{Value::table({{"index", index},
                                  {"begins_batch", call.begins_batch},
                                  {"is_complete", call.is_kept},
                                  {"facts", call.facts}}),
                    {}};
    for (; call.kept_tensors < call.tensors.size(); ++call.kept_tensors) {
        part.tensors.push_back(call.tensors[call.kept_tensors]);
    }
    if (call.is_kept && !call.has_several_passes) {
        part.tensors.insert(part.tensors.end(), call.gradients.begin(), call.gradients.end());
    }
    options_.keep(part);
}

}  // namespace ptp::engine
