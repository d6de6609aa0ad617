#include "held_out_fold.hpp"

#include "pipeline/data_settings.hpp"

namespace ptp::ptprun {

void hold_out(Request& request, const config::Fold& fold) {
    request.adapt = [fold](config::Experiment& experiment, const plugin::Catalog& catalog,
                           Diagnostics& problems) {
        pipeline::fix_split(experiment.training.task, catalog);
        if (experiment.validation) {
            pipeline::fix_split(experiment.validation->task, catalog);
        }
        config::make_fold(experiment, fold,
                          pipeline::data_settings(experiment.training.task, catalog), problems);
    };
}

}  // namespace ptp::ptprun
