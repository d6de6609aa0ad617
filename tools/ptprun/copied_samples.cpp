// Compares the hashes of what models see of each sample.

#include "copied_samples.hpp"

#include "base/ranges.hpp"
#include "host/engine_library.hpp"
#include "pipeline/component_stages.hpp"
#include "pipeline/task_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

namespace ptp::ptprun {

namespace {

constexpr std::uint64_t kMaxRead = 100000;  // of each section, which takes seconds at most
constexpr std::ptrdiff_t kMinCopies = 5;    // fewer may be equal by chance

// Returns whether all tasks read tables or texts, and no images beside them.
bool are_read_fast(const host::Prepared& prepared, const std::vector<std::string>& inputs) {
    return std::ranges::all_of(prepared.plan->tasks, [&](const pipeline::Node& task) {
        const auto* section = experiment::find_section(prepared.experiment, task.section);
        return section != nullptr &&
               (pipeline::reads_table(*section, prepared.catalog) ||
                pipeline::takes_texts(*section, prepared.catalog)) &&
               std::ranges::none_of(task.outputs, [&](const pipeline::Binding& output) {
                   return output.stream >= 0 && output.shape.size() > 2 &&
                          contains(inputs, prepared.plan->stream(output.stream).name);
               });
    });
}

bool is_warned_of(const std::string& section, const Diagnostics& problems) {
    return std::ranges::any_of(problems.sorted(), [&](const Problem& problem) {
        return problem.key == section + ".task" && problem.message.starts_with("has ");
    });
}

}  // namespace

std::vector<std::string> warnings_of_copies(const host::Prepared& prepared,
                                            const Diagnostics& problems) {
    std::vector<std::string> warnings;
    const std::vector<std::string> inputs = pipeline::model_inputs(*prepared.plan);
    if (prepared.plan->tasks.size() < 2 || !are_read_fast(prepared, inputs)) {
        return warnings;
    }
    std::vector<engine::SectionFacts> sections;
    const engine::RunResult result = host::survey_in_engine({.experiment = prepared.experiment,
                                                             .plan = *prepared.plan,
                                                             .hashed = inputs,
                                                             .limit = kMaxRead,
                                                             .found = sections});
    if (result.exit_code != 0 || sections.empty()) {
        return warnings;  // the components were created, so that a training reports what is wrong
    }
    const auto& hashes = sections.front().hashes;
    const std::set<engine::SampleHash> trained(hashes.begin(), hashes.end());
    for (auto section = sections.begin() + 1; section != sections.end(); ++section) {
        const auto copies = std::ranges::count_if(
            section->hashes, [&](const engine::SampleHash& one) { return trained.contains(one); });
        const bool are_most = copies >= kMinCopies && 2 * copies >= std::ssize(section->hashes);
        if (are_most && 2 * trained.size() > hashes.size() &&
            !is_warned_of(section->name, problems)) {
            warnings.push_back(fmt::format(
                "{}: {} of {} samples are also in the training, so that what is measured here says "
                "little about new data\n"
                "    fix: read other data, or remove what is there twice before it is divided; "
                "ptprun data shows some",
                section->name, copies, section->hashes.size()));
        }
    }
    return warnings;
}

}  // namespace ptp::ptprun
