#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/experiment.hpp"
#include "experiment/load/override.hpp"
#include "experiment/load/steps.hpp"
#include "fuzz/expect.hpp"
#include "fuzz/targets.hpp"

#include <string>

namespace ptp::fuzz {

void toml(std::string_view input) {
    Diagnostics problems;
    experiment::read_override(std::string(input), 1, problems);
    std::optional<Value> tree = read_toml(input, "x.toml", problems);
    if (!tree) {
        expect(!problems.ok(), "what is not read is refused");
        return;
    }
    const std::string written = to_toml(*tree);
    Diagnostics none;
    const auto again = read_toml(written, "y.toml", none);
    expect(again && to_toml(*again) == written, "what is written is read again");
    experiment::substitute_vars(*tree, problems);
    const experiment::Experiment experiment =
        experiment::read_experiment(*tree, {.default_name = "x", .home = "/home"}, problems);
    if (problems.ok()) {
        to_toml(experiment::resolved_tree(experiment));
    }
}

}  // namespace ptp::fuzz
