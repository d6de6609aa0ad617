// What the manifest of another build of a plugin makes of a running pipeline.

#include "engine/swap/next_pipeline.hpp"

#include "base/toml_reader.hpp"
#include "engine/swap/swap_error.hpp"
#include "pipeline/assemble.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <spdlog/sinks/null_sink.h>

#include <memory>
#include <optional>
#include <string>

namespace next_pipeline_test {

using namespace ptp;
using engine::SwapError;
using plugin::Direction;
using plugin::Kind;

namespace {

plugin::Port port(Direction direction, const char* name, const char* shape) {
    plugin::Port made;
    made.direction = direction;
    made.name = name;
    made.shape = shape;
    return made;
}

// Its task publishes `width`, which is the size of a sample.
plugin::CatalogEntry build_with(const std::string& width) {
    plugin::Component task;
    task.kind = Kind::kTask;
    task.name = "Rows";
    task.ports = {port(Direction::kOutput, "inputs", "B, width")};
    plugin::Global published;
    published.access = plugin::GlobalAccess::kWrite;
    published.name = "width";
    published.value = width;
    task.globals = {published};
    plugin::Component net;
    net.kind = Kind::kModel;
    net.name = "Net";
    net.ports = {port(Direction::kInput, "inputs", "B, n"),
                 port(Direction::kOutput, "predictions", "B, 3")};
    plugin::Component loss;
    loss.kind = Kind::kLoss;
    loss.name = "Loss";
    loss.ports = {port(Direction::kInput, "predictions", "B, 3"),
                  port(Direction::kOutput, "loss", "")};
    loss.ports.back().is_loss = true;
    plugin::CatalogEntry entry;
    entry.path = "/plugins/rows.so";
    entry.manifest.name = "rows";
    entry.manifest.version = "1.0";
    entry.manifest.components = {task, net, loss};
    return entry;
}

// The running pipeline is of a build whose samples have four numbers.
struct Running {
    Running() {
        catalog.plugins = {build_with("4")};
        Diagnostics problems;
        const auto tree = read_toml(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Rows", batch_size = 2 }
[pipeline.net]
type = "Net"
[pipeline.loss]
type = "Loss"
)",
                                    "e.toml", problems);
        experiment = experiment::read_experiment(*tree, {.default_name = "e"}, problems);
        plan =
            pipeline::assemble(experiment, catalog, {}, problems, pipeline::NeededFiles::kIgnored);
        REQUIRE_MESSAGE(plan, problems.text());
        context.emplace(
            engine::ComponentContext{*plan, globals,
                                     std::make_shared<spdlog::logger>(
                                         "test", std::make_shared<spdlog::sinks::null_sink_mt>()),
                                     "/nowhere", at::kCPU, 1});
    }

    [[nodiscard]] std::shared_ptr<engine::NextPipeline> next(const std::string& width) const {
        return engine::plan_next({experiment, *plan, *context},
                                 {{"/plugins/next.so", build_with(width), "0123"}});
    }

    plugin::Catalog catalog;
    experiment::Experiment experiment;
    std::optional<pipeline::Plan> plan;
    engine::Globals globals;
    std::optional<engine::ComponentContext> context;
};

}  // namespace

TEST_CASE("next pipeline: another formula that results in the same sizes is noted and taken") {
    const auto next = Running().next("2 * 2");
    CHECK(next->notes == std::vector<std::string>{"Rows: global 'width': value was 4, is 2 * 2"});
    CHECK(next->new_nodes == std::vector<bool>{true, true});
}

TEST_CASE("next pipeline: streams of another shape are refused with what they would be") {
    std::string message;
    try {
        static_cast<void>(Running().next("5"));
    } catch (const SwapError& error) {
        message = error.what();
    }
    CHECK(message ==
          "(inspect): the streams would differ from the running pipeline:\n"
          "    'inputs' is float [B, width = 4], would be float [B, width = 5]\n"
          "    fix: keep the shapes of the ports and the sizes that the component publishes, or "
          "begin a new run with this build");
}

TEST_CASE("next pipeline: two files of one plugin are refused") {
    const Running running;
    const auto refusal = [&](const std::vector<plugin::Staged>& files) -> std::string {
        return test::error_of<SwapError>([&] {
            engine::plan_next({running.experiment, *running.plan, *running.context}, files);
        });
    };
    CHECK(refusal({{"/a/rows.so", build_with("4"), "0"}, {"/b/rows.so", build_with("4"), "1"}}) ==
          "(inspect): /a/rows.so and /b/rows.so are both the plugin 'rows'\n"
          "    fix: name one of them");
}

}  // namespace next_pipeline_test
