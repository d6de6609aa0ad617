// The exchanges of processes before they train together.

#include "engine/entry/ranks.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "distributed/secret.hpp"
#include "engine/component/compat.hpp"
#include "engine/distributed/device_sums.hpp"
#include "engine/distributed/group.hpp"
#include "engine/distributed/meeting.hpp"
#include "engine/train/process_setup.hpp"
#include "engine/train/stages.hpp"

#include <fmt/core.h>
#include <torch/cuda.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace ptp::engine {

namespace {

// Returns the facts of a process that must be equal in all, as JSON.
std::string text_of_facts(const RankFacts& facts, const distributed::Place& place) {
    const std::string folder =
        facts.folder.empty() ? "" : std::filesystem::absolute(facts.folder).string();
    return ptp::text_of(json_of(Value::table(
        {{"host", place.host},
         {"libtorch", std::string(compat::kVersion) + (has_device_sums() ? " with NCCL" : "")},
         {"experiment", sha256(experiment_text(facts.experiment, facts.plan))},
         {"plugins", inline_toml(facts.plugins)},
         {"folder", folder}})));
}

// Returns the tables of the first list missing in the second: "name = \"a\", ...; name = ...".
std::string tables_without(const std::string& list, const std::string& other) {
    std::string found;
    for (std::size_t at = list.find('{'); at != std::string::npos; at = list.find('{', at + 1)) {
        const std::string table = list.substr(at, list.find('}', at) - at);
        if (other.find(table) == std::string::npos) {
            found += (found.empty() ? "" : "; ") + std::string(trimmed(table.substr(1)));
        }
    }
    return found.empty() ? "none of them" : found;
}

// A fact of a process that differs from the first one's.
struct Difference {
    ExitCode code = kDone;  // kDone: there is none
    std::string text;
};

// Returns the first difference between this process and the first one.
Difference difference(std::size_t rank, const Json& facts, const Json& first) {
    const auto of = [](const Json& table, const char* key) {
        return table.at(key).get<std::string>();
    };
    const auto differs = [&](const char* key) { return facts.at(key) != first.at(key); };
    const auto text = [&](const char* what) {
        return fmt::format("rank {} on {} has {} than rank 0 on {}", rank, of(facts, "host"), what,
                           of(first, "host"));
    };
    const std::string folder = of(first, "folder");
    if (differs("experiment")) {
        return {kConfigurationError, text("another experiment")};
    }
    if (!of(facts, "folder").empty() && differs("folder")) {
        return {kConfigurationError,
                fmt::format("{}: {} and {}", text("another run folder"), of(facts, "folder"),
                            folder.empty() ? "a new one" : folder)};
    }
    if (differs("libtorch")) {
        return {kPluginError, fmt::format("{}: {} and {}", text("another libtorch"),
                                          of(facts, "libtorch"), of(first, "libtorch"))};
    }
    if (differs("plugins")) {
        const std::string plugins = of(facts, "plugins");
        return {kPluginError, fmt::format("{}: {}; rank 0 has {}", text("other builds of plugins"),
                                          tables_without(plugins, of(first, "plugins")),
                                          tables_without(of(first, "plugins"), plugins))};
    }
    return {};
}

// Reports how the gradients are summed if they are on CUDA devices.
void report(const Group::Devices& devices, const Group& group, bool is_compressed,
            spdlog::logger& log) {
    if (devices.are_own && is_compressed) {
        log.info("gloo sums the gradients, as bfloat16, in the memory of the CPU");
    } else if (devices.are_own) {
        log.info(fmt::format("NCCL sums the gradients of {} CUDA devices", devices.count));
    } else if (devices.count == 0) {
        log.info(
            "gloo sums the gradients, in the memory of the CPU: this build of ptp has no NCCL");
    } else {
        log.warn(fmt::format(
            "{} processes share {} CUDA device{}; one process at a time computes on a device, and "
            "gloo sums the gradients, in the memory of the CPU; as many processes as devices are "
            "faster",
            group.size(), devices.count, devices.count == 1 ? "" : "s"));
    }
}

}  // namespace

std::unique_ptr<Collective> join_processes(const RunRequest& request) {
    if (request.place.is_one()) {
        return std::make_unique<Collective>();
    }
    const auto timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::duration<double>(request.experiment.distributed.timeout.seconds));
    return shared_processes(Group::join(
        request.place, timeout, std::max<std::chrono::milliseconds>(timeout, kMinConnecting)));
}

experiment::Experiment with_common_seed(experiment::Experiment experiment, Collective& processes) {
    if (!experiment.seed) {
        const std::string drawn =
            processes.is_first() ? std::to_string(*with_seed(experiment).seed) : std::string();
        experiment.seed = std::stoll(processes.share(drawn, "the seed"));
    }
    return experiment;
}

at::Device device_of_rank(const experiment::Experiment& experiment,
                          const distributed::Place& place) {
    const at::Device device = usable_device(experiment.device, experiment.is_deterministic);
    const bool is_named = experiment.device.find(':') != std::string::npos;
    if (device.is_cpu() || is_named) {
        return device;
    }
    const auto count = static_cast<std::int64_t>(torch::cuda::device_count());
    return {device.type(), static_cast<at::DeviceIndex>(place.local_rank % count)};
}

void start_together(Collective& processes, at::Device device, bool is_compressed,
                    spdlog::logger& log) {
    if (processes.group() == nullptr) {
        return;
    }
    Group& group = *processes.group();
    group.barrier("the start");
    const distributed::Place& place = group.place();
    if (place.is_first() && !place.is_one_host() && place.secret.empty() &&
        distributed::secret_of_user().empty()) {
        log.warn(fmt::format(
            "the processes share no secret: any program that reaches {}:{} can take part in the "
            "training; set {} to the same text in all of them (it is not set, and there is no home "
            "folder in which a secret could be kept)",
            place.address, place.port, distributed::kSecretVariable));
    }
    if (!device.is_cpu()) {
        report(group.connect_devices(device), group, is_compressed, log);
    }
}

void require_same(const RankFacts& facts, Collective& processes) {
    if (processes.size() == 1) {
        return;
    }
    constexpr const char* kWhat = "the comparison of experiments";
    const std::vector<std::string> all =
        processes.gather(text_of_facts(facts, processes.group()->place()), kWhat);
    Difference found;
    for (std::size_t rank = 1; rank < all.size() && found.code == kDone; ++rank) {
        found = difference(rank, *parsed_json(all[rank]), *parsed_json(all.front()));
    }
    const Json shared = *parsed_json(processes.share(
        ptp::text_of(Json{{"code", static_cast<int>(found.code)}, {"text", found.text}}), kWhat));
    const auto code = static_cast<ExitCode>(shared.at("code").get<int>());
    if (code == kDone) {
        return;
    }
    throw WithFix<RunError>(
        code, {shared.at("text").get<std::string>(),
               code == kConfigurationError
                   ? "start all processes with the same experiment and the same options"
                   : "have the same ptp, libtorch and plugins on all hosts"});
}

}  // namespace ptp::engine
