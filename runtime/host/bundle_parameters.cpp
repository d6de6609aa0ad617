// Compares what a user sets with the parameters that a bundle declares.

#include "host/bundle_parameters.hpp"

#include "base/explanation.hpp"
#include "base/text.hpp"
#include "experiment/load/override.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::host {

namespace {

bool is_declared(const std::vector<std::string>& path, const std::vector<std::string>& parameters) {
    return std::ranges::any_of(parameters, [&](const std::string& parameter) {
        const auto declared = experiment::read_key_path(parameter);
        return declared && declared->size() <= path.size() &&
               std::equal(declared->begin(), declared->end(), path.begin());
    });
}

}  // namespace

void use_parameters(const std::filesystem::path& folder, const std::vector<std::string>& overrides,
                    const std::vector<std::filesystem::path>& over, Diagnostics& problems) {
    const auto model = bundle::laid_out_bundle(folder);
    if (!model) {
        return;
    }
    const std::vector<std::string>& parameters = model->manifest.parameters;
    const std::string known = parameters.empty() ? "it declares no parameters"
                                                 : "its parameters: " + join(parameters, ", ");
    bool changes_model = false;
    for (std::size_t i = 0; i < overrides.size(); ++i) {
        Diagnostics unused;  // what is no override is reported when it is applied
        const auto override =
            experiment::read_override(overrides[i], static_cast<int>(i) + 1, unused);
        if (!override || override->path.front() != "pipeline") {
            continue;
        }
        changes_model = true;
        if (!is_declared(override->path, parameters)) {
            const std::string key = overrides[i].substr(0, overrides[i].find('='));
            problems.error(
                override->places.front(), key,
                Explanation{fmt::format("cannot be set in {}: {}", model->file.string(), known),
                            fmt::format("leave it out, or make a bundle that declares "
                                        "it: ptprun bundle RUN --parameter {}",
                                        key)});
        }
    }
    if (changes_model) {
        bundle::leave_out_samples(folder);
    }
    if (!over.empty()) {
        problems.error(
            SourceLocation(over.front().string(), 0, 0), "",
            Explanation{
                fmt::format("--over changes experiments, and {} is a bundle", model->file.string()),
                parameters.empty() ? "leave it out" : "--set KEY=VALUE sets one of " + known});
    }
}

}  // namespace ptp::host
