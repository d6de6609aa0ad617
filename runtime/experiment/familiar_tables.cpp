// Keys and fixes in place of whole tables of other frameworks, such as [model] and [metrics].

#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar.hpp"
#include "experiment/familiar_names.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::experiment {

std::string key_of_model(const schema::UnknownKey& of) {
    const Value& value = of.member.value;
    const Value* const pipeline = of.root == nullptr ? nullptr : of.root->find("pipeline");
    if (value.is_table() && value.find("type") != nullptr) {
        return "pipeline." + of.member.key;
    }
    std::vector<std::string> found;
    const bool has_both = value.is_table() && pipeline != nullptr && pipeline->is_table();
    for (const Member& component : has_both ? pipeline->members() : std::vector<Member>()) {
        const bool has_all = std::ranges::all_of(value.members(), [&](const Member& setting) {
            return component.value.is_table() && component.value.find(setting.key) != nullptr;
        });
        if (has_all) {
            found.push_back("pipeline." + component.key);
        }
    }
    return found.size() == 1 ? found.front() : "pipeline.model";
}

std::string fix_of_model(const schema::UnknownKey& of) {
    const Value& value = of.member.value;
    const Value* const pipeline = of.root == nullptr ? nullptr : of.root->find("pipeline");
    if (!value.is_table() || value.find("type") != nullptr || pipeline == nullptr ||
        !pipeline->is_table() || pipeline->find("model") != nullptr) {
        return "";
    }
    std::string components;
    for (const Member& one : pipeline->members()) {
        if (one.value.is_table()) {
            components += (components.empty() ? "pipeline." : ", pipeline.") + one.key;
        }
    }
    return components.empty() ? "" : "set them in the table of a component: " + components;
}

std::string fix_of_metrics(const Member& unknown) {
    const Value* accuracy = unknown.value.is_table() ? unknown.value.find("accuracy") : nullptr;
    const bool is_wanted = accuracy != nullptr && accuracy->is_bool() && accuracy->as_bool();
    if (!is_wanted || unknown.value.members().size() != 1) {
        return "";
    }
    const std::string type = R"(type = "AccuracyStatistics")";
    return unknown.key_place.file() == kCommandLine
               ? schema::typed_value(unknown.key_place, "pipeline.accuracy", "{ " + type + " }")
               : "remove it, and write at the end of the file [pipeline.accuracy], and below it " +
                     type;
}

std::string fix_of_callbacks(const Member& unknown) {
    const Value& value = unknown.value;
    const bool are_names =
        value.is_string() ||
        (value.is_list() && std::ranges::all_of(value.items(), &Value::is_string));
    return folded(unknown.key) != "callbacks" || !are_names
               ? ""
               : "leave it out; EarlyStopping is early_stop_validations in "
                 "[training.terminal_conditions], ModelCheckpoint is [checkpoint], schedules of the "
                 "rate are [training.scheduler], and TensorBoard is [records.tensorboard]";
}

std::optional<Explanation> familiar_freezing(const Member& unknown) {
    const std::string name = folded(unknown.key);
    const bool trains = has_word("requires_grad trainable unfreeze", name);
    const bool until = has_word("freeze_epochs freeze_until unfreeze_at unfreeze_epoch", name);
    if (!trains && !until && !has_word("freeze_layers frozen frozen_layers", name)) {
        return std::nullopt;
    }
    Explanation explanation{"unknown setting; here it is 'freeze'"};
    const Value& value = unknown.value;
    if (until && value.is_integer()) {
        explanation.fix = fmt::format("write freeze = {{ until_epoch = {} }}", value.as_integer());
        return explanation;
    }
    const Value names = value.is_string() ? Value::list({value}) : value;
    if (value.is_bool()) {
        explanation.fix = value.as_bool() == trains ? "leave it out: what is not frozen is trained"
                                                    : "write freeze = true";
    } else if (names.is_list()) {
        const std::string list = inline_toml(names);
        explanation.fix =
            "write freeze = " + (trains ? fmt::format("{{ except = {} }}", list) : list);
    }
    return explanation;
}

}  // namespace ptp::experiment
