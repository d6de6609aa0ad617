#include "engine/train/progress_setup.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"

#include <fmt/core.h>

#include <memory>
#include <vector>

namespace ptp::engine {

std::optional<std::size_t> statistic_to_show(const Statistics& statistics,
                                             const std::string& name) {
    const auto column = statistics.batch_statistic(name);
    if (column || name.empty()) {
        return column;
    }
    std::vector<std::string> known;
    for (const Column& other : statistics.columns()) {
        if (is_in_batches(other, kTrainingSet)) {
            known.push_back(other.name);
        }
    }
    throw RunError(kConfigurationError,
                   fmt::format("--show {}: the batches of training have no such statistic{}", name,
                               hint(name, known)));
}

ProgressSetup progress_setup(const Session& session, std::optional<std::size_t> statistic) {
    ProgressSetup setup;
    setup.course = course_of(session.experiment, session.training->batch_count());
    if (session.validation) {
        setup.course.validation_batches = session.validation->batch_count();
        setup.course.validation_sets = 1 + session.other_validations.size();
    }
    for (const std::unique_ptr<BatchSource>& other : session.other_validations) {
        setup.course.validation_batches += other->batch_count();
    }
    if (session.test) {
        setup.course.test_batches = session.test->batch_count();
    }
    setup.loss_name = session.statistics.loss_name();
    if (statistic) {
        setup.statistic_name = session.statistics.columns()[*statistic].name;
    }
    return setup;
}

}  // namespace ptp::engine
