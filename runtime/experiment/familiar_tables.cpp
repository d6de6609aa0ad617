// Keys and fixes in place of whole tables of other frameworks, such as [model] and [metrics].

#include "experiment/familiar_names.hpp"
#include "schema/check_value.hpp"

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

}  // namespace ptp::experiment
