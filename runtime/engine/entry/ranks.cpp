#include "engine/entry/ranks.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "distributed/rank_log.hpp"
#include "distributed/secret.hpp"
#include "engine/component/compat.hpp"
#include "engine/distributed/device_sums.hpp"
#include "engine/distributed/meeting.hpp"
#include "engine/entry/resume_point.hpp"
#include "engine/train/process_setup.hpp"
#include "engine/train/seed.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>
#include <torch/cuda.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <sstream>
#include <vector>

namespace ptp::engine {

namespace {

struct Told {
    std::string host;
    std::string libtorch;
    std::string experiment;
    std::string plugins;
    std::string folder;  // the run's, as its command names it, or ""
};

std::string packed_text(const Told& told) {
    return join(std::vector{told.host, told.libtorch, told.experiment, told.plugins, told.folder},
                "\n");
}

Told told_from(const std::string& text) {
    Told told;
    std::istringstream lines(text);
    for (std::string* line :
         {&told.host, &told.libtorch, &told.experiment, &told.plugins, &told.folder}) {
        std::getline(lines, *line);
    }
    return told;
}

std::string rank_text(std::size_t rank, const Told& told, const Told& first, const char* what) {
    return fmt::format("rank {} on {} has {} than rank 0 on {}", rank, told.host, what, first.host);
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
    const Told first = told_from(texts.front());
    for (std::size_t rank = 1; rank < texts.size(); ++rank) {
        const Told told = told_from(texts[rank]);
        const auto text = [&](const char* what) { return rank_text(rank, told, first, what); };
        if (told.experiment != first.experiment) {
            return fmt::format("{} {}", int{kConfigurationError}, text("another experiment"));
        }
        if (!told.folder.empty() && told.folder != first.folder) {
            return fmt::format("{} {}: {} and {}", int{kConfigurationError},
                               text("another run folder"), told.folder,
                               first.folder.empty() ? "a new one" : first.folder);
        }
        if (told.libtorch != first.libtorch) {
            return fmt::format("{} {}: {} and {}", int{kPluginError}, text("another libtorch"),
                               told.libtorch, first.libtorch);
        }
        if (told.plugins != first.plugins) {
            return fmt::format("{} {}: {}; rank 0 has {}", int{kPluginError},
                               text("other builds of plugins"),
                               tables_without(told.plugins, first.plugins),
                               tables_without(first.plugins, told.plugins));
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

std::unique_ptr<Group> join_group(const RunRequest& request) {
    if (request.place.is_one()) {
        return nullptr;
    }
    const auto timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::duration<double>(request.experiment.distributed.timeout.seconds));
    return Group::join(request.place, timeout,
                       std::max<std::chrono::milliseconds>(timeout, kMinConnecting));
}

experiment::Experiment with_common_seed(experiment::Experiment experiment, Group* group) {
    if (experiment.seed || group == nullptr) {
        return with_seed(std::move(experiment));
    }
    const std::string drawn =
        group->is_first() ? std::to_string(*with_seed(experiment).seed) : std::string();
    experiment.seed = std::stoll(group->share(drawn, "the seed"));
    return experiment;
}

at::Device device_of_rank(const experiment::Experiment& experiment, const Group* group) {
    const at::Device device = usable_device(experiment.device, experiment.is_deterministic);
    const bool is_named = experiment.device.find(':') != std::string::npos;
    if (group == nullptr || device.is_cpu() || is_named) {
        return device;
    }
    const auto count = static_cast<std::int64_t>(torch::cuda::device_count());
    const auto index = static_cast<at::DeviceIndex>(group->place().local_rank % count);
    return {device.type(), index};
}

std::filesystem::path common_folder(const std::filesystem::path& own, Group* group) {
    return group == nullptr ? own
                            : std::filesystem::path(group->share(own.string(), "the run folder"));
}

std::filesystem::path own_folder_of_rank(const std::filesystem::path& run, const Group& group) {
    const std::filesystem::path folder =
        run::rank_folder(run, static_cast<std::int64_t>(group.rank()));
    try {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
    } catch (const std::filesystem::filesystem_error& error) {
        throw RunError(kTrainingError,
                       fmt::format("cannot make {}: {}", folder.string(), error.code().message()));
    }
    distributed::log_to(run::rank_log(run, static_cast<std::int64_t>(group.rank())));
    return folder;
}

Checkpoints::Found common_resume_point(const RunRequest& request, const std::filesystem::path& run,
                                       Checkpoints& checkpoints, Group* group) {
    Checkpoints::Found found;
    if (group == nullptr || group->is_first()) {
        found = resume_point(request, run, checkpoints);
    }
    if (group != nullptr) {
        const std::string path =
            group->share(found.newest_whole.value_or("").string(), "the checkpoint to resume from");
        found.newest_whole =
            path.empty() ? std::nullopt : std::optional(std::filesystem::path(path));
    }
    return found;
}

void start_together(Group& group, at::Device device, bool is_compressed, spdlog::logger& log) {
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

void require_same(const RankFacts& facts, Group& group) {
    const std::string libtorch =
        std::string(compat::kVersion) + (has_device_sums() ? " with NCCL" : "");
    const std::string folder =
        facts.folder.empty() ? "" : std::filesystem::absolute(facts.folder).string();
    const Told own = {group.place().host, libtorch, sha256(facts.experiment), facts.plugins,
                      folder};
    const std::vector<std::string> all =
        group.gather(packed_text(own), "the comparison of experiments");
    const std::string found = group.share(group.is_first() ? difference(all) : std::string(),
                                          "the comparison of experiments");
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
