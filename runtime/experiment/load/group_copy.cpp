// Writes components of a group for one of its uses: streams, parameters, shared weights.

#include "experiment/load/group_copy.hpp"

#include "base/toml_writer.hpp"
#include "experiment/load/steps.hpp"
#include "experiment/readers.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace ptp::experiment {

namespace {

// Replaces "${NAME}" of parameters; others are variables of the experiment, and "$${" stays.
class Filler {
public:
    Filler(Group& group, const Copy& copy, Expanded& expanded)
        : group_(group), copy_(copy), expanded_(expanded) {}

    void fill_in(Value& value) {
        if (value.is_list()) {
            for (Value& item : value.items()) {
                fill_in(item);
            }
        } else if (value.is_table()) {
            for (Member& member : value.members()) {
                fill_in(member.value);
            }
        } else if (value.is_string() && value.as_string().find("${") != std::string::npos) {
            value = filled(value);
        }
    }

private:
    Value filled(const Value& text) {
        if (const std::string name = variable_of(text); !name.empty()) {
            const auto given = parameter(name);
            return !given                               ? text
                   : given->place() == SourceLocation() ? given->at(text.place())
                                                        : *given;
        }
        std::string whole;
        SourceLocation place = text.place();
        std::string_view rest = text.as_string();
        for (std::size_t at = rest.find("${"); at != rest.npos; at = rest.find("${")) {
            const bool is_plain = at > 0 && rest[at - 1] == '$';
            const std::size_t end = is_plain ? at + 1 : rest.find('}', at);
            if (end == rest.npos) {
                break;
            }
            const auto given =
                is_plain ? std::nullopt : parameter(std::string(rest.substr(at + 2, end - at - 2)));
            whole += rest.substr(0, given ? at : end + 1);
            if (given) {
                place = whole.empty() ? place_of(*given, text) : place;
                whole += given->is_string() ? given->as_string() : inline_toml(*given);
            }
            rest.remove_prefix(end + 1);
        }
        whole += rest;
        return Value(std::move(whole)).at(std::move(place));
    }

    // Returns the value of a parameter, in which others are replaced, but not itself: there its
    // name is a variable of the experiment. nullopt if there is none.
    std::optional<Value> parameter(const std::string& name) {
        const auto found = copy_.parameters.find(name);
        if (found == copy_.parameters.end() || contains(chain_, name) ||
            !expanded_.problem.empty()) {
            return std::nullopt;
        }
        if (chain_.size() >= kMaxInARow) {
            expanded_.problem = "more than 32 parameters in a row";
            return std::nullopt;
        }
        group_.read_parameters.insert(name);
        Value value = found->second;
        chain_.push_back(name);
        fill_in(value);
        chain_.pop_back();
        expanded_.add(value);
        return value;
    }

    Group& group_;
    const Copy& copy_;
    Expanded& expanded_;
    std::vector<std::string> chain_;  // parameters that are being replaced
};

class Writer {
public:
    Writer(Group& group, const Copy& copy, const std::vector<std::string>& phases,
           Expanded& expanded)
        : group_(group), copy_(copy), phases_(phases), expanded_(expanded) {}

    // Returns a component of the group for this copy.
    Member write(const Member& component) {
        Member written{name_of(copy_, component), component.key_place, component.value};
        rename_streams(written.value);
        rename_share(written.value);
        rename_tried(written.value);
        Filler(group_, copy_, expanded_).fill_in(written.value);
        expanded_.add(written.value);
        const bool tries = component.value.find("try") != nullptr;
        if (!copy_.lender.empty() && !tries) {
            written.value = shared(written.value, component);
        }
        if (!phases_.empty() && written.value.find("phases") == nullptr &&
            !group_.tries(component.key)) {
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

    // A component of the group tries those of its own copy.
    void rename_tried(Value& component) const {
        Value* const tried = component.find("try");
        for (std::size_t i = 0; tried != nullptr && tried->is_list() && i < tried->items().size();
             ++i) {
            Value& name = tried->items()[i];
            if (name.is_string() && group_.has_component(name.as_string())) {
                name = Value(copy_.name + "_" + name.as_string()).at(name.place());
            }
        }
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
            if (is_own_beside_share(member.key)) {
                result.members().push_back(member);
            }
        }
        return result;
    }

    Group& group_;
    const Copy& copy_;
    const std::vector<std::string>& phases_;
    Expanded& expanded_;
};

}  // namespace

void Expanded::add(const Value& value) {
    bytes += weight(value);
    if (bytes > kMaxExpandedBytes && problem.empty()) {
        problem = "groups make the experiment larger than 16 MiB";
    }
}

Member component_of(Group& group, const Copy& copy, const std::vector<std::string>& phases,
                    const Member& component, Expanded& expanded) {
    return Writer(group, copy, phases, expanded).write(component);
}

}  // namespace ptp::experiment
