// Lists the keys that a resume may change, and the reasons against all others.

#include "experiment/resumable.hpp"

#include "experiment/fields.hpp"
#include "experiment/load/override.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace ptp::experiment {

namespace {

// Copies an option of the optimizer, and of each component with its own options.
void copy_option(const Training& from, Training& to,
                 void (*copy)(const optimizer::Any&, optimizer::Any&)) {
    copy(from.optimizer, to.optimizer);
    for (ParameterGroup& group : to.groups) {
        const auto other =
            std::ranges::find(from.groups, group.component, &ParameterGroup::component);
        if (other != from.groups.end()) {
            copy(other->options, group.options);
        }
    }
}

void copy_rates(const Training& from, Training& to) {
    copy_option(from, to, [](const optimizer::Any& one, optimizer::Any& other) {
        optimizer::lr_of(other) = optimizer::lr_of(one);
    });
}

void copy_fused(const Training& from, Training& to) {
    copy_option(from, to, [](const optimizer::Any& one, optimizer::Any& other) {
        optimizer::set_fused(other, optimizer::fused_of(one));
    });
}

constexpr ResumableKey kResumable[] = {
    {"training.terminal_conditions", "when the training ends",
     [](const Training& from, Training& to) { to.terminal_conditions = from.terminal_conditions; }},
    {"training.optimizer.lr", "the learning rate", copy_rates},
    {"training.optimizer.groups.*.lr", "the rate of a component with options of its own",
     copy_rates},
    {"training.optimizer.groups.*.fused", "how steps of a component with its own are computed",
     copy_fused},
    {"training.optimizer.fused", "how steps of the optimizer are computed", copy_fused},
    {"training.scheduler", "how the learning rate changes: a whole table, if its type does",
     [](const Training& from, Training& to) { to.scheduler = from.scheduler; }},
    {"training.warm_up", "how it begins",
     [](const Training& from, Training& to) { to.warm_up = from.warm_up; }},
    {"training.gradient_clipping", "the limit of gradients",
     [](const Training& from, Training& to) { to.gradient_clipping = from.gradient_clipping; }},
    {"training.on_bad_loss", "what follows a loss that is not finite",
     [](const Training& from, Training& to) { to.bad_loss = from.bad_loss; }},
    {"training.dataloader.num_workers", "loader threads", nullptr},
    {"training.dataloader.prefetch", "number of batches loaded ahead", nullptr},
    {"validation.dataloader.num_workers", "loader threads of the validation", nullptr},
    {"validation.dataloader.prefetch", "number of batches loaded ahead there", nullptr},
    {"validation.*.dataloader.num_workers", "loader threads of one validation set", nullptr},
    {"validation.*.dataloader.prefetch", "number of batches loaded ahead there", nullptr},
    {"test.dataloader.num_workers", "loader threads of the test", nullptr},
    {"test.dataloader.prefetch", "number of batches loaded ahead there", nullptr},
    {"device", "where the run computes; --device NAME is the same", nullptr},
    {"records", "what is recorded besides the CSV files", nullptr},
    {"report", "the report that a run writes of itself", nullptr},
    {"checkpoint", "when checkpoints are written, and how many are kept", nullptr},
    {"swap", "which plugins may be swapped, and how a swap is tried", nullptr},
    {"distributed", "how several processes train together: some of its keys change results",
     nullptr},
    {"process", "sections that no training uses", nullptr},
    {"search", "what `ptprun search` tries", nullptr},
};

struct Reason {
    std::string_view key;  // includes all keys below it
    std::string_view why;
};

// The reasons; the first match applies.
constexpr Reason kReasons[] = {
    {"name", "it is the name of the run"},
    {"seed", "what has been drawn at random so far came from it"},
    {"plugins", "a run uses the plugins in its folder; --plugins DIR uses other builds"},
    {"training.optimizer", "the state of the optimizer was made with it"},
    {"training.accumulate", "the state of the optimizer was made with it"},
    {"training.weight_average", "the average was made with it"},
    {"training.precision", "the numbers so far were computed with it"},
    {"training.loss_weights", "it defines what is minimized, and the meaning of the losses so far"},
    {"training.judge", "what was best so far was judged by it"},
    {"training.worker", "episodes are counted and judged by it"},
    {"training", "which samples an episode sees follows from it"},
    {"validation", "the losses before and after could not be compared"},
    {"test", "the results of two tests could not be compared"},
    {"pipeline",
     "the weights and the state in the checkpoint belong to this pipeline; `ptprun swap` exchanges "
     "a plugin"},
};

// Returns whether the pattern covers the key, as "training.scheduler" does
// "training.scheduler.gamma".
bool covers(std::string_view pattern, std::string_view key) {
    while (!pattern.empty()) {
        const std::string_view wanted = pattern.substr(0, pattern.find('.'));
        const std::string_view part = key.substr(0, key.find('.'));
        if (key.empty() || (wanted != "*" && wanted != part)) {
            return false;
        }
        pattern.remove_prefix(std::min(pattern.size(), wanted.size() + 1));
        key.remove_prefix(std::min(key.size(), part.size() + 1));
    }
    return true;
}

// Returns whether a table that has the key is of another type, whose settings are others.
bool follows_from_type(const std::string& key, const std::vector<std::string>& keys) {
    return std::ranges::any_of(keys, [&](const std::string& other) {
        constexpr std::string_view kType = ".type";
        return other.ends_with(kType) && other != key &&
               key.starts_with(other.substr(0, other.size() - kType.size() + 1));
    });
}

}  // namespace

std::span<const ResumableKey> resumable_keys() {
    return kResumable;
}

bool is_resumable(const std::string& key) {
    return std::ranges::any_of(kResumable,
                               [&](const ResumableKey& one) { return covers(one.key, key); });
}

void copy_resumable(const Training& from, Training& to) {
    for (const ResumableKey& one : kResumable) {
        if (one.copy != nullptr) {
            one.copy(from, to);
        }
    }
}

const Value* value_at(const Value& tree, const std::string& key) {
    const Value* value = &tree;
    const auto path = read_key_path(key);
    for (std::size_t i = 0; path && value != nullptr && i < path->size(); ++i) {
        value = value->find((*path)[i]);
    }
    return path ? value : nullptr;
}

std::vector<std::string> differing_keys(const Experiment& left, const Experiment& right) {
    const auto before = schema::flat(resolved_tree(left));
    std::map<std::string, Value> gone(before.begin(), before.end());
    std::vector<std::string> keys;
    for (const auto& [key, value] : schema::flat(resolved_tree(right))) {
        const auto same = gone.find(key);
        if (same == gone.end() || !(same->second == value)) {
            keys.push_back(key);
        }
        if (same != gone.end()) {
            gone.erase(same);
        }
    }
    for (const auto& [key, value] : before) {
        if (gone.contains(key)) {
            keys.push_back(key);
        }
    }
    return keys;
}

void refuse_changes(const std::vector<std::string>& keys, const Explanation& other,
                    Diagnostics& problems) {
    std::vector<std::string> told = keys;
    std::erase_if(told, [&](const std::string& key) { return follows_from_type(key, keys); });
    for (const std::string& key : told) {
        const auto* const reason =
            std::ranges::find_if(kReasons, [&](const Reason& one) { return covers(one.key, key); });
        const bool has_other = key == told.back() && !other.fix.empty();
        problems.error(
            SourceLocation("--set", 0, 0), key,
            Explanation{
                fmt::format("resume cannot change it: {}{}",
                            reason == std::end(kReasons) ? "the run began with it" : reason->why,
                            has_other ? "; " + other.reason : ""),
                has_other ? other.fix : ""});
    }
}

}  // namespace ptp::experiment
