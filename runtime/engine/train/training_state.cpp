#include "engine/train/training_state.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "run/training_record.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

// In the checkpoint; those that lack it are of runs in which all modules drew from libtorch's one.
constexpr const char* kModulesDraw = "modules_draw";
constexpr const char* kByComponent = "by component";

constexpr const char* kTaskPrefix = "task/";

struct NamedInstance {
    std::string name;  // a task's is "task/<section>"
    Instance* instance;
};

std::vector<NamedInstance> instances(const Components& components) {
    std::vector<NamedInstance> all;
    for (const std::shared_ptr<Instance>& task : components.tasks) {
        all.push_back({kTaskPrefix + task->node().section, task.get()});
    }
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        all.push_back({node->node().name, node.get()});
    }
    return all;
}

constexpr const char* kCpuGenerator = "libtorch";
constexpr const char* kDeviceGenerator = "libtorch/device";  // of runs that are not on the CPU

struct NamedGenerator {
    std::string name;
    at::Generator generator;
};

std::vector<NamedGenerator> generators(const Session& session) {
    std::vector<NamedGenerator> all = {{kCpuGenerator, at::detail::getDefaultCPUGenerator()}};
    const at::Device device = session.executor.device();
    if (!device.is_cpu()) {
        all.push_back({kDeviceGenerator, at::globalContext().defaultGenerator(device)});
    }
    for (const NamedInstance& named : instances(session.components)) {
        int number = 0;
        for (at::Generator& generator : named.instance->generators()) {
            all.push_back({fmt::format("{}/{}", named.name, number++), std::move(generator)});
        }
    }
    return all;
}

void check_readable(const Instance& instance, const Value& value) {
    Diagnostics problems;
    const Value whole = Value::table({{"state", value}});
    const auto read = read_toml(to_toml(whole), "state", problems);
    if (!read || !(*read == whole)) {
        throw RunError(
            kPluginError,
            fmt::format("{}: export_state() gave what cannot be saved: {}", instance.blamed(),
                        read ? "it reads back differently" : problems.text()));
    }
}

SavedState component_states(const Components& components) {
    SavedState saved;
    for (const NamedInstance& named : instances(components)) {
        if (auto state = named.instance->export_state()) {
            saved.record.set(named.name, Value::table({{"version", state->version},
                                                       {"state", std::move(state->value)}}));
        }
    }
    return saved;
}

// What components export must come back from the file as it was.
void check_readable(const Components& components, const SavedState& saved) {
    for (const NamedInstance& named : instances(components)) {
        if (const Value* entry = saved.record.find(named.name)) {
            check_readable(*named.instance, *entry->find("state"));
        }
    }
}

void restore_components(const Components& components, const SavedState& saved) {
    for (const NamedInstance& named : instances(components)) {
        const Value* entry = saved.record.find(named.name);
        if (entry == nullptr) {
            continue;  // It had no state when the checkpoint was written.
        }
        const Value* state = entry->find("state");
        if (state == nullptr) {
            throw RunError(kDataError, fmt::format("'{}' has no state", named.name));
        }
        named.instance->import_state(
            {static_cast<std::uint32_t>(integer_in(*entry, "version")), *state});
    }
}

// nullptr: the checkpoint does not have it.
const at::Tensor* state_of(const std::string& name, const TensorsByName& states) {
    const auto found = std::ranges::find(states, name, &TensorsByName::value_type::first);
    return found == states.end() ? nullptr : &found->second;
}

void restore_generator(NamedGenerator& named, const TensorsByName& states) {
    const auto* const state = state_of(named.name, states);
    if (state == nullptr) {
        throw RunError(kDataError, fmt::format("the random generator '{}' is missing", named.name));
    }
    const std::lock_guard<std::mutex> lock(named.generator.mutex());
    named.generator.set_state(*state);
}

// The states of a CUDA generator and of one of the CPU have nothing in common. What draws on the
// run's device is seeded by the run's seed and its position, so that it draws the same after each
// such change.
void reseed_generators(const Session& session, const TensorsByName& states, std::uint64_t episode) {
    const auto seed = static_cast<std::uint64_t>(*session.experiment.seed);
    const std::uint64_t key = derived(derived(seed, "another device"), episode);
    for (NamedGenerator& named : generators(session)) {
        if (named.name == kCpuGenerator) {
            restore_generator(named, states);
            continue;
        }
        const std::lock_guard<std::mutex> lock(named.generator.mutex());
        named.generator.set_current_seed(derived(key, named.name));
    }
    session.log.warn(fmt::format(
        "the checkpoint was written {}, and the run continues on {}: weights, optimizer, statistics, "
        "samples and their order are exactly those of the checkpoint; components draw other random "
        "numbers, from generators that are seeded anew by the run's seed and episode {}; results "
        "differ in their last bits",
        session.executor.device().is_cpu() ? "on a CUDA device" : "on the CPU",
        session.executor.device().str(), episode));
}

}  // namespace

TensorsByName generator_states(const Session& session) {
    TensorsByName states;
    for (NamedGenerator& named : generators(session)) {
        const std::lock_guard<std::mutex> lock(named.generator.mutex());
        states.emplace_back(named.name, named.generator.get_state());
    }
    return states;
}

std::string held_generator(const Session& session) {
    for (NamedGenerator& named : generators(session)) {
        if (!named.generator.mutex().try_lock()) {
            return named.name;
        }
        named.generator.mutex().unlock();
    }
    return "";
}

void restore_generators(const Session& session, const TensorsByName& states,
                        const std::string& but) {
    const std::string left = kTaskPrefix + but + "/";
    for (NamedGenerator& named : generators(session)) {
        if (!named.name.starts_with(left)) {
            restore_generator(named, states);
        }
    }
}

EvaluationState evaluation_state(const Session& session) {
    return {generator_states(session), component_states(session.components)};
}

void restore_evaluation(const Session& session, const EvaluationState& before) {
    restore_generators(session, before.generators);
    restore_components(session.components, before.components);
}

SavedState save_session(Session& session) {
    SavedState saved;
    SavedState states = component_states(session.components);
    check_readable(session.components, states);
    add_part(saved, "optimization", session.optimization->save());
    add_part(saved, "statistics", session.statistics.save());
    add_part(saved, "components", std::move(states));
    SavedState random{{}, generator_states(session)};
    if (!session.components.nodes.front()->draws_from_libtorch()) {
        random.record.set(kModulesDraw, kByComponent);
    }
    add_part(saved, "generators", std::move(random));
    return saved;
}

void restore_session(Session& session, const SavedState& saved) {
    session.optimization->restore(part_of(saved, "optimization"));
    session.statistics.restore(part_of(saved, "statistics"));
    restore_components(session.components, part_of(saved, "components"));
    const SavedState random = part_of(saved, "generators");
    const bool was_on_cpu = state_of(kDeviceGenerator, random.tensors) == nullptr;
    if (was_on_cpu == session.executor.device().is_cpu()) {
        restore_generators(session, random.tensors);
    } else {
        const Value trainer = part_of(saved, run::kTrainerPart).record;
        reseed_generators(session, random.tensors, run::trainer_record_from(trainer).episodes_done);
    }
    if (random.record.find(kModulesDraw) == nullptr) {
        for (const NamedInstance& named : instances(session.components)) {
            named.instance->draw_from_libtorch();
        }
    }
}

}  // namespace ptp::engine
