// Checks whether a checkpoint is complete, and belongs to a plan.

#include "base/suggest.hpp"
#include "experiment/load/load.hpp"
#include "host/prepare.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <system_error>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

// Returns the components in the run's experiment; nullopt for a checkpoint outside of a run.
std::optional<Value> components_of_run(const fs::path& checkpoint) {
    const fs::path file = fs::absolute(checkpoint).lexically_normal().parent_path().parent_path() /
                          run::kExperimentFile;
    std::error_code ignored;  // the engine reports unreadable files
    if (!fs::exists(file, ignored)) {
        return std::nullopt;
    }
    Diagnostics unused;
    const auto tree = experiment::load_experiment({file.string(), {}, ""}, unused);
    const Value* pipeline = tree ? tree->find("pipeline") : nullptr;
    return pipeline != nullptr && pipeline->is_table() ? std::optional(*pipeline) : std::nullopt;
}

}  // namespace

void check_checkpoint(const fs::path& checkpoint, const pipeline::Plan& plan,
                      Diagnostics& problems) {
    std::error_code error;
    const fs::path link = fs::read_symlink(checkpoint / run::kWeightsFile, error);
    if (!error && !fs::exists(checkpoint / run::kWeightsFile)) {
        problems.missing_data(SourceLocation(link.string(), 0, 0), "",
                              "is gone since it was opened",
                              "put it back, or open the model where it is now");
        return;
    }
    for (const char* name : {run::kWeightsFile, run::kHashFile}) {
        if (!fs::exists(checkpoint / name)) {
            problems.missing_data(SourceLocation(checkpoint.string(), 0, 0), "",
                                  fmt::format("is not a complete checkpoint: it has no {}", name));
        }
    }
    const auto saved = components_of_run(checkpoint);
    if (!saved) {
        return;
    }
    std::vector<std::string> names;
    for (const Member& member : saved->members()) {
        if (member.value.is_table()) {
            names.push_back(member.key);
        }
    }
    for (const pipeline::Node& node : plan.nodes) {
        if (node.component->kind == plugin::Kind::kModel && saved->find(node.name) == nullptr) {
            problems.missing_data(node.place, node.path,
                                  fmt::format("the run of {} has no component of this name, and no "
                                              "weights for it{}",
                                              checkpoint.string(), hint(node.name, names)));
        }
    }
}

}  // namespace ptp::host
