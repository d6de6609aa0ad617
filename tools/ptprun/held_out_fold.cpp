#include "held_out_fold.hpp"

#include "pipeline/data_settings.hpp"

namespace ptp::ptprun {

void hold_out(host::Request& request, const experiment::Fold& fold) {
    request.adapt = [fold](experiment::Experiment& experiment, const plugin::Catalog& catalog,
                           Diagnostics& problems) {
        pipeline::fix_split(experiment.training.task, catalog);
        if (experiment.validation) {
            pipeline::fix_split(experiment.validation->task, catalog);
        }
        experiment::make_fold(experiment, fold,
                              pipeline::data_settings(experiment.training.task, catalog), problems);
    };
}

}  // namespace ptp::ptprun
