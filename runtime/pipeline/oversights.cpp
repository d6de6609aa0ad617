// Warns of what is allowed but probably a mistake: streams that no component reads, models that no
// loss trains, samples both in training and in validation (same_samples.cpp), sections that prepare
// samples differently, and an interval that no component has.

#include "pipeline/stages.hpp"

#include "base/number.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/assemble.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/suggestions.hpp"
#include "pipeline/table_rows.hpp"
#include "pipeline/task_data.hpp"
#include "pipeline/tried.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

using experiment::Experiment;
using experiment::Section;

// Streams ----------------------------------------------------------------------------------------

std::string names_text(const std::vector<std::string>& names) {
    return join(
        transformed(names, [](const std::string& name) { return fmt::format("'{}'", name); }),
        ", ");
}

// Follows streams from their readers to what writes them.
class StreamUse {
public:
    StreamUse(const Assembly& assembly, const std::vector<std::string>& read_elsewhere,
              Diagnostics& problems)
        : assembly_(assembly),
          problems_(problems),
          read_(read_elsewhere.begin(), read_elsewhere.end()) {
        for (const Draft& draft : assembly.components) {
            for (const Binding& input : draft.node.inputs) {
                if (input.stream >= 0) {
                    read_.insert(assembly.stream(input.stream).name);
                }
            }
            for (const Binding& output : draft.node.outputs) {
                if (draft.port(output).is_loss && output.stream >= 0) {
                    read_.insert(assembly.stream(output.stream).name);
                    minimized_.insert(&draft);
                    minimized_.merge(sources_of(assembly, draft));
                }
            }
        }
    }

    void warn() {
        for (const Draft& draft : assembly_.components) {
            const auto kind = draft.node.component->kind;
            if (kind != plugin::Kind::kModel && kind != plugin::Kind::kTransform) {
                continue;
            }
            if (!is_any_read(draft) && !publishes(draft)) {
                // `ptprun predict --stream` may show what is computed of a model's outputs.
                const bool is_for_training =
                    kind == plugin::Kind::kModel &&
                    (draft.runs_in("training") || !draft.runs_in("predict"));
                if (is_for_training || !is_behind_model(draft)) {
                    warn_unread(draft);
                }
            } else if (kind == plugin::Kind::kModel && !minimized_.contains(&draft) &&
                       !is_at_rest(draft)) {
                if (const Draft* const end = unread_end_of(draft)) {
                    warn_unread(*end);
                } else {
                    warn_untrained(draft);
                }
            }
        }
    }

private:
    [[nodiscard]] bool is_behind_model(const Draft& draft) const {
        return std::ranges::any_of(sources_of(assembly_, draft), [](const Draft* source) {
            return source->node.component->kind == plugin::Kind::kModel;
        });
    }

    // Texts are for people: `ptprun predict` shows them.
    [[nodiscard]] bool is_any_read(const Draft& draft) const {
        const auto is_read = [&](const Binding& output) {
            return plugin::is_text(draft.port(output).element) ||
                   (output.stream >= 0 && read_.contains(assembly_.stream(output.stream).name));
        };
        return draft.node.outputs.empty() || std::ranges::any_of(draft.node.outputs, is_read);
    }

    // Returns whether other components may take a size or a vocabulary from it.
    [[nodiscard]] static bool publishes(const Draft& draft) {
        return std::ranges::any_of(draft.node.component->globals, [&](const plugin::Global& one) {
            return one.is_written() &&
                   (!one.is_only_if_named() || draft.node.globals.contains(one.name));
        });
    }

    // Returns whether the component is frozen, or shares its instance with another component.
    [[nodiscard]] bool is_at_rest(const Draft& draft) const {
        return draft.node.is_frozen || !draft.node.share.empty() ||
               std::ranges::any_of(assembly_.components, [&](const Draft& other) {
                   return other.node.share == draft.node.name;
               });
    }

    // Returns the component that nothing reads, where all that a model writes ends in such; nullptr
    // where a statistic or another reader depends on the model, too.
    [[nodiscard]] const Draft* unread_end_of(const Draft& model) const {
        const Draft* end = nullptr;
        for (const Draft& draft : assembly_.components) {
            const auto kind = draft.node.component->kind;
            const bool is_between =
                kind == plugin::Kind::kModel || kind == plugin::Kind::kTransform;
            const bool is_unread = is_between && !is_any_read(draft);
            if ((is_unread || !is_between || publishes(draft)) &&
                sources_of(assembly_, draft).contains(&model)) {
                if (!is_unread) {
                    return nullptr;
                }
                end = &draft;
            }
        }
        return end;
    }

    void warn_unread(const Draft& draft) {
        if (!warned_.insert(&draft).second) {
            return;
        }
        std::vector<std::string> names;
        for (const Binding& output : draft.node.outputs) {
            if (!output.wire.stream.empty()) {
                names.push_back(output.wire.stream);
            }
        }
        if (!draft.node.tried_in.empty()) {
            warn_of_unread_try(assembly_, draft.node, names_text(names), problems_);
            return;
        }
        pipeline::warn(draft.node,
                       Explanation{fmt::format("nothing reads {}, so that {} has no effect",
                                               names_text(names), draft.node.component->name),
                                   fix_of_unread(draft, names)},
                       problems_);
    }

    // Behind a transform that keeps the shape, what reads its input may be meant to read its
    // output. Of several such transforms each is read by the next, so that there is no cycle.
    [[nodiscard]] std::string fix_of_unread(const Draft& draft,
                                            const std::vector<std::string>& names) const {
        const std::string rest = fmt::format("set {}.enabled = false", draft.node.path);
        const std::string general =
            "name the stream in a component that should read it, or " + rest;
        if (draft.node.inputs.size() != 1) {
            return general;
        }
        const Binding& input = draft.node.inputs.front();
        const Binding& output = draft.node.outputs.front();
        const bool keeps_shape = draft.node.component->kind == plugin::Kind::kTransform &&
                                 names.size() == 1 && input.shape.size() == output.shape.size() &&
                                 (draft.port(input).shape == draft.port(output).shape ||
                                  draft.port(output).meaning == input.name) &&
                                 draft.port(input).element == draft.port(output).element;
        std::string before;  // in a reader in front of it
        bool is_behind = false;
        for (const Draft& other : assembly_.components) {
            is_behind = is_behind || &other == &draft;
            for (const Binding& read : other.node.inputs) {
                if (keeps_shape && &other != &draft && read.stream >= 0 &&
                    read.stream == input.stream && other.port(read).streams_setting.empty()) {
                    const std::string fix =
                        fmt::format("write streams = {{ {} = \"{}\" }} in {}, or {}",
                                    toml_key(read.name), names.front(), other.node.path, rest);
                    if (is_behind) {
                        return fix;
                    }
                    before = before.empty() && is_any_read(other) ? fix : before;
                }
            }
        }
        return before.empty() ? general : before;
    }

    [[nodiscard]] std::string fix_of_untrained(const Draft& draft) const {
        const std::string freeze = "set " + draft.node.path + ".freeze = true";
        return begins_at_random(assembly_, draft)
                   ? fmt::format("{} and {}.load = \"RUN\", a run that has trained it", freeze,
                                 draft.node.path)
                   : freeze;
    }

    void warn_untrained(const Draft& draft) {
        const bool is_only = std::ranges::none_of(assembly_.components, [&](const Draft& other) {
            return &other != &draft && other.node.component->kind == plugin::Kind::kModel;
        });
        pipeline::warn(draft.node,
                       Explanation{fmt::format("no loss depends on {}, so that it is not trained",
                                               draft.node.component->name),
                                   "add a loss that reads what it writes" +
                                       (is_only ? "" : ", or " + fix_of_untrained(draft))},
                       problems_);
    }

    const Assembly& assembly_;
    Diagnostics& problems_;
    std::set<std::string> read_;        // streams
    std::set<const Draft*> minimized_;  // components that a loss depends on
    std::set<const Draft*> warned_;     // that nothing reads
};

// Samples ----------------------------------------------------------------------------------------

// Returns where to write which of two values of a setting: that of the training in the other
// section, unless it names a column that the training's table lacks, or that another setting there
// names as a target.
std::string fix_of_preparation(const Assembly& assembly, const Node& other, std::size_t setting) {
    const Node& training = assembly.tasks.front().node;
    const auto names = [&](const Node& node) {
        const std::optional<Value>& value = node.settings[setting];
        return strings_in(value ? &*value : nullptr);
    };
    const auto lacks = [&](const Node& node) {
        const Section* section = experiment::find_section(*assembly.experiment, node.section);
        return !absent_columns(*section, names(node), *assembly.catalog).empty();
    };
    const auto repeats = [&](const Node& node) {
        const auto& declared = node.component->settings;
        const std::vector<std::string> columns = names(node);
        for (std::size_t i = 0; i < declared.size(); ++i) {
            const bool is_target = declared[i].purpose == plugin::Purpose::kLabelColumn ||
                                   declared[i].purpose == plugin::Purpose::kValueColumns;
            if (i != setting && is_target && node.settings[i] &&
                std::ranges::any_of(strings_in(&*node.settings[i]), [&](const std::string& name) {
                    return contains(columns, name);
                })) {
                return true;
            }
        }
        return false;
    };
    const auto is_wrong = [&](const Node& node) { return lacks(node) || repeats(node); };
    const bool is_other_right = is_wrong(training) && !names(other).empty() && !is_wrong(other);
    const Node& right = is_other_right ? other : training;
    const Node& wrong = is_other_right ? training : other;
    const std::string name = toml_key(training.component->settings[setting].name);
    if (const std::string set =
            right.settings[setting]
                ? set_as_well(schema::below(wrong.path, name), *right.settings[setting])
                : "";
        !set.empty()) {
        return set;
    }
    return right.settings[setting] ? fmt::format("write {} = {} in {}", name,
                                                 inline_toml(*right.settings[setting]), wrong.path)
                                   : fmt::format("leave {} out of {}", name, wrong.path);
}

// Returns whether the setting names all columns: which these are, the training's table decides.
bool names_all(const Node& task, std::size_t setting) {
    const std::optional<Value>& value = task.settings[setting];
    return strings_in(value ? &*value : nullptr) == std::vector<std::string>{"*"};
}

void warn_of_preparations(const Assembly& assembly, const Node& other, Diagnostics& problems) {
    const Node& training = assembly.tasks.front().node;
    const auto& declared = training.component->settings;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (!declared[i].is_preparation || training.settings[i] == other.settings[i] ||
            names_all(training, i) || names_all(other, i)) {
            continue;
        }
        const auto text = [&](const Node& node) {
            return node.settings[i] ? inline_toml(*node.settings[i]) : "not set";
        };
        problems.warning(
            other.place, fmt::format("{}.{}", other.path, toml_key(declared[i].name)),
            Explanation{fmt::format("{}, but {} in [{}]: the model sees other inputs than it is "
                                    "trained with",
                                    text(other), text(training), training.section),
                        fix_of_preparation(assembly, other, i)});
    }
}

// With --overfit both sections are one, on purpose.
void warn_of_sections(const Assembly& assembly, Diagnostics& problems) {
    const Experiment& experiment = *assembly.experiment;
    const Node& training = assembly.tasks.front().node;
    const std::vector<const Section*> sections = experiment::run_sections(experiment);
    std::vector<const Section*> others = sections;  // without samples of the training
    for (const Section* section : sections) {
        const Draft* const task = assembly.task_of(section->name);
        const bool is_another = section->place != experiment.training.place &&
                                section->name != experiment.training.name && task != nullptr &&
                                task->is_sound;
        if (!is_another || has_other_scales(assembly, task->node, problems) ||
            task->node.component != training.component) {
            continue;
        }
        warn_of_preparations(assembly, task->node, problems);
        warn_of_division(assembly, *section, task->node, problems);
        warn_of_unused_rule(training, *section, task->node, problems);
        if (const auto lost =
                lost_share(experiment.training, *section, task->node, *assembly.catalog)) {
            warn(task->node, *lost, problems);
        }
        if (warn_of_samples(assembly, experiment.training, *section, problems)) {
            std::erase(others, section);
        }
    }
    warn_of_tests(assembly, others, problems);
}

void warn_of_interval(const Assembly& assembly, Diagnostics& problems) {
    const Experiment& experiment = *assembly.experiment;
    const std::optional<Value>& interval = experiment.pipeline.interval;
    bool is_used = std::ranges::any_of(assembly.components, [](const Draft& draft) {
        return has_interval(*draft.node.component);
    });
    experiment.records.for_each([&](const auto&) { is_used = true; });
    if (interval && !is_used) {
        problems.warning(interval->place(), "interval",
                         Explanation{"no component has a setting 'interval', and there are no "
                                     "records, so that it has no effect",
                                     "remove it, or add a viewer or [records.tensorboard]"});
    }
}

}  // namespace

std::vector<std::string> streams_read_elsewhere(const Experiment& experiment,
                                                const std::vector<Draft>& unfed) {
    std::vector<std::string> names;
    for (const Section* section : experiment::all_sections(experiment)) {
        if (!section->sampler) {
            continue;
        }
        if (const auto* classes = section->sampler->get<experiment::Classes>()) {
            names.push_back(classes->label_stream);
        } else if (const auto* groups = section->sampler->get<experiment::KFoldGroupSampler>()) {
            names.push_back(groups->group_stream);
        } else if (const auto* lengths = section->sampler->get<experiment::Lengths>()) {
            names.push_back(lengths->length_stream);
        }
    }
    std::ranges::move(recorded_streams(experiment.records), std::back_inserter(names));
    for (const Draft& draft : unfed) {
        for (const Binding& input : draft.node.inputs) {
            names.push_back(input.wire.stream);
        }
    }
    return names;
}

void warn_of_oversights(const Assembly& assembly, const std::vector<std::string>& read_elsewhere,
                        Diagnostics& problems) {
    const auto is_error = [](const Problem& problem) {
        return problem.severity == Severity::kError && !problem.is_missing_data;
    };
    if (!assembly.is_complete || std::ranges::any_of(problems.reported(), is_error)) {
        return;
    }
    StreamUse(assembly, read_elsewhere, problems).warn();
    warn_of_interval(assembly, problems);
    warn_of_scores(assembly, problems);
    warn_of_freezing(assembly, problems);
    if (!assembly.tasks.empty()) {
        warn_of_sections(assembly, problems);
        warn_of_scales_of_all(assembly, problems);
    }
}

}  // namespace ptp::pipeline
