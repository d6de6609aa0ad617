#include "base/toml_reader.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/assemble.hpp"
#include "support.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ptp::test {

Outcome assemble_text(std::string_view toml, plugin::Catalog catalog,
                      const std::vector<std::string>& processed) {
    return assemble_for({.processed = processed}, toml, std::move(catalog));
}

Outcome assemble_for(const pipeline::Purpose& purpose, std::string_view toml,
                     plugin::Catalog catalog) {
    Diagnostics problems;
    Outcome outcome{.catalog = std::move(catalog), .plan = {}, .problems = {}};
    if (const auto root = read_toml(toml, "e.toml", problems)) {
        const auto experiment = experiment::read_experiment(*root, {.default_name = "e"}, problems);
        outcome.plan = pipeline::assemble(experiment, outcome.catalog, "/home/ada", problems,
                                          pipeline::NeededFiles::kChecked, purpose);
        if (!outcome.plan) {
            outcome.failure =
                pipeline::picture_of(experiment, outcome.catalog, "/home/ada", problems);
        }
    }
    outcome.problems = problems.text();
    return outcome;
}

std::string experiment_text(std::string_view rest) {
    return R"([training]
optimizer = { type = "SGD", lr = 0.1 }
[training.task]
type = "Images"
batch_size = 64
resize_image = [32, 32]

)" + std::string(rest);
}

std::string order_text(const pipeline::Plan& plan) {
    std::string text;
    for (const pipeline::Node& node : plan.nodes) {
        text += (text.empty() ? "" : " ") + node.name;
    }
    return text;
}

const pipeline::Node& node_named(const pipeline::Plan& plan, std::string_view name) {
    for (const auto* nodes : {&plan.tasks, &plan.nodes}) {
        const auto found = std::ranges::find(*nodes, name, &pipeline::Node::name);
        if (found != nodes->end()) {
            return *found;
        }
    }
    throw std::runtime_error("no node of this name");
}

}  // namespace ptp::test
