// Writes components of a group for one of its uses: streams, parameters, shared weights.

#include "experiment/load/group_copy.hpp"

#include "base/toml_writer.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace ptp::experiment {

namespace {

// The keys of a component that shares another one; the rest is written there.
constexpr std::array<std::string_view, 7> kOwnKeys = {
    "priority", "streams", "statistics", "enabled", "phases", "skip_if_missing", "stage"};

class Writer {
public:
    Writer(Group& group, const Copy& copy, const std::vector<std::string>& phases)
        : group_(group), copy_(copy), phases_(phases) {}

    // Returns a component of the group for this copy.
    Member write(const Member& component) {
        Member written{copy_.name + "_" + component.key, component.key_place, component.value};
        rename_streams(written.value);
        rename_share(written.value);
        fill_in(written.value);
        if (!copy_.lender.empty()) {
            written.value = shared(written.value, component);
        }
        if (!phases_.empty() && written.value.find("phases") == nullptr) {
            written.value.set("phases", Value::list({phases_.begin(), phases_.end()}));
        }
        return written;
    }

private:
    // Streams that the group does not declare as those of the outside are its own.
    void rename_streams(Value& component) const {
        Value* const streams = component.find("streams");
        if (streams == nullptr || !streams->is_table()) {
            return;
        }
        for (Member& member : streams->members()) {
            if (!member.value.is_string()) {
                continue;
            }
            const std::string& name = member.value.as_string();
            if (const auto given = copy_.streams.find(name); given != copy_.streams.end()) {
                member.value = given->second;
            } else if (!contains(group_.stream_names(), name)) {
                member.value = Value(copy_.name + "_" + name).at(member.value.place());
            }
        }
    }

    // A component of the group that is shared within it is that of the copy with the weights.
    void rename_share(Value& component) const {
        Value* const share = component.find("share");
        if (share != nullptr && share->is_string() && group_.has_component(share->as_string())) {
            const std::string& owner = copy_.lender.empty() ? copy_.name : copy_.lender;
            *share = Value(owner + "_" + share->as_string()).at(share->place());
        }
    }

    // Replaces "${NAME}" of parameters; others are variables of the experiment.
    void fill_in(Value& value) {
        if (value.is_list()) {
            for (Value& item : value.items()) {
                fill_in(item);
            }
        } else if (value.is_table()) {
            for (Member& member : value.members()) {
                fill_in(member.value);
            }
        } else if (value.is_string()) {
            for (const auto& [name, given] : copy_.parameters) {
                fill_in(value, "${" + name + "}", name, given);
            }
        }
    }

    void fill_in(Value& value, const std::string& text, const std::string& name,
                 const Value& given) {
        if (!value.is_string() || value.as_string().find(text) == std::string::npos) {
            return;
        }
        group_.read_parameters.insert(name);
        if (value.as_string() == text) {
            value = given.place() == SourceLocation() ? given.at(value.place()) : given;
            return;
        }
        std::string whole = value.as_string();
        const std::string part = given.is_string() ? given.as_string() : inline_toml(given);
        for (std::size_t at = whole.find(text); at != whole.npos;
             at = whole.find(text, at + part.size())) {
            whole.replace(at, text.size(), part);
        }
        value = Value(std::move(whole)).at(value.place());
    }

    [[nodiscard]] Value shared(const Value& component, const Member& of_group) const {
        Value result = Value().at(component.place());
        const Value* const inner = component.find("share");
        result.set("share",
                   inner != nullptr
                       ? *inner
                       : Value(copy_.lender + "_" + of_group.key).at(component.place()),
                   component.place());
        for (const Member& member : component.members()) {
            if (std::ranges::find(kOwnKeys, member.key) != kOwnKeys.end()) {
                result.members().push_back(member);
            }
        }
        return result;
    }

    Group& group_;
    const Copy& copy_;
    const std::vector<std::string>& phases_;
};

}  // namespace

Member component_of(Group& group, const Copy& copy, const std::vector<std::string>& phases,
                    const Member& component) {
    return Writer(group, copy, phases).write(component);
}

}  // namespace ptp::experiment
