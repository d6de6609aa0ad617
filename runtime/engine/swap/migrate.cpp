// The transfer of tensors, state and generators from an old component to a new one.

#include "base/text.hpp"
#include "engine/swap/candidate.hpp"
#include "engine/swap/swap_error.hpp"

#include <ptp/ext/parameters.h>

#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <map>
#include <mutex>

namespace ptp::engine {

namespace {

using Notes = std::vector<std::string>;

std::string shape_of(const NamedTensor& named) {
    return fmt::format("[{}]{}", join(named.tensor.sizes(), ", "),
                       named.role == PTP_BUFFER ? " (a buffer)" : "");
}

bool are_alike(const NamedTensor& left, const NamedTensor& right) {
    return left.role == right.role && left.tensor.sizes() == right.tensor.sizes() &&
           left.tensor.scalar_type() == right.tensor.scalar_type();
}

// The differences between an old and a new component.
struct Unlike {
    Notes lost;     // only the old one has it
    Notes changed;  // both have it, with different shapes
    Notes fresh;    // only the new one has it
};

Unlike copy_alike(std::vector<NamedTensor>& from, std::vector<NamedTensor>& to) {
    const c10::AutoGradMode without_gradients(false);
    Unlike unlike;
    std::map<std::string, NamedTensor*> by_name;
    for (NamedTensor& named : to) {
        by_name.emplace(named.name, &named);
    }
    for (NamedTensor& old : from) {
        const auto place = by_name.find(old.name);
        if (place == by_name.end()) {
            unlike.lost.push_back(fmt::format("'{}' {} has vanished", old.name, shape_of(old)));
            continue;
        }
        NamedTensor& target = *place->second;
        by_name.erase(place);
        if (are_alike(old, target)) {
            target.tensor.copy_(old.tensor.detach());
        } else {
            const bool has_other_type = old.tensor.scalar_type() != target.tensor.scalar_type();
            const auto text = [&](const NamedTensor& named) {
                return (has_other_type ? std::string(c10::toString(named.tensor.scalar_type()))
                                       : "") +
                       shape_of(named);
            };
            unlike.changed.push_back(
                fmt::format("'{}' was {}, is {}", old.name, text(old), text(target)));
        }
    }
    for (const NamedTensor& named : to) {
        if (by_name.contains(named.name)) {
            unlike.fresh.push_back(fmt::format("'{}' {} is new", named.name, shape_of(named)));
        }
    }
    return unlike;
}

[[noreturn]] void refuse_state(const Instance& instance, const Notes& problems,
                               const std::string& fix) {
    const std::string reason = fmt::format("{}: {}", instance.title(), join(problems, "\n    "));
    throw SwapError(SwapPhase::kMigrate, {reason, fix});
}

void migrate_tensors(Instance& from, Instance& to, bool must_keep_numbers, Notes& notes) {
    std::vector<NamedTensor> old = from.tensors();
    std::vector<NamedTensor> now = to.tensors();
    const Unlike unlike = copy_alike(old, now);
    Notes all = unlike.lost;
    all.insert(all.end(), unlike.changed.begin(), unlike.changed.end());
    const bool needs_converter = !all.empty();
    all.insert(all.end(), unlike.fresh.begin(), unlike.fresh.end());
    if (all.empty()) {
        return;
    }
    if (must_keep_numbers) {
        all.emplace_back("swap.numbers = \"same\" does not allow that");
        refuse_state(to, all, kMayChangeFix);
    }
    if (to.can_migrate()) {
        to.migrate(old);
    } else if (needs_converter) {
        refuse_state(to, all, "give the component migrate(), which converts them");
    }
    for (const std::string& note : all) {
        notes.push_back(fmt::format("{}: {}", to.title(), note));
    }
}

void migrate_state(Instance& from, Instance& to) {
    const std::optional<Instance::State> state = running_state(from);
    if (!state) {
        return;
    }
    if (!to.can_import(*state)) {
        refuse_state(to, {"it cannot read the state of the running build"},
                     fmt::format("give it import_state(), and a state_version of at least {}",
                                 state->version));
    }
    to.import_state(*state);
}

void migrate_generators(Instance& from, Instance& to) {
    std::vector<at::Generator> sources = from.generators();
    std::vector<at::Generator> targets = to.generators();
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::scoped_lock lock(sources[i].mutex(), targets[i].mutex());
        targets[i].set_state(sources[i].get_state());
    }
    if (from.draws_from_libtorch()) {
        to.draw_from_libtorch();
    }
}

}  // namespace

std::optional<Instance::State> running_state(Instance& from) {
    return in_phase(
        SwapPhase::kMigrate, [&] { return from.export_state(); }, RefusedFor::kNow);
}

std::vector<std::string> migrate(TrainingSession& session, Candidate& candidate) {
    return in_phase(SwapPhase::kMigrate, [&] {
        Notes notes;
        const auto move = [&](const std::vector<std::shared_ptr<Instance>>& from,
                              const std::vector<std::shared_ptr<Instance>>& to) {
            for (std::size_t i = 0; i < from.size(); ++i) {
                if (from[i] != to[i]) {
                    migrate_tensors(*from[i], *to[i], session.experiment.swap.must_keep_numbers,
                                    notes);
                    migrate_state(*from[i], *to[i]);
                    migrate_generators(*from[i], *to[i]);
                    if (to[i]->node().frozen_until) {
                        to[i]->set_frozen(from[i]->is_frozen());
                    }
                    to[i]->set_training(true);
                }
            }
        };
        move(session.components.tasks, candidate.components.tasks);
        move(session.components.nodes, candidate.components.nodes);
        return notes;
    });
}

void migrate_optimization(TrainingSession& session, Candidate& candidate) {
    in_phase(SwapPhase::kMigrate, [&] {
        bool has_new_tensors = false;
        for (std::size_t i = 0; i < candidate.components.nodes.size(); ++i) {
            const auto& old = session.components.nodes[i];
            const auto& now = candidate.components.nodes[i];
            has_new_tensors = has_new_tensors ||
                              (old != now && !(old->tensors().empty() && now->tensors().empty()));
        }
        if (has_new_tensors) {
            candidate.optimization = make_optimization(session, candidate.components);
            candidate.optimization->rebind(*session.optimization);
        }
    });
}

}  // namespace ptp::engine
