// The parts of a session in a checkpoint besides its weights, and the order in which they are
// restored.

#include "engine/train/training_state.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "engine/component/loader_stage.hpp"
#include "engine/distributed/packed_state.hpp"
#include "engine/train/data_facts.hpp"
#include "run/training_record.hpp"

#include <ptp/ext/parameters.h>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

// Missing in checkpoints of runs in which all modules drew from libtorch's generator.
constexpr const char* kModulesDraw = "modules_draw";
constexpr const char* kByComponent = "by component";

using run::kDataPart;

struct NamedInstance {
    std::string name;
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
constexpr const char* kDeviceGenerator = "libtorch/device";  // in runs on other devices

// Returns nullptr if the checkpoint does not have it.
const at::Tensor* state_of(const std::string& name, const TensorsByName& states) {
    const auto found = std::ranges::find(states, name, &TensorsByName::value_type::first);
    return found == states.end() ? nullptr : &found->second;
}

// A generator of libtorch or of a component, which other threads may use.
struct NamedGenerator {
    [[nodiscard]] at::Tensor state() {
        const std::lock_guard<std::mutex> lock(generator.mutex());
        return generator.get_state();
    }
    void restore(const TensorsByName& states) {
        const auto* const saved = state_of(name, states);
        if (saved == nullptr) {
            throw RunError(kDataError, fmt::format("the random generator '{}' is missing", name));
        }
        const std::lock_guard<std::mutex> lock(generator.mutex());
        generator.set_state(*saved);
    }
    void seed(std::uint64_t key) {
        const std::lock_guard<std::mutex> lock(generator.mutex());
        generator.set_current_seed(derived(key, name));
    }

    std::string name;
    at::Generator generator;
};

std::vector<NamedGenerator> generators(const TrainingSession& session) {
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

// Requires that states of components can be read back unchanged.
void check_readable(const Components& components, const SavedState& saved) {
    for (const NamedInstance& named : instances(components)) {
        const Value* entry = saved.record.find(named.name);
        if (entry == nullptr) {
            continue;
        }
        Diagnostics problems;
        const auto read = read_toml(to_toml(*entry), "state", problems);
        if (!read || !(*read == *entry)) {
            throw RunError(kPluginError,
                           fmt::format("{}: export_state() gave what cannot be saved: {}",
                                       named.instance->blamed(),
                                       read ? "it reads back differently" : problems.text()));
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

// Reseeds the generators: the states of a CUDA generator and of a CPU generator have nothing in
// common. Generators of the run's device are seeded by the run's seed and position, so that they
// draw the same after each such change.
void reseed_generators(const TrainingSession& session, const TensorsByName& states,
                       std::uint64_t episode) {
    const auto seed = static_cast<std::uint64_t>(*session.experiment.seed);
    const std::uint64_t key = derived(derived(seed, "another device"), episode);
    for (NamedGenerator& named : generators(session)) {
        named.name == kCpuGenerator ? named.restore(states) : named.seed(key);
    }
    session.log.warn(fmt::format(
        "the checkpoint was written {}, and the run continues on {}: weights, optimizer, statistics, "
        "samples and their order are exactly those of the checkpoint; components draw other random "
        "numbers, from generators that are seeded anew by the run's seed and episode {}; results "
        "differ in their last bits",
        session.executor.device().is_cpu() ? "on a CUDA device" : "on the CPU",
        session.executor.device().str(), episode));
}

// Returns the instances that draw the same random numbers in all processes: they see the same data.
std::set<std::string> drawing_together(const TrainingSession& session) {
    std::set<std::string> names;
    for (const std::shared_ptr<Instance>& task : session.components.tasks) {
        names.insert(kTaskPrefix + task->node().section);
        for (const Instance* transform : transform_stage(session.components, *task)) {
            names.insert(transform->node().name);
        }
    }
    return names;
}

constexpr const char* kBuffers = "buffers";  // if each process has its own buffers

TensorsByName buffers_of(const TrainingSession& session) {
    TensorsByName buffers;
    for (const std::shared_ptr<Instance>& node : session.components.nodes) {
        for (const NamedTensor& named : node->tensors()) {
            if (named.role != PTP_PARAMETER) {
                buffers.emplace_back(node->node().name + "/" + named.name, named.tensor.detach());
            }
        }
    }
    return buffers;
}

bool has_own_buffers(const TrainingSession& session) {
    return session.experiment.distributed.buffers == experiment::SharedBuffers::kOwn;
}

// Buffers missing in the checkpoint remain those of the first process.
void restore_own_buffers(const TrainingSession& session, const TensorsByName& saved) {
    const c10::AutoGradMode without_gradients(false);
    for (auto& [name, buffer] : buffers_of(session)) {
        const at::Tensor* const found = state_of(name, saved);
        if (found == nullptr) {
            continue;
        }
        if (found->sizes() != buffer.sizes()) {
            throw RunError(kDataError, fmt::format("the buffer '{}' of rank {} has another shape",
                                                   name, session.collective.rank()));
        }
        at::Tensor(buffer).copy_(*found);
    }
}

// Returns the parts of a saved state that differ between processes: "ranks/1/generators" and so on
// in the checkpoint.
SavedState own_state(const TrainingSession& session, const SavedState& saved) {
    SavedState own;
    for (const char* part : {run::kComponentsPart, "generators"}) {
        add_part(own, part, part_of(saved, part));
    }
    if (has_own_buffers(session)) {
        add_part(own, kBuffers, {{}, buffers_of(session)});
    }
    return own;
}

// Returns the state that this process saved, or else the first one's.
SavedState state_of_rank(const TrainingSession& session, const SavedState& saved) {
    const std::optional<SavedState> own = own_part(saved, session.collective);
    if (!own) {
        return saved;
    }
    SavedState made;
    for (const char* part : {"optimization", "statistics", run::kTrainerPart}) {
        add_part(made, part, part_of(saved, part));
    }
    for (const char* part : {run::kComponentsPart, "generators", kBuffers}) {
        if (own->record.find(part) != nullptr) {
            add_part(made, part, part_of(*own, part));
        }
    }
    return made;
}

// Returns the number of episodes after which the state was saved.
std::uint64_t episode_of(const SavedState& saved) {
    return run::trainer_record_from(part_of(saved, run::kTrainerPart).record).episodes_done;
}

// Continues in another number of processes than before: those after the first draw from newly
// seeded generators.
void reseed_for_world_size(const TrainingSession& session, const SavedState& saved) {
    const std::uint64_t before = rank_count(saved);
    const std::uint64_t now = session.collective.size();
    if (before == now) {
        return;
    }
    const std::uint64_t episode = episode_of(saved);
    const bool drops_buffers = has_own_buffers(session) && before > 1;
    draw_apart(session, episode);
    session.log.warn(fmt::format(
        "the checkpoint was written by {} process{}, and the run continues with {}: with the next "
        "sample of the epoch, and the same batches; what components draw at random differs after "
        "episode {}, and results in their last bits{}",
        before, before == 1 ? "" : "es", now, episode,
        drops_buffers ? "; all have the buffers of the first process" : ""));
}

// Warns if the checkpoint is from before each process saved its buffers, or from a run without own
// buffers.
void warn_of_missing_buffers(const TrainingSession& session, const SavedState& saved) {
    const std::uint64_t before = rank_count(saved);
    if (!has_own_buffers(session) || before == 1 || before != session.collective.size()) {
        return;
    }
    if (part_of_rank(saved, 1).record.find(kBuffers) == nullptr) {
        session.log.warn(
            "distributed.buffers = \"own\": the checkpoint has the buffers of the first process "
            "alone; all continue with them");
    }
}

}  // namespace

TensorsByName generator_states(const TrainingSession& session) {
    TensorsByName states;
    for (NamedGenerator& named : generators(session)) {
        states.emplace_back(named.name, named.state());
    }
    return states;
}

void restore_generators(const TrainingSession& session, const TensorsByName& states,
                        const std::string& but) {
    const std::string left = kTaskPrefix + but + "/";
    for (NamedGenerator& named : generators(session)) {
        if (!named.name.starts_with(left)) {
            named.restore(states);
        }
    }
}

EvaluationState evaluation_state(const TrainingSession& session) {
    return {generator_states(session), component_states(session.components)};
}

void restore_evaluation(const TrainingSession& session, const EvaluationState& before) {
    restore_generators(session, before.generators);
    restore_components(session.components, before.components);
}

void draw_apart(const TrainingSession& session, std::uint64_t episode) {
    session.collective.on_others([&] {
        const std::set<std::string> together = drawing_together(session);
        const auto seed = static_cast<std::uint64_t>(*session.experiment.seed);
        const std::uint64_t key =
            derived(derived(derived(seed, "rank"), session.collective.rank()), episode);
        for (NamedGenerator& named : generators(session)) {
            if (!together.contains(named.name.substr(0, named.name.rfind('/')))) {
                named.seed(key);
            }
        }
    });
}

SavedState save_session(TrainingSession& session) {
    SavedState saved;
    SavedState states = component_states(session.components);
    check_readable(session.components, states);
    add_part(saved, "optimization", session.optimization->save());
    add_part(saved, "statistics", session.statistics.save());
    add_part(saved, run::kComponentsPart, std::move(states));
    add_part(saved, kDataPart, {data_facts(session), {}});
    SavedState random{{}, generator_states(session)};
    if (!session.components.nodes.front()->draws_from_libtorch()) {
        random.record.set(kModulesDraw, kByComponent);
    }
    add_part(saved, "generators", std::move(random));
    add_ranks(saved, session.collective, "the gathering of states",
              [&] { return own_state(session, saved); });
    return saved;
}

// Restores the parts in this order, for each may change what a later one restores:
//   1. the data are compared before anything has changed;
//   2. the optimizer and the statistics, which run no component;
//   3. the components' states, while components may draw random numbers;
//   4. the buffers of this process, which a component may have changed in 3;
//   5. the generators, after everything that draws; then only their use by older modules is noted;
//   6. the generators of other ranks than the first again, if the number of processes has changed.
void restore_session(TrainingSession& session, const SavedState& whole) {
    if (whole.record.find(kDataPart) != nullptr) {
        require_same_data(session, part_of(whole, kDataPart).record);
    }
    const SavedState saved = state_of_rank(session, whole);
    session.optimization->restore(part_of(saved, "optimization"));
    session.statistics.restore(part_of(saved, "statistics"));
    restore_components(session.components, part_of(saved, run::kComponentsPart));
    if (has_own_buffers(session) && saved.record.find(kBuffers) != nullptr) {
        restore_own_buffers(session, part_of(saved, kBuffers).tensors);
    }
    const SavedState random = part_of(saved, "generators");
    const bool was_on_cpu = state_of(kDeviceGenerator, random.tensors) == nullptr;
    if (was_on_cpu == session.executor.device().is_cpu()) {
        restore_generators(session, random.tensors);
    } else {
        reseed_generators(session, random.tensors, episode_of(saved));
    }
    if (random.record.find(kModulesDraw) == nullptr) {
        for (const NamedInstance& named : instances(session.components)) {
            named.instance->draw_from_libtorch();
        }
    }
    warn_of_missing_buffers(session, whole);
    reseed_for_world_size(session, whole);
}

}  // namespace ptp::engine
