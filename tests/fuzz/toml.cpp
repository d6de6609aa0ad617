#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "config/experiment.hpp"
#include "config/override.hpp"
#include "config/substitute.hpp"
#include "fuzz/expect.hpp"
#include "fuzz/targets.hpp"

#include <string>

namespace ptp::fuzz {

void toml(std::string_view input) {
    Diagnostics problems;
    config::read_override(std::string(input), 1, problems);
    std::optional<Value> tree = read_toml(input, "x.toml", problems);
    if (!tree) {
        expect(!problems.ok(), "what is not read is refused");
        return;
    }
    const std::string written = to_toml(*tree);
    Diagnostics none;
    const auto again = read_toml(written, "y.toml", none);
    expect(again && to_toml(*again) == written, "what is written is read again");
    config::substitute_vars(*tree, problems);
    const config::Experiment experiment =
        config::read_experiment(*tree, {.default_name = "x", .home = "/home"}, problems);
    if (problems.ok()) {
        to_toml(config::resolved_tree(experiment));
    }
}

}  // namespace ptp::fuzz
