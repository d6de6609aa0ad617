// Loads the weights that an experiment names, for all or for single components.

#include "engine/checkpoint/load.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "bundle/bundle.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "engine/checkpoint/weights_origin.hpp"
#include "experiment/readers.hpp"
#include "experiment/weights_file.hpp"
#include "run/hashes.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace ptp::engine {

namespace fs = std::filesystem;

namespace {

std::string unknown_component(const SavedWeights& saved, const std::string& component,
                              const std::optional<std::string>& prefix) {
    std::set<std::string> names;
    for (const auto& [name, tensor] : saved.tensors) {
        names.insert(name.substr(0, name.find('.')));
    }
    const std::vector<std::string> known(names.begin(), names.end());
    const bool is_misspelt = nearest(component, known).has_value();
    return fmt::format("has no tensors of '{}'{}", component,
                       prefix && !is_misspelt
                           ? fmt::format("; it has them with component = \"{}\"", *prefix)
                           : hint(component, known));
}

constexpr const char* kRenameFix =
    "where only the names differ, add rename = { \"NAME IN THE FILE\" = \"NAME HERE\" }, in which a "
    "name may be the beginning of many; except = [\"NAME\"] leaves out the others";
constexpr const char* kBeginAnew =
    "leave out {} and train anew, or set the sizes of the file: each layer has another one there";

// Returns the component's tensors in a file that may name it in several ways.
Share find_share(const SavedWeights& saved, const experiment::Load& load, Instance& instance) {
    const std::string component = load.component.value_or("");
    Share share = share_of(saved, component);
    if (!share.tensors.empty()) {
        return share;
    }
    if (!load.renames.empty()) {
        return share_of(saved, "");  // they list the names
    }
    // A state dictionary is of one model, and does not name it.
    const std::vector<NamedTensor> own = instance.tensors();
    const bool is_state_dict = saved.is_from_torch && component == instance.node().name;
    const std::optional<std::string> prefix = prefix_of(saved, own);
    if (!is_state_dict || !prefix.value_or("").empty()) {
        // If there is a prefix, the message names the part to use.
        throw WithFix<RunError>(kDataError,
                                {unknown_component(saved, component, prefix),
                                 prefix || !has_sizes_of(saved, own) ? "" : kRenameFix});
    }
    return share_of(saved, "");
}

// Returns the load of a component that also leaves out what does not fit.
std::string load_of_fitting(experiment::Load load, const Fit& fit, const Instance& instance) {
    std::erase_if(load.except, [&](const std::string& name) {
        const std::string unknown = fmt::format("except: unknown name '{}'", name);
        return std::ranges::any_of(
            fit.problems, [&](const std::string& one) { return one.starts_with(unknown); });
    });
    std::vector<std::string> layers = fit.misfits;
    layers.insert(layers.end(), fit.surplus.begin(), fit.surplus.end());
    return load_without(std::move(load), layers, instance);
}

// All loads of a pipeline, which are first checked and then executed.
class Loading {
public:
    Loading(const experiment::Pipeline& pipeline, const Components& components,
            const Globals& globals, spdlog::logger& log)
        : pipeline_(pipeline), components_(components), globals_(globals), log_(log) {}

    void add_component(const experiment::ComponentEntry& entry) {
        for (const std::shared_ptr<Instance>& node : components_.nodes) {
            if (node->node().name == entry.name) {
                read(*entry.load, node->node().path + ".load", [&](const SavedWeights& saved) {
                    return fit_component(saved, *entry.load, *node);
                });
            }
        }
    }

    // Adds the load of the components that are not in `others`.
    void add_pipeline(const experiment::Load& load, const std::set<std::string>& others) {
        read(load, "pipeline.load",
             [&](const SavedWeights& saved) { return fit_pipeline(saved, load, others); });
    }

    Loaded finish() {
        if (const std::string& layers = components_.unknown_layers; !layers.empty()) {
            add_error(layers);
            throw RunError(kConfigurationError, errors_);
        }
        if (!errors_.empty()) {
            throw RunError(kDataError, errors_);
        }
        for (const Fit& fit : fits_) {
            fill_tensors(fit, Filling::kCopied);
        }
        for (const auto& [file, where] : origins_) {
            warn_of_other_order({where, file}, fits_, pipeline_, components_, globals_, log_);
        }
        return {lines_, fits_};
    }

private:
    // Checks all files of a folder that has hashes: a missing one may be the one to load.
    static void check_whole(const fs::path& named, const fs::path& file) {
        if (experiment::is_bundle(file)) {
            bundle::BundleFile(file).check();
        } else if (fs::is_directory(named) && fs::exists(file.parent_path() / run::kHashFile)) {
            run::check_hashes(file.parent_path());
        } else {
            run::check_listed_hash(file);
        }
    }

    // The differences, and the sentence that introduces them.
    struct Judged {
        Fit fit;
        std::string title;  // "the tensors of 'net' do not fit 'net' (FeedForwardNetwork)"
        std::string fix = {};
        std::string name = {};                // of what is filled
        std::vector<std::string> empty = {};  // the names of its tensors that are not
    };

    // Adds those of these tensors that are not filled.
    static void add_empty(const Fit& fit, const std::vector<NamedTensor>& own,
                          const std::string& before, std::vector<std::string>& names) {
        for (const NamedTensor& named : own) {
            const auto is_it = [&](const auto& copied) {
                return copied.first.is_same(named.tensor);
            };
            if (std::ranges::none_of(fit.copies, is_it)) {
                names.push_back(before + named.name);
            }
        }
    }

    static std::string line_of(const Judged& judged, const fs::path& file) {
        constexpr std::size_t kMaxNames = 4;
        const std::size_t count = judged.fit.copies.size();
        std::vector<std::string> names = judged.empty;
        const std::size_t more = names.size() - std::min(names.size(), kMaxNames);
        names.resize(names.size() - more);
        if (more > 0) {
            names.push_back(fmt::format("{} more", more));
        }
        const std::size_t rounded = judged.fit.rounded;
        return fmt::format(
            "{}: {} of {} tensors loaded from {}{}{}", judged.name, count,
            count + judged.empty.size(), file.string(),
            names.empty() ? "" : ", not " + joined(names),
            rounded > 0 ? fmt::format("; {} rounded from float64 to float32", rounded) : "");
    }

    template <class FitFunction>
    void read(const experiment::Load& load, const std::string& key, FitFunction fit_function) {
        const std::string place = load.place.text();
        std::string where = fmt::format("{}{}: ", place.empty() ? "" : place + ": ", key);
        try {
            const fs::path file = experiment::weights_file(load.from);
            if (!files_.contains(file)) {
                check_whole(load.from, file);
                files_.emplace(file, read_weights(file));
                log_.info(fmt::format("{}weights of {}", where, file.string()));
                warn_of_other_hash({where, file}, log_);
            }
            where += file.string() + ": ";
            origins_.try_emplace(file, where);
            const Judged judged = fit_function(files_.at(file));
            judge(load, where, judged);
            lines_.push_back(line_of(judged, file));
        } catch (const RunError& error) {
            add_error(where + error.what());
        }
    }

    void judge(const experiment::Load& load, const std::string& where, const Judged& judged) {
        if (load.is_strict && !judged.fit.problems.empty()) {
            add_error(Explanation{fmt::format("{}{}:\n    {}", where, judged.title,
                                              join(judged.fit.problems, "\n    ")),
                                  judged.fix}
                          .text());
        } else if (judged.fit.copies.empty()) {
            add_error(where + "nothing in it fits");
        } else {
            for (const std::string& problem : judged.fit.problems) {
                log_.warn(fmt::format("{}not loaded: {}", where, problem));
            }
            for (const std::string& note : judged.fit.notes) {
                log_.info(fmt::format("{}{}", where, note));
            }
        }
        fits_.push_back(judged.fit);
    }

    static Judged fit_component(const SavedWeights& saved, const experiment::Load& load,
                                Instance& instance) {
        const std::string component = load.component.value_or("");
        Share share = find_share(saved, load, instance);
        const RenameProblems wrong = rename(share, load.renames);
        const Target target = {instance.title(), instance.tensors()};
        Judged judged = {
            fit_freely(share, target, {load.except, load.only}),
            fmt::format("the tensors of '{}' do not fit {}", component, instance.title())};
        refuse_renames(judged, wrong);
        judged.name = instance.node().name;
        add_empty(judged.fit, target.tensors, "", judged.empty);
        if (load.renames.empty() && judged.fit.lacks_names && !judged.fit.surplus.empty()) {
            judged.fix = kRenameFix;
        } else if (fits_nowhere(judged.fit, target.tensors)) {
            judged.fix = fmt::format(kBeginAnew, "load");
        } else if (judged.fix = fix_of_some(judged.fit); !judged.fix.empty()) {
            judged.fix = fmt::format("load = {} {}", load_of_fitting(load, judged.fit, instance),
                                     judged.fix);
        }
        return judged;
    }

    static constexpr const char* kOfAnyKind =
        "leaves out what does not fit, which then begins untrained";

    // Returns what a load of all that fits leaves out; "" where nothing fits, or some of the
    // component's tensors are not in the file.
    static std::string fix_of_some(const Fit& fit) {
        if (fit.copies.empty() || fit.lacks_names || fit.misfits.size() + fit.surplus.size() == 0) {
            return "";
        }
        return fit.surplus.empty() ? "leaves out what has another size, which then begins untrained"
               : fit.misfits.empty() ? "leaves out what the component does not have"
                                     : kOfAnyKind;
    }

    // Wrong renames are refused with `strict = false` too.
    static void refuse_renames(const Judged& judged, const RenameProblems& wrong) {
        if (!wrong.empty()) {
            throw RunError(kDataError,
                           fmt::format("{}:\n    {}", judged.title, join(wrong, "\n    ")));
        }
    }

    Judged fit_pipeline(SavedWeights saved, const experiment::Load& load,
                        const std::set<std::string>& others) const {
        Judged judged = {{}, "the tensors do not fit the pipeline"};
        judged.name = "pipeline";
        refuse_renames(judged, rename(saved, load.renames));
        std::set<std::string> known = others;
        std::vector<std::string> loads;  // keys for single components that leave out misfits
        std::string left_out;            // "leaves out what has another size"
        std::size_t differing = 0, unfit = 0;
        bool has_rest = false;
        for (const std::shared_ptr<Instance>& node : components_.nodes) {
            const std::string& name = node->node().name;
            if (!known.insert(name).second) {
                continue;
            }
            const std::vector<NamedTensor> own = node->tensors();
            const Fit fit = fit_freely(share_of(saved, name), {node->title(), own});
            judged.fit.copies.insert(judged.fit.copies.end(), fit.copies.begin(), fit.copies.end());
            judged.fit.rounded += fit.rounded;
            add_empty(fit, own, name + ".", judged.empty);
            differing += fit.problems.empty() ? 0 : 1;
            has_rest = has_rest || (fit.problems.empty() && !fit.copies.empty());
            if (fits_nowhere(fit, own)) {
                ++unfit;
            } else if (const std::string what = fix_of_some(fit); !what.empty()) {
                loads.push_back(fmt::format("[pipeline.{}] load = {}", name,
                                            load_of_fitting(load, fit, *node)));
                left_out = left_out.empty() || left_out == what ? what : kOfAnyKind;
            }
            for (const std::string& note : fit.notes) {
                judged.fit.notes.push_back(fmt::format("{}.{}", name, note));
            }
            for (const std::string& problem : fit.problems) {
                judged.fit.problems.push_back(fmt::format("{}.{}", name, problem));
            }
        }
        std::vector<std::string> names = saved.others;
        for (const auto& [name, tensor] : saved.tensors) {
            names.push_back(name);
        }
        for (const std::string& name : names) {
            if (!known.contains(name.substr(0, name.find('.')))) {
                judged.fit.problems.push_back(name + ": the pipeline has no such component");
                ++differing;
            }
        }
        if (unfit > 0 && unfit == differing && !has_rest) {
            judged.fix = fmt::format(kBeginAnew, "pipeline.load");
        } else if (!loads.empty() && loads.size() == differing) {
            judged.fix = fmt::format("{}{} {}{}", join(loads, ", "),
                                     has_rest ? "" : " in place of pipeline.load", left_out,
                                     has_rest ? "; the rest is loaded as before" : "");
        }
        return judged;
    }

    void add_error(const std::string& text) { errors_ += (errors_.empty() ? "" : "\n") + text; }

    const experiment::Pipeline& pipeline_;
    const Components& components_;
    const Globals& globals_;
    spdlog::logger& log_;
    std::map<fs::path, SavedWeights> files_;
    std::map<fs::path, std::string> origins_;  // the beginning of messages about each file
    std::vector<Fit> fits_;
    std::vector<std::string> lines_;
    std::string errors_;
};

}  // namespace

std::string load_without(experiment::Load load, const std::vector<std::string>& layers,
                         const Instance& instance) {
    load.except.insert(load.except.end(), layers.begin(), layers.end());
    const std::string& name = instance.node().name;
    load.component = load.component.value_or(name);
    Value table = experiment::tree_of(load);
    table.set("from", load.written.empty() ? load.from.string() : load.written);
    for (const char* key : {"only", "rename"}) {
        const Value* value = table.find(key);
        const bool is_empty = value != nullptr && (value->is_list() ? value->items().empty()
                                                                    : value->members().empty());
        if (is_empty) {
            table.erase(key);
        }
    }
    if (load.component == name) {
        table.erase("component");
    }
    return inline_toml(table);
}

void load_tensors(const SavedWeights& saved, const fs::path& file, const std::string& component,
                  Instance& instance, Filling filling) {
    std::vector<NamedTensor> own = instance.tensors();
    const Share share = share_of(saved, component);
    if (share.tensors.empty() && !own.empty()) {
        throw RunError(kDataError, fmt::format("{}: {}", file.string(),
                                               unknown_component(saved, component, std::nullopt)));
    }
    const Fit fit = fit_exactly(share, {instance.title(), std::move(own)});
    if (!fit.problems.empty()) {
        throw RunError(
            kDataError,
            Explanation{fmt::format("{}: the tensors of '{}' do not fit {}:\n    {}", file.string(),
                                    component, instance.title(), join(fit.problems, "\n    ")),
                        fmt::format("leave out what changes '{}': its network is the one whose "
                                    "weights these are",
                                    component)}
                .text());
    }
    fill_tensors(fit, filling);
}

Loaded load_weights(const experiment::Pipeline& pipeline, const Components& components,
                    const Globals& globals, spdlog::logger& log) {
    Loading loading(pipeline, components, globals, log);
    std::set<std::string> with_own;
    for (const experiment::ComponentEntry& entry : pipeline.components) {
        if (entry.load) {
            loading.add_component(entry);
            with_own.insert(entry.name);
        }
    }
    if (pipeline.load) {
        loading.add_pipeline(*pipeline.load, with_own);
    }
    return loading.finish();
}

}  // namespace ptp::engine
