// The advice that follows from names of other programs.

#include "experiment/familiar_names.hpp"

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar.hpp"
#include "experiment/familiar_keys.hpp"
#include "experiment/fields.hpp"
#include "experiment/possible_keys.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace ptp::experiment {

namespace {

std::string_view last_part(std::string_view key) {
    return key.substr(key.rfind('.') + 1);
}

std::string_view table_of(std::string_view key) {
    const std::size_t dot = key.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

const schema::KeyRecord& declared_keys() {
    static const schema::KeyRecord declared = possible_keys(Value());  // the same for all calls
    return declared;
}

// Returns the key for a name of another program, in the section that the table is in; "" if there
// is none.
std::string renamed_key(std::string_view table, std::string_view name) {
    for (const OfTable& one : kKeysOfTables) {
        if (one.table == last_part(table) && has_word(one.names.names, folded(name))) {
            return below(std::string(table), std::string(one.names.meaning));
        }
    }
    std::string key = familiar_key(name).value_or("");
    constexpr std::string_view kTraining = "training.";
    const std::string_view section = table.substr(0, table.find('.'));
    const bool is_of_each_section =
        key.starts_with(kTraining) &&
        (key.find(".task") != std::string::npos || key.find(".dataloader") != std::string::npos ||
         key.find(".sampler") != std::string::npos ||
         key.find(".batch_limit") != std::string::npos);
    if (is_of_each_section && (section == "validation" || section == "test")) {
        key.replace(0, kTraining.size() - 1, section);
    }
    return key == below(std::string(table), std::string(name)) ? "" : key;
}

// Returns whether two tasks are written alike, but for the size of their batches.
bool are_alike(const Value* task, const Value* other) {
    if (task == nullptr || other == nullptr || !task->is_table() || !other->is_table()) {
        return task != nullptr && other != nullptr && *task == *other;
    }
    Value one = *task;
    Value two = *other;
    one.erase("batch_size");
    two.erase("batch_size");
    return one == two;
}

// Returns whether a task has a table with the shares of sections: { shares = [0.8, 0.2] }.
bool divides_samples(const Value& task) {
    const auto are_shares = [](const Member& one) {
        return one.value.is_list() && one.value.items().size() > 1 &&
               std::ranges::all_of(one.value.items(), [](const Value& share) {
                   return share.is_real() && share.as_real() > 0 && share.as_real() < 1;
               });
    };
    return task.is_table() && std::ranges::any_of(task.members(), [&](const Member& one) {
               return one.value.is_table() && std::ranges::any_of(one.value.members(), are_shares);
           });
}

// Returns the samplers of both sections for a share of the training's samples that is held out; or
// to leave it out, where [validation] has samples of its own.
std::string fix_of_share(const schema::UnknownKey& of) {
    const Value* task = of.root == nullptr ? nullptr : of.root->find_path("training.task");
    const Value* validation = of.root == nullptr ? nullptr : of.root->find("validation");
    const bool has_sampler =
        of.root != nullptr && (of.root->find_path("training.sampler") != nullptr ||
                               of.root->find_path("validation.sampler") != nullptr);
    const bool is_divided = task != nullptr && divides_samples(*task);
    if (validation != nullptr &&
        (has_sampler || is_divided || !are_alike(task, validation->find("task")))) {
        return "leave it out: [validation] has samples of its own";
    }
    if (is_divided) {  // each section has its own part
        return of.member.key_place.file() == kCommandLine
                   ? schema::typed_value(of.member.key_place, "validation.task", inline_toml(*task))
                   : "write the task of [training] in a table [validation.task]: its split has a "
                     "part for each";
    }
    const std::string share = fmt::format("{}", 1 - of.member.value.as_real());
    const std::string kept = "{ type = \"RandomSplitSampler\", share = [0.0, " + share + "] }";
    const std::string held = "{ type = \"RandomSplitSampler\", share = [" + share + ", 1.0] }";
    const SourceLocation& place = of.member.key_place;
    if (place.file() == kCommandLine && (validation != nullptr || task != nullptr)) {
        return schema::typed_value(place, "training.sampler", kept) + " " +
               (validation != nullptr
                    ? schema::typed_value(place, "validation.sampler", held)
                    : schema::typed_value(
                          place, "validation",
                          fmt::format("{{ task = {}, sampler = {} }}", inline_toml(*task), held)));
    }
    return fmt::format(
        "write sampler = {} in [training], and {}sampler = {}", kept,
        validation != nullptr ? "in [validation] " : "in a table [validation] with the same task ",
        held);
}

// Returns the key with the unchanged value if the key takes it; otherwise with the replacement, or
// with what the key must be.
schema::MeantKey with_value(std::string key, const schema::UnknownKey& of,
                            const schema::KeyRecord& declared) {
    const Member& unknown = of.member;
    schema::MeantKey meant{.keys = {key}};
    const Value& value = unknown.value;
    const Familiar* familiar = find_familiar(kKeys, folded(unknown.key));
    const Value* const table =
        of.root == nullptr || of.table.empty() ? of.root : of.root->find_path(of.table);
    const Value* const algorithm =  // of Lightning
        table == nullptr || !table->is_table() ? nullptr : table->find("gradient_clip_algorithm");
    const bool has_form = familiar != nullptr && !familiar->form.empty() &&
                          (algorithm == nullptr || *algorithm != Value("value")) &&
                          (value.is_number() ||
                           (!value.is_table() && familiar->form.find("{}") == std::string::npos));
    const bool is_switch = value.is_bool() && familiar != nullptr && !familiar->usual.empty();
    const bool is_component = table_of(key) == "pipeline";
    const bool is_share = familiar != nullptr && has_word(familiar->names, "val_split") &&
                          value.is_real() && value.as_real() > 0 && value.as_real() < 1;
    const schema::Key* found = declared.find(std::string(table_of(key)), last_part(key));
    if (const std::string fix = fix_of_metrics(unknown);
        key == "pipeline.statistics" && !fix.empty()) {
        meant.fix = fix;
    } else if (key.ends_with(".split.shares") && !value.is_list()) {
        meant.value = familiar_setting(key, unknown);
    } else if (auto precision = meant_precision(of); key == "training.precision" && precision) {
        return std::move(*precision);
    } else if (key == "training.judge" && value.is_string()) {
        const std::string statistic = statistic_of(value.as_string());
        const std::string better = usual_direction(statistic);
        meant.value =
            fmt::format("{{ statistic = {}, better = \"{}\" }}", inline_toml(Value(statistic)),
                        better.empty() ? "larger" : better);
    } else if (key == "training.judge.statistic" && value.is_string()) {
        meant.value = inline_toml(Value(statistic_of(value.as_string())));
    } else if (key.ends_with(".class_weights") && !value.is_list()) {
        meant.expected = "a list with a weight for each class, in the order of their numbers";
    } else if (const Value* const patience = value.is_table() ? value.find("patience") : nullptr;
               key.ends_with(".early_stop_validations") && patience != nullptr) {
        meant.value = inline_toml(*patience);
    } else if (value.is_bool() && !value.as_bool() && is_switch) {
        meant.fix = "leave it out";
    } else if (is_switch) {
        meant.value = familiar->usual;
    } else if (is_share) {
        meant.fix = fix_of_share(of);
    } else if (has_form) {
        meant.value = fmt::format(fmt::runtime(familiar->form), inline_toml(value));
    } else if (is_component && value.is_string()) {
        meant.value = fmt::format("{{ type = {} }}", inline_toml(value));
    } else if (is_component && !value.is_table()) {
        meant.expected = "a table with the type of a component, as ptp-inspect lists them";
    } else if (found != nullptr && !schema::accepts(*found, value)) {
        const auto other = schema::meant_value(*found, value);
        meant.value = other               ? inline_toml(*other)
                      : value.is_string() ? familiar_table(key, value.as_string())
                                          : "";
        meant.value = meant.value.empty() ? familiar_value(key, value) : meant.value;
        meant.expected = meant.value.empty() ? expected_text(*found) : "";
    }
    return meant;
}

// Returns whether a judge is the name of a statistic, and not of a validation set.
bool is_judging_statistic(std::string_view key, const schema::UnknownKey& of) {
    const Value& value = of.member.value;
    const Value* const validation = of.root == nullptr ? nullptr : of.root->find("validation");
    const bool has_sets = validation != nullptr && validation->is_table() &&
                          std::ranges::any_of(validation->members(), [](const Member& one) {
                              return one.value.is_table() && one.value.find("task") != nullptr;
                          });
    return key == "training.judge" && value.is_string() && !has_sets &&
           !usual_direction(statistic_of(value.as_string())).empty();
}

// Returns the list in place of beta_1 and beta_2, the names of Keras, with Adam's number for the
// one that is not written; an optimizer without it has at most a momentum.
std::optional<schema::MeantKey> meant_betas(const schema::UnknownKey& of) {
    constexpr std::array<std::string_view, 2> kNames = {"beta1 beta_1", "beta2 beta_2"};
    std::array<double, 2> betas = {0.9, 0.999};
    const Value* const table = of.root == nullptr ? nullptr : of.root->find_path(of.table);
    std::vector<Member> members =
        table == nullptr || !table->is_table() ? std::vector<Member>() : table->members();
    members.push_back(of.member);
    bool is_one = false;
    for (const Member& member : members) {
        for (std::size_t i = 0; i < betas.size(); ++i) {
            if (has_word(kNames[i], folded(member.key)) && member.value.is_number()) {
                betas[i] = member.value.as_real();
                is_one = is_one || member.key == of.member.key;
            }
        }
    }
    if (last_part(of.table) != "optimizer" || !is_one) {
        return std::nullopt;
    }
    const Value* const type = table == nullptr ? nullptr : table->find("type");
    const auto& kinds = declared_keys().tables().at("training.optimizer").kinds;
    const auto kind = std::ranges::find_if(
        kinds, [&](const auto& one) { return type != nullptr && *type == Value(one.name); });
    if (kind != kinds.end() && find_named(kind->keys, "betas") == nullptr) {
        return has_word(kNames[0], folded(of.member.key))
                   ? std::optional(schema::MeantKey{.keys = {below(of.table, "momentum")}})
                   : std::nullopt;
    }
    return schema::MeantKey{.keys = {below(of.table, "betas")},
                            .value = fmt::format("[{}, {}]", betas[0], betas[1])};
}

// Returns whether tables in a table are components, each with a type, and it is none itself.
bool has_components(const Value& value) {
    const auto is_component = [](const Member& one) { return one.value.find("type") != nullptr; };
    return value.is_table() && value.find("type") == nullptr &&
           std::ranges::any_of(value.members(), is_component);
}

// Returns what to do about a `shuffle` where the section has a sampler; "" elsewhere.
std::string fix_beside_sampler(std::string_view key, const Value* root) {
    const bool is_shuffle = key.ends_with(".dataloader.shuffle");
    const Value* section =
        is_shuffle && root != nullptr ? root->find_path(table_of(table_of(key))) : nullptr;
    return section != nullptr && section->find("sampler") != nullptr
               ? std::string(kFixBesideSampler)
               : "";
}

}  // namespace

bool is_declared(const std::string& key) {
    return declared_keys().find(std::string(table_of(key)), last_part(key)) != nullptr;
}

void choose_for_key(const std::string& key, std::vector<std::string>& meanings) {
    const schema::Key* found = declared_keys().find(std::string(table_of(key)), last_part(key));
    std::erase_if(meanings, [&](const std::string& meaning) {
        const auto value = read_toml_value(meaning);
        return found != nullptr && (!value || !schema::accepts(*found, *value));
    });
}

std::string statistic_of(std::string name) {
    for (const std::string_view prefix : {"validation_", "validation.", "valid_", "val_", "val."}) {
        if (name.starts_with(prefix)) {
            name.erase(0, prefix.size());
            break;
        }
    }
    const std::string meant = meaning_of(kStatistics, folded(name));
    return meant.empty() ? name : meant;
}

std::string meaning_of_word(std::string_view word) {
    const std::vector<std::string_view> meanings = meanings_of(word);
    return meanings.empty() ? "" : std::string(meanings.front());
}

std::optional<std::string> familiar_key(std::string_view name) {
    const Familiar* found = find_familiar(kKeys, folded(name));
    return found == nullptr ? std::nullopt : std::optional<std::string>(found->meaning);
}

std::vector<std::string> familiar_settings(std::string_view name) {
    std::vector<std::string> found;
    for (const Familiar& one : kSettings) {
        if (has_word(one.names, folded(name))) {
            found.emplace_back(one.meaning);
        }
    }
    return found;
}

std::string surplus_of_models(std::string_view name) {
    return meaning_of(kSurplusOfModels, folded(name));
}

std::optional<schema::MeantKey> familiar_key_in(const schema::UnknownKey& of) {
    const schema::KeyRecord& declared = declared_keys();
    const std::string& table = of.table;
    const Member& unknown = of.member;
    for (const OfTable& one : kSurplus) {
        if (one.table == last_part(table) && has_word(one.names.names, folded(unknown.key))) {
            return schema::MeantKey{.keys = {below(table, unknown.key)},
                                    .fix = std::string(one.names.meaning)};
        }
    }
    if (last_part(table) == "warm_up" && has_word(kEpochsOfWarmUp, folded(unknown.key))) {
        return schema::MeantKey{.keys = {below(table, "episodes")},
                                .fix =
                                    "write episodes = N: the start of a training states how "
                                    "many episodes an epoch has"};
    }
    if (auto meant = meant_betas(of)) {
        return meant;
    }
    if (auto meant = familiar_key_for_value(unknown)) {
        return meant;
    }
    if (std::string fix = fix_of_devices(unknown); !fix.empty()) {
        return schema::MeantKey{.keys = {"device"}, .fix = std::move(fix)};
    }
    if (std::string fix = fix_of_callbacks(unknown); !fix.empty()) {
        return schema::MeantKey{.keys = {below(table, unknown.key)}, .fix = std::move(fix)};
    }
    if (std::string key = renamed_key(table, unknown.key); !key.empty()) {
        if (key.starts_with("pipeline.") && has_components(unknown.value)) {
            key = "pipeline";
        }
        key = key == "pipeline.model" ? key_of_model(of) : key;
        schema::MeantKey meant = with_value(key, of, declared);
        if (std::string fix =
                key == "pipeline.model" ? fix_of_model(of) : fix_beside_sampler(key, of.root);
            !fix.empty()) {
            meant.fix = std::move(fix);
        }
        return meant;
    }
    if (table.empty() && unknown.value.is_table() && unknown.value.find("type") != nullptr) {
        return schema::MeantKey{.keys = {"pipeline." + unknown.key}};  // a component
    }
    schema::MeantKey meant;
    const schema::Key* of_file = table.empty() ? nullptr : declared.find("", unknown.key);
    if (of_file != nullptr && schema::accepts(*of_file, unknown.value)) {
        meant.keys.push_back(unknown.key);
        return meant;
    }
    for (const auto& [path, keys] : declared.tables()) {
        const schema::Key* key = path == table ? nullptr : declared.find(path, unknown.key);
        if (key != nullptr && schema::accepts(*key, unknown.value)) {
            meant.keys.push_back(below(path, unknown.key));
        }
    }
    // A section's keys are also those of the other section.
    const auto is_of_validation = [](const std::string& key) {
        return key.starts_with("validation.");
    };
    if (meant.keys.size() > 1 && !table.starts_with("validation")) {
        std::erase_if(meant.keys, is_of_validation);
    }
    if (meant.keys.size() != 1) {
        return std::nullopt;
    }
    return is_judging_statistic(meant.keys.front(), of)
               ? with_value(meant.keys.front(), of, declared)
               : meant;
}

}  // namespace ptp::experiment
