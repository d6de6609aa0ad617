#include "engine/train/summarise.hpp"

#include "base/private_folder.hpp"
#include "engine/component/plugins.hpp"
#include "engine/train/machine.hpp"
#include "engine/train/session.hpp"
#include "engine/train/summary.hpp"

#include <ptp/ext/parameters.h>

#include <fmt/core.h>
#include <spdlog/sinks/null_sink.h>

#include <filesystem>
#include <memory>

namespace ptp::engine {

namespace {

// Creates tasks and components as a run would, in a folder that is removed behind it.
template <class Use>
void with_session(const RunRequest& request, const Use& use) {
    const PrivateFolder folder;  // for what components write
    const std::filesystem::path copies = folder.path() / "plugins";
    std::filesystem::create_directory(copies);
    pipeline::Plan plan = request.plan;
    const Plugins plugins(plan, copies);
    Globals globals;
    ComponentContext component_context{
        plan,
        globals,
        std::make_shared<spdlog::logger>("ptp", std::make_shared<spdlog::sinks::null_sink_mt>()),
        folder.path().string(),
        usable_device(request.experiment.device),
        static_cast<std::uint64_t>(request.experiment.seed.value_or(0))};
    Session session(request.experiment, component_context,
                    [&plugins](const pipeline::Node& node) -> const ptp_component_info& {
                        return plugins.component(node);
                    });
    use(session, plan);
}

}  // namespace

void summarise(const RunRequest& request) {
    with_session(request, [](Session& session, const pipeline::Plan& plan) {
        fmt::print("{}{}", model_summary(session.components), data_summary(session, plan));
    });
}

pipeline::ParameterCounts count_parameters(const RunRequest& request) {
    pipeline::ParameterCounts counts;
    with_session(request, [&](const Session& session, const pipeline::Plan&) {
        for (const std::shared_ptr<Instance>& instance : session.components.nodes) {
            pipeline::ParameterCount& count = counts[instance->node().name];
            for (const NamedTensor& named : instance->tensors()) {
                if (named.role == PTP_PARAMETER) {
                    count.all += named.tensor.numel();
                    count.trained += named.tensor.requires_grad() ? named.tensor.numel() : 0;
                }
            }
        }
    });
    return counts;
}

}  // namespace ptp::engine
