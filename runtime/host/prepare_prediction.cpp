#include "host/prepare_prediction.hpp"

#include "host/checkpoint_check.hpp"
#include "host/run_plugins.hpp"

#include <utility>

namespace ptp::host {

PreparedPrediction prepare_prediction(Request& request, const TrainedWeights& weights,
                                      const std::vector<std::string>& streams,
                                      pipeline::NeededFiles files, Diagnostics& problems) {
    request.uses_search_path = true;  // for the additions of --set
    if (weights.run) {
        request.run_plugins = plugins_of(*weights.run, weights.checkpoint.value_or(""), problems);
    }
    PreparedPrediction made;
    made.prepared = prepare(request, problems, files);
    if (made.prepared.plan) {
        made.prediction = pipeline::find_prediction(*made.prepared.plan, streams, problems);
        if (weights.checkpoint) {
            check_checkpoint(*weights.checkpoint, *made.prepared.plan, problems);
        }
    }
    return made;
}

void allow_missing_inputs(experiment::Experiment& experiment) {
    for (experiment::ComponentEntry& entry : experiment.pipeline.components) {
        entry.skip_if_missing = true;
    }
}

}  // namespace ptp::host
