// Warns of weights of a run that was trained with images, or other numbers, of another scale: its
// task normalized them otherwise, or did not; or with rows that are measured here, because it
// divided the same file otherwise.

#include "base/error.hpp"
#include "base/file_error.hpp"
#include "base/ranges.hpp"
#include "base/toml_writer.hpp"
#include "bundle/bundle.hpp"
#include "experiment/load/load.hpp"
#include "experiment/weights_file.hpp"
#include "host/prepare.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/table_rows.hpp"
#include "run/paths.hpp"
#include "schema/check_value.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

constexpr const char* kValues = "values";  // the meaning of numbers of any scale

// Returns the resolved experiment of the run, checkpoint or bundle that weights are taken from;
// nullopt for weights alone, and for what cannot be read, which the training reports.
std::optional<Value> experiment_of(const fs::path& from) {
    Diagnostics ignored;
    try {
        if (experiment::is_bundle(from)) {
            return experiment::load_experiment(
                {.file = from / run::kExperimentFile,
                 .text = bundle::BundleFile(from).read(run::kExperimentFile)},
                ignored);
        }
        std::error_code error;
        fs::path folder = fs::absolute(from, error).lexically_normal();
        constexpr int kDepth = 4;  // RUN/checkpoints/best/weights.safetensors
        for (int depth = 0; depth < kDepth; ++depth, folder = folder.parent_path()) {
            if (fs::exists(folder / run::kExperimentFile, error) &&
                (depth == 0 || fs::exists(folder / experiment::kCheckpointsFolder, error))) {
                return experiment::load_experiment({.file = folder / run::kExperimentFile},
                                                   ignored);
            }
        }
    } catch (const RunError&) {
        return std::nullopt;
    } catch (const FileError&) {
        return std::nullopt;
    }
    return std::nullopt;
}

const Value* at(const Value* table, const std::string& key) {
    return table != nullptr && table->is_table() ? table->find(key) : nullptr;
}

// Returns whether a component scales what it reads, with any settings.
bool scales(const plugin::Component& component) {
    return component.kind == plugin::Kind::kTransform &&
           std::ranges::any_of(component.ports, [](const plugin::Port& port) {
               return port.direction == plugin::Direction::kOutput && port.meaning == kValues;
           });
}

// The transforms that bring images to their scale besides the task, by `mean` and `std`.
struct ScalingTransforms {
    std::size_t count = 0;
    std::string path = {};
    std::optional<Value> values = {};  // { mean, std } of the last one, if it has both
};

template <class Find>
void add_scaling(ScalingTransforms& all, const std::string& path, Find find) {
    const Value* const mean = find("mean");
    const Value* const deviation = find("std");
    const auto is_given = [](const Value* value) {
        return value != nullptr && !(value->is_list() && value->items().empty());
    };
    ++all.count;
    all.path = path;
    all.values.reset();
    if (is_given(mean) && is_given(deviation)) {
        all.values = Value::table({{"mean", *mean}, {"std", *deviation}});
    }
}

ScalingTransforms scaling_in(const Value& tree, const plugin::Catalog& catalog) {
    ScalingTransforms all;
    const Value* const pipeline = at(&tree, "pipeline");
    if (pipeline == nullptr || !pipeline->is_table()) {
        return all;
    }
    for (const Member& member : pipeline->members()) {
        const Value* const type = at(&member.value, "type");
        const auto found = type != nullptr && type->is_string() ? catalog.find(type->as_string())
                                                                : std::vector<plugin::Found>();
        if (std::ranges::any_of(found, [](const auto& one) { return scales(*one.component); })) {
            add_scaling(all, member.key, [&](const char* key) { return member.value.find(key); });
        }
    }
    return all;
}

ScalingTransforms scaling_in(const pipeline::Plan& plan) {
    ScalingTransforms all;
    for (const pipeline::Node& node : plan.nodes) {
        if (!scales(*node.component)) {
            continue;
        }
        add_scaling(all, node.path, [&](const char* key) -> const Value* {
            for (std::size_t i = 0; i < node.settings.size(); ++i) {
                if (node.component->settings[i].name == key && node.settings[i]) {
                    return &*node.settings[i];
                }
            }
            return nullptr;
        });
    }
    return all;
}

// A setting of a task that decides the scale of a stream, such as `normalize`.
struct ScaleSetting {
    std::size_t number = 0;
    int stream = -1;
};

std::vector<ScaleSetting> scale_settings(const pipeline::Node& task) {
    std::vector<ScaleSetting> found;
    for (const pipeline::Binding& output : task.outputs) {
        for (const auto& clause : pipeline::parse_meaning(task.port(output).meaning)) {
            for (std::size_t i = 0; i < task.settings.size(); ++i) {
                const plugin::Setting& setting = task.component->settings[i];
                const bool is_condition = std::ranges::any_of(
                    clause.condition.terms,
                    [&](const pipeline::Term& term) { return term.setting == setting.name; });
                if (setting.is_preparation && is_condition && output.stream >= 0) {
                    found.push_back({i, output.stream});
                }
            }
        }
    }
    return found;
}

// Returns the models that compute something of a stream.
std::set<std::string> models_behind(const pipeline::Plan& plan, int stream) {
    std::set<int> streams = {stream};
    std::set<std::string> models;
    for (const pipeline::Node& node : plan.nodes) {
        if (std::ranges::none_of(node.inputs, [&](const pipeline::Binding& input) {
                return streams.contains(input.stream);
            })) {
            continue;
        }
        for (const pipeline::Binding& output : node.outputs) {
            streams.insert(output.stream);
        }
        streams.erase(-1);  // of ports without one
        if (node.component->kind == plugin::Kind::kModel) {
            models.insert(node.name);
        }
    }
    return models;
}

// One number is that of each channel, and 1 is 1.0.
bool is_same(const Value& one, const Value& other) {
    const auto items = [](const Value& value) {
        return value.is_list() ? std::vector<Value>(value.items().begin(), value.items().end())
                               : std::vector<Value>{value};
    };
    if (one.is_table() && other.is_table()) {
        return one.members().size() == other.members().size() &&
               std::ranges::all_of(one.members(), [&](const Member& member) {
                   const Value* const its = other.find(member.key);
                   return its != nullptr && is_same(member.value, *its);
               });
    }
    if (one.is_number() && other.is_number()) {
        return one.as_real() == other.as_real();
    }
    if (!one.is_list() && !other.is_list()) {
        return one == other;
    }
    const auto first = items(one);
    const auto second = items(other);
    const std::size_t count = std::max(first.size(), second.size());
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_there =
            (first.size() == 1 || i < first.size()) && (second.size() == 1 || i < second.size());
        if (!is_there ||
            !is_same(first[first.size() == 1 ? 0 : i], second[second.size() == 1 ? 0 : i])) {
            return false;
        }
    }
    return true;
}

// Compares the scales of one `load` with those of the training.
class Comparison {
public:
    Comparison(const Prepared& prepared, Diagnostics& problems)
        : prepared_(prepared), task_(prepared.plan->tasks.front()), problems_(problems) {}

    void compare(const experiment::Load& load, const std::string& path,
                 const std::vector<std::string>& models) {
        const std::vector<ScaleSetting> settings = scale_settings(task_);
        const std::optional<Value> other =
            reported_.contains(load.from.string()) ? std::nullopt : experiment_of(load.from);
        const Value* const its_task = other ? at(at(&*other, "training"), "task") : nullptr;
        if (its_task == nullptr) {
            return;
        }
        for (const pipeline::Node& task : prepared_.plan->tasks) {
            if (task.section != task_.section) {
                compare_division(task, load, path, *its_task);
            }
        }
        const ScalingTransforms its = scaling_in(*other, prepared_.catalog);
        const ScalingTransforms own = scaling_in(*prepared_.plan);
        for (const ScaleSetting& setting : settings) {
            const std::set<std::string> behind = models_behind(*prepared_.plan, setting.stream);
            const bool is_loaded = std::ranges::any_of(
                models, [&](const auto& name) { return behind.contains(name); });
            if (is_loaded && own.count + its.count == 0) {
                compare(setting.number, load, path, *its_task);
            } else if (is_loaded) {
                compare_transforms({setting.number, *its_task}, own, its, {load, path});
            }
        }
    }

private:
    void compare(std::size_t number, const experiment::Load& load, const std::string& path,
                 const Value& its_task) {
        const std::string name = toml_key(task_.component->settings[number].name);
        const std::optional<Value>& own = task_.settings[number];
        const Value* const its = its_task.find(task_.component->settings[number].name);
        if (!is_comparable(its_task, name) || (!own && its == nullptr) ||
            (own && its != nullptr && is_same(*own, *its)) ||
            !reported_.insert(load.from.string()).second) {
            return;
        }
        const auto text = [](const Value* value) {
            return value == nullptr ? "not set" : inline_toml(*value);
        };
        problems_.warning(
            own && own->place() != SourceLocation() ? own->place() : task_.place,
            schema::below(task_.path, name),
            Explanation{
                fmt::format("{}, but {} in the training of the weights that {}.load takes from {}: "
                            "they see other inputs than they are trained with",
                            text(own ? &*own : nullptr), text(its), path, load.written),
                its == nullptr ? fmt::format("leave {} out of {}", name, task_.path)
                : own && own->place().file() == kCommandLine
                    ? schema::typed_value(own->place(), schema::below(task_.path, name),
                                          inline_toml(*its))
                    : fmt::format("write {} = {} in {}", name, inline_toml(*its), task_.path)});
    }

    // Compares how the other training and the task of another section divide the same file.
    void compare_division(const pipeline::Node& task, const experiment::Load& load,
                          const std::string& path, const Value& its_task) {
        const auto& declared = task.component->settings;
        bool has_file = false;
        for (std::size_t i = 0; i < declared.size(); ++i) {
            const Value* const its = its_task.find(declared[i].name);
            has_file = has_file || (pipeline::is_source(declared[i]) && its != nullptr &&
                                    task.settings[i] == *its);
            const bool divides = declared[i].type == plugin::SettingType::kTable &&
                                 find_named(declared[i].members, "shares") != nullptr;
            if (!divides || !task.settings[i] || !has_file ||
                !is_comparable(its_task, declared[i].name) ||
                (its != nullptr && is_same(*task.settings[i], *its)) ||
                !divided_.insert(load.from.string() + task.section).second) {
                continue;
            }
            const std::string name = toml_key(declared[i].name);
            const auto written = [&](const Value& value) {
                return pipeline::written_table(declared[i], value);
            };
            problems_.warning(
                task.place, task.path,
                Explanation{
                    fmt::format("the weights that {}.load takes from {} are trained on {}, so that "
                                "what is measured here says little about new data",
                                path, load.written,
                                its == nullptr ? "all rows of the file"
                                               : "rows of the file by another division, " + name +
                                                     " = " + written(*its)),
                    its == nullptr ? "read other data, or load a run that has divided them as here"
                                   : fmt::format("write {} = {} in the task of each section", name,
                                                 written(*its))});
        }
    }

    struct Tasks {
        std::size_t number;  // of the setting that scales
        const Value& its;
    };

    struct Source {
        const experiment::Load& load;
        const std::string& path;
    };

    // Compares the scales where a transform makes one of them.
    void compare_transforms(const Tasks& tasks, const ScalingTransforms& own,
                            const ScalingTransforms& its, const Source& source) {
        const std::string name = toml_key(task_.component->settings[tasks.number].name);
        const std::optional<Value>& set = task_.settings[tasks.number];
        const Value* const its_set = tasks.its.find(name);
        const bool is_known = own.count + (set ? 1 : 0) == 1 &&
                              its.count + (its_set != nullptr ? 1 : 0) == 1 &&
                              is_comparable(tasks.its, name) && (own.count == 0 || own.values) &&
                              (its.count == 0 || its.values);
        if (!is_known) {
            return;
        }
        const Value& here = set ? *set : *own.values;
        const Value& there = its_set != nullptr ? *its_set : *its.values;
        if (is_same(here, there) || !reported_.insert(source.load.from.string()).second) {
            return;
        }
        const std::string of = set ? schema::below(task_.path, name) : own.path;
        problems_.warning(
            here.place() != SourceLocation() ? here.place() : task_.place, of,
            Explanation{
                fmt::format("{}, but {} in the training of the weights that {}.load takes from {}: "
                            "they see other inputs than they are trained with",
                            inline_toml(here), inline_toml(there), source.path,
                            source.load.written),
                fmt::format("write the mean and std of that training in {}", of)});
    }

    // Returns whether the other's task has the setting, too, so that a value that is not there
    // means that it does not scale.
    bool is_comparable(const Value& its_task, const std::string& name) const {
        const Value* const type = its_task.find("type");
        if (type == nullptr || !type->is_string()) {
            return false;
        }
        return std::ranges::any_of(
            prepared_.catalog.find(type->as_string()), [&](const auto& found) {
                return find_named(found.component->settings, name) != nullptr;
            });
    }

    const Prepared& prepared_;
    const pipeline::Node& task_;  // of the training
    Diagnostics& problems_;
    std::set<std::string> reported_;
    std::set<std::string> divided_;  // sections that are warned of
};

}  // namespace

void warn_of_other_scales(const Prepared& prepared, Diagnostics& problems) {
    if (!prepared.plan || prepared.plan->tasks.empty()) {
        return;
    }
    const experiment::Pipeline& pipeline = prepared.experiment.pipeline;
    Comparison comparison(prepared, problems);
    std::vector<std::string> others;
    for (const experiment::ComponentEntry& entry : pipeline.components) {
        if (entry.is_enabled && entry.load) {
            comparison.compare(*entry.load, entry.path, {entry.name});
        } else {
            others.push_back(entry.name);
        }
    }
    if (pipeline.load) {
        comparison.compare(*pipeline.load, "pipeline", others);
    }
}

}  // namespace ptp::host
