// Compares the globals of a loaded checkpoint with those of the pipeline that loads it.

#include "engine/checkpoint/weights_origin.hpp"

#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "engine/checkpoint/load.hpp"
#include "engine/checkpoint/recorded_globals.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

// Returns "f37072fd" of "resnet18-f37072fd.pth"; "" if the name has no such part.
std::string hash_in_name(const fs::path& file) {
    const std::string stem = file.stem().string();
    const std::string digits = stem.substr(std::min(stem.rfind('-'), stem.size() - 1) + 1);
    const bool is_hash = file.extension() == ".pth" && digits.size() == 8 &&
                         digits.find_first_not_of("0123456789abcdef") == std::string::npos;
    return is_hash ? digits : "";
}

// Names in their order.
using Names = std::vector<std::string>;

// Returns the names of a table of numbers from 0 on; none of any other table.
Names numbered(const Value& table) {
    Names names(table.members().size());
    for (const Member& member : table.members()) {
        const std::int64_t number = member.value.is_integer() ? member.value.as_integer() : -1;
        if (number < 0 || number >= static_cast<std::int64_t>(names.size())) {
            return {};
        }
        names[static_cast<std::size_t>(number)] = member.key;
    }
    return names;
}

const Value* name_in(const Value& item) {
    return item.is_table() ? item.find("name") : item.is_string() ? &item : nullptr;
}

// Returns the texts of a list, or the names of its tables; none of any other list.
Names listed(const Value& list) {
    Names names;
    for (const Value& item : list.items()) {
        const Value* const name = name_in(item);
        if (name == nullptr || !name->is_string()) {
            return {};
        }
        names.push_back(name->as_string());
    }
    return names;
}

// Returns the place of the first name that both have, at different places; nullopt if there is none
// or they are not equally many.
std::optional<std::size_t> first_moved(const Names& here, const Names& trained) {
    if (here.size() != trained.size() || here == trained) {
        return std::nullopt;
    }
    const std::unordered_set<std::string_view> known(here.begin(), here.end());
    for (std::size_t i = 0; i < here.size(); ++i) {
        if (here[i] != trained[i] && known.contains(trained[i])) {
            return i;
        }
    }
    return std::nullopt;
}

// Returns the place of the first name that those of the training lack; nullopt if there is none or
// they are not equally many.
std::optional<std::size_t> first_new(const Names& here, const Names& trained) {
    const std::unordered_set<std::string_view> known(trained.begin(), trained.end());
    const auto found =
        std::ranges::find_if(here, [&](const auto& name) { return !known.contains(name); });
    return here.size() != trained.size() || found == here.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - here.begin()));
}

// Returns at most this many names as they are typed.
std::string list_text(const Names& names) {
    constexpr std::size_t kMax = 50;
    return names.size() > kMax ? "" : inline_toml(Value::list({names.begin(), names.end()}));
}

// The sizes of tensors that are loaded, or of those that begin untrained.
struct Sizes {
    std::vector<std::int64_t> loaded;
    std::vector<std::int64_t> loaded_outputs;  // the first size of each of them
    std::vector<std::int64_t> untrained;
    bool is_first_loaded = false;  // the tensor that the data reach first
    struct Layer {
        Instance* component = nullptr;
        std::string name = {};
    };
    std::map<std::int64_t, Layer> layers = {};  // by outputs, the last one that is loaded
    std::set<const Instance*> components = {};  // with loaded tensors, each once
};

Sizes sizes_of(const std::vector<Fit>& fits, const Components& components) {
    std::set<const void*> filled;
    for (const Fit& fit : fits) {
        for (const auto& [to, from] : fit.copies) {
            filled.insert(to.unsafeGetTensorImpl());
        }
    }
    Sizes sizes;
    bool is_first = true;
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        for (const NamedTensor& named : node->tensors()) {
            const bool is_loaded = filled.contains(named.tensor.unsafeGetTensorImpl());
            sizes.is_first_loaded = is_first ? is_loaded : sizes.is_first_loaded;
            is_first = false;
            const at::IntArrayRef own = named.tensor.sizes();
            auto& list = is_loaded ? sizes.loaded : sizes.untrained;
            list.insert(list.end(), own.begin(), own.end());
            if (is_loaded && !own.empty()) {
                sizes.loaded_outputs.push_back(own.front());
                sizes.layers[own.front()] = {node.get(),
                                             named.name.substr(0, named.name.rfind('.'))};
            }
            if (is_loaded) {
                sizes.components.insert(node.get());
            }
        }
    }
    return sizes;
}

constexpr const char* kPrepare =
    "prepare the data as that training does, or name its run in place of the experiment, to "
    "process them";

// Returns the numbers of scores of an output layer: a yes or no has one for two classes, and words
// may have one more.
std::vector<std::int64_t> scores_for(std::size_t count) {
    const auto number = static_cast<std::int64_t>(count);
    return number == 2 ? std::vector{number, number + 1, std::int64_t{1}}
                       : std::vector{number, number + 1};
}

bool has_size(const std::vector<std::int64_t>& sizes, std::size_t count) {
    return std::ranges::any_of(scores_for(count), [&](auto size) { return contains(sizes, size); });
}

// All differences of one file.
class Comparison {
public:
    Comparison(const WeightsOrigin& origin, const Sizes& sizes,
               const experiment::Pipeline& pipeline, const Components& components,
               spdlog::logger& log)
        : origin_(origin), sizes_(sizes), pipeline_(pipeline), components_(components), log_(log) {}

    // `name` is that of a global, or of a member of one.
    void compare(const std::string& name, const Value& here, const Value& trained) {
        if (here.is_table() && trained.is_table()) {
            const Names names = numbered(here);
            if (!names.empty()) {
                compare_numbers(name, names, numbered(trained));
                return;
            }
            for (const Member& member : here.members()) {
                if (const Value* const its = trained.find(member.key); its != nullptr) {
                    compare(member.key, member.value, *its);
                }
            }
        } else if (here.is_list() && trained.is_list() && sizes_.is_first_loaded) {
            compare_lists(name, here, trained);
        }
    }

private:
    void compare_numbers(const std::string& name, const Names& here, const Names& trained) {
        const auto moved = first_moved(here, trained);
        numbered_.push_back(trained);
        const pipeline::Node* const task =
            components_.tasks.empty() ? nullptr : &components_.tasks.front()->node();
        const bool is_classes =
            task != nullptr && task->global_for(plugin::Purpose::kClassNames) == name;
        // Classes are outputs: a kernel of 3 by 3 is not for three of them.
        if (!has_size(is_classes ? sizes_.loaded_outputs : sizes_.loaded, here.size()) ||
            has_size(sizes_.untrained, here.size())) {
            return;
        }
        if (is_classes && first_new(here, trained)) {
            compare_classes(*task, here, trained);
            return;
        }
        if (!moved) {
            return;
        }
        const plugin::Setting* const setting =
            is_classes
                ? plugin::find_purpose(task->component->settings, plugin::Purpose::kClassNames)
                : nullptr;
        warn(fmt::format("{} {} is '{}', and '{}' in the training of these weights: each is taken "
                         "for another",
                         setting == nullptr ? fmt::format("in {} number", name) : "class", *moved,
                         here[*moved], trained[*moved]),
             setting == nullptr ? "" : setting->name, trained);
    }

    // Compares classes that are not all the same: a setting cannot make them so.
    void compare_classes(const pipeline::Node& task, const Names& here, const Names& trained) {
        const std::size_t differing = *first_new(here, trained);
        const std::string fix = task.section == "training" ? fix_of_output_layer(here.size()) : "";
        log_.warn(Explanation{
            fmt::format("{}class {} is '{}', which the training of these weights did not have: "
                        "there it is '{}'",
                        origin_.where, differing, here[differing], trained[differing]),
            fix.empty() ? kPrepare : fix}
                      .text());
    }

    // Returns how all is loaded but the last layer with a score for each class; "" if none has.
    [[nodiscard]] std::string fix_of_output_layer(std::size_t count) const {
        for (const std::int64_t size : scores_for(count)) {
            if (const auto found = sizes_.layers.find(size); found != sizes_.layers.end()) {
                return fix_of_layer(*found->second.component, found->second.name) +
                       ", so that the output layer begins untrained";
            }
        }
        return "";
    }

    [[nodiscard]] std::string fix_of_layer(Instance& component, const std::string& layer) const {
        const auto load_of = [&](const Instance& node) -> const experiment::Load* {
            for (const experiment::ComponentEntry& entry : pipeline_.components) {
                if (entry.name == node.node().name && entry.load) {
                    return &*entry.load;
                }
            }
            return nullptr;
        };
        const std::vector<NamedTensor> own = component.tensors();
        const bool is_all = std::ranges::all_of(own, [&](const NamedTensor& one) {
            return one.name.substr(0, one.name.rfind('.')) == layer;
        });
        const std::string path = component.node().path;
        if (const experiment::Load* const load = load_of(component); load != nullptr && is_all) {
            return fmt::format("leave out {}.load", path);
        } else if (load != nullptr) {
            return fmt::format("write load = {} in {}", load_without(*load, {layer}, component),
                               path);
        }
        std::vector<std::string> others;  // that pipeline.load fills, too
        for (const std::shared_ptr<Instance>& node : components_.nodes) {
            if (node.get() != &component && sizes_.components.contains(node.get()) &&
                load_of(*node) == nullptr) {
                others.push_back(node->node().path);
            }
        }
        if (!is_all) {
            return fmt::format("write load = {} in {}{}",
                               load_without(*pipeline_.load, {layer}, component), path,
                               others.empty() ? ", in place of pipeline.load" : "");
        }
        return others.empty()
                   ? "leave out pipeline.load"
                   : fmt::format("write load = {} in {}, in place of pipeline.load",
                                 inline_toml(Value(pipeline_.load->written)), joined(others));
    }

    void compare_lists(const std::string& name, const Value& here, const Value& trained) {
        const Names names = listed(here);
        const Names before = listed(trained);
        if (contains(numbered_, before)) {
            return;  // the classes are in the columns, too
        }
        if (const auto moved = first_moved(names, before)) {
            warn(fmt::format("number {} of the {} is '{}', and '{}' in the training of these "
                             "weights: each is taken for another",
                             *moved, name, names[*moved], before[*moved]),
                 name, before);
            return;
        }
        for (std::size_t i = 0; i < names.size() && names == before; ++i) {
            const Value& item = here.items()[i];
            const Value& its = trained.items()[i];
            if (item.is_table() && its.is_table()) {
                compare_scales(fmt::format("'{}' of the {}", names[i], name), item, its);
                compare(fmt::format("{} of '{}'", name, names[i]), item, its);
            }
        }
    }

    // Compares whether two columns have a mean that is subtracted.
    void compare_scales(const std::string& title, const Value& here, const Value& trained) {
        const auto is_scaled = [](const Value& column) {
            const Value* const deviation = column.find("deviation");
            return deviation != nullptr && deviation->is_list() &&
                   std::ranges::any_of(deviation->items(), [](const Value& one) {
                       return one.is_number() && one.as_real() != 1;
                   });
        };
        if (!has_scales_ && is_scaled(here) != is_scaled(trained)) {
            has_scales_ = true;
            warn(fmt::format("{} is {}standardized, and {} in the training of these weights: they "
                             "see other inputs than they are trained with",
                             title, is_scaled(here) ? "" : "not ",
                             is_scaled(here) ? "is not" : "is"),
                 "", {});
        }
    }

    void warn(const std::string& difference, const std::string& setting, const Names& trained) {
        const std::string value = list_text(trained);
        const bool is_setting =
            !setting.empty() && !value.empty() && !components_.tasks.empty() &&
            find_named(components_.tasks.front()->node().component->settings, setting) != nullptr;
        log_.warn(Explanation{
            origin_.where + difference,
            is_setting ? fmt::format("set {} = {} in the task of each section", setting, value)
                       : kPrepare}
                      .text());
    }

    const WeightsOrigin& origin_;
    const Sizes& sizes_;
    const experiment::Pipeline& pipeline_;
    const Components& components_;
    spdlog::logger& log_;
    std::vector<Names> numbered_;  // of the training: classes, and words
    bool has_scales_ = false;
};

}  // namespace

void warn_of_other_hash(const WeightsOrigin& origin, spdlog::logger& log) {
    const std::string named = hash_in_name(origin.file);
    if (named.empty()) {
        return;
    }
    const std::string hash = sha256_of_file(origin.file);
    if (!hash.starts_with(named)) {
        log.warn(fmt::format(
            "{}{}: its SHA-256 begins with {}, not with the digits in its name; if it is from "
            "PyTorch's hub it is damaged or not the original",
            origin.where, origin.file.string(), hash.substr(0, named.size())));
    }
}

void warn_of_other_order(const WeightsOrigin& origin, const std::vector<Fit>& fits,
                         const experiment::Pipeline& pipeline, const Components& components,
                         const Globals& globals, spdlog::logger& log) {
    const Value recorded = globals_of_weights(origin.file);
    if (recorded.members().empty()) {
        return;
    }
    const Value own = globals.values();
    const Sizes sizes = sizes_of(fits, components);
    Comparison comparison(origin, sizes, pipeline, components, log);
    for (const bool is_numbered : {true, false}) {
        for (const Member& global : recorded.members()) {
            const Value* const here = own.find(global.key);
            if (here != nullptr && here->is_table() == global.value.is_table() &&
                (here->is_table() && !numbered(*here).empty()) == is_numbered) {
                comparison.compare(global.key, *here, global.value);
            }
        }
    }
}

}  // namespace ptp::engine
