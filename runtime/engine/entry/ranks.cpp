#include "engine/entry/ranks.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
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
#include <sstream>
#include <vector>

namespace ptp::engine {

namespace {

struct SharedFacts {
    std::string host;
    std::string libtorch;
    std::string experiment;
    std::string plugins;
    std::string folder;  // the run's, as its command names it, or ""
};

std::string packed_text(const SharedFacts& facts) {
    return join(
        std::vector{facts.host, facts.libtorch, facts.experiment, facts.plugins, facts.folder},
        "\n");
}

SharedFacts facts_from(const std::string& text) {
    SharedFacts facts;
    std::istringstream lines(text);
    for (std::string* line :
         {&facts.host, &facts.libtorch, &facts.experiment, &facts.plugins, &facts.folder}) {
        std::getline(lines, *line);
    }
    return facts;
}

std::string rank_text(std::size_t rank, const SharedFacts& facts, const SharedFacts& first,
                      const char* what) {
    return fmt::format("rank {} on {} has {} than rank 0 on {}", rank, facts.host, what,
                       first.host);
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

// Returns the first difference, after the number of its exit code; "" if there is none.
std::string difference(const std::vector<std::string>& texts) {
    const SharedFacts first = facts_from(texts.front());
    for (std::size_t rank = 1; rank < texts.size(); ++rank) {
        const SharedFacts facts = facts_from(texts[rank]);
        const auto text = [&](const char* what) { return rank_text(rank, facts, first, what); };
        if (facts.experiment != first.experiment) {
            return fmt::format("{} {}", int{kConfigurationError}, text("another experiment"));
        }
        if (!facts.folder.empty() && facts.folder != first.folder) {
            return fmt::format("{} {}: {} and {}", int{kConfigurationError},
                               text("another run folder"), facts.folder,
                               first.folder.empty() ? "a new one" : first.folder);
        }
        if (facts.libtorch != first.libtorch) {
            return fmt::format("{} {}: {} and {}", int{kPluginError}, text("another libtorch"),
                               facts.libtorch, first.libtorch);
        }
        if (facts.plugins != first.plugins) {
            return fmt::format("{} {}: {}; rank 0 has {}", int{kPluginError},
                               text("other builds of plugins"),
                               tables_without(facts.plugins, first.plugins),
                               tables_without(first.plugins, facts.plugins));
        }
    }
    return "";
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
    const std::string libtorch =
        std::string(compat::kVersion) + (has_device_sums() ? " with NCCL" : "");
    const std::string folder =
        facts.folder.empty() ? "" : std::filesystem::absolute(facts.folder).string();
    const SharedFacts own = {processes.group()->place().host, libtorch,
                             sha256(experiment_text(facts.experiment, facts.plan)),
                             inline_toml(facts.plugins), folder};
    constexpr const char* kWhat = "the comparison of experiments";
    const std::vector<std::string> all = processes.gather(packed_text(own), kWhat);
    const std::string found =
        processes.share(processes.is_first() ? difference(all) : std::string(), kWhat);
    if (found.empty()) {
        return;
    }
    const std::size_t space = found.find(' ');
    const bool is_experiment = std::stoi(found.substr(0, space)) == kConfigurationError;
    throw WithFix<RunError>(
        is_experiment ? kConfigurationError : kPluginError,
        {found.substr(space + 1),
         is_experiment ? "start all processes with the same experiment and the same options"
                       : "have the same ptp, libtorch and plugins on all hosts"});
}

}  // namespace ptp::engine
