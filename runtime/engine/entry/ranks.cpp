// The exchanges of processes before and after they train together.

#include "engine/entry/ranks.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "engine/component/compat.hpp"
#include "engine/distributed/device_sums.hpp"
#include "engine/train/process_setup.hpp"
#include "engine/train/stages.hpp"

#include <fmt/core.h>
#include <torch/cuda.h>

#include <vector>

namespace ptp::engine {

namespace {

// Returns the facts of a process that must be equal in all, as JSON.
std::string text_of_facts(const RankFacts& facts) {
    const std::string folder =
        facts.folder.empty() ? "" : std::filesystem::absolute(facts.folder).string();
    return ptp::text_of(json_of(Value::table(
        {{"host", facts.host},
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

}  // namespace

experiment::Experiment with_common_seed(experiment::Experiment experiment, Collective& processes) {
    if (!experiment.seed) {
        experiment.seed = std::stoll(processes.from_first(
            "the seed", [&] { return std::to_string(*with_seed(experiment).seed); }));
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

void require_same(const RankFacts& facts, Collective& processes) {
    constexpr const char* kWhat = "the comparison of experiments";
    const auto own = [&facts] { return text_of_facts(facts); };
    const std::vector<std::string> others = processes.from_others(kWhat, own);
    const Json shared = *parsed_json(processes.from_first(kWhat, [&] {
        Difference found;
        for (std::size_t i = 0; i < others.size() && found.code == kDone; ++i) {
            found = difference(i + 1, *parsed_json(others[i]), *parsed_json(own()));
        }
        return ptp::text_of(Json{{"code", static_cast<int>(found.code)}, {"text", found.text}});
    }));
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

void wait_at_end(Collective& processes, spdlog::logger& log) {
    try {
        processes.barrier("the end");
    } catch (const RunError& error) {
        processes.on_others([] { throw; });
        log.warn(
            fmt::format("the run had ended before another process was lost: {}", error.what()));
    }
}

}  // namespace ptp::engine
