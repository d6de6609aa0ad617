// Reads [group] and the tables that use groups, and puts components in their places.

#include "experiment/load/groups.hpp"

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"
#include "experiment/load/group_copy.hpp"
#include "experiment/load/group_use.hpp"
#include "experiment/load/steps.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace ptp::experiment {

namespace {

constexpr std::string_view kName = "name";  // the parameter that each group has

class Expansion {
public:
    Expansion(Value& root, Diagnostics& problems) : root_(root), problems_(problems) {}

    GroupUses run(Layers* layers) {
        const std::size_t errors = problems_.error_count();
        Value* const pipeline = root_.find("pipeline");
        read_groups();
        if (pipeline == nullptr || !pipeline->is_table()) {
            return {};
        }
        std::map<std::string, std::vector<Member>> made;  // by each use
        for (const Member& member : pipeline->members()) {
            if (member.value.find("use") != nullptr) {
                expand(member, *pipeline, made[member.key]);
            }
        }
        std::vector<Member> components;
        for (const Member& member : pipeline->members()) {
            if (const auto found = made.find(member.key); found != made.end()) {
                std::ranges::move(found->second, std::back_inserter(components));
            } else if (is_component(member.value) || !refinements_.contains(member.key)) {
                components.push_back(member);
            }
        }
        pipeline->members() = std::move(components);
        name_in_disable(*pipeline);
        if (problems_.error_count() == errors) {
            warn_of_unused();
        }
        if (layers != nullptr && !uses_.empty()) {
            add_layer(*pipeline, *layers);
        }
        root_.erase("group");
        return std::move(uses_);
    }

private:
    void read_groups() {
        written_ = root_.find("group") == nullptr ? Value() : *root_.find("group");
        if (!written_.is_table()) {
            problems_.error(written_, "group", "must be a table, with a table for each group");
            return;
        }
        for (const Member& member : written_.members()) {
            const Scope scope{member.value, below("group", member.key), options_, problems_};
            if (!member.value.is_table()) {
                problems_.error(member.value, scope.path, "must be a table of components");
                continue;
            }
            Group group{.place = member.value.place()};
            group.components =
                read_fields(scope, {{.name = "streams", .into = &group.streams},
                                    {.name = "parameters", .into = &group.parameters}});
            for (const auto& entry : group.parameters) {
                if (entry.key == kName) {
                    problems_.error(entry.key_place, below(scope.key("parameters"), entry.key),
                                    Explanation{"is the name of the use, in each group",
                                                "give the parameter another name"});
                }
            }
            std::erase_if(group.components,
                          [&](const Member* component) { return !may_be_in(*component, scope); });
            groups_.emplace(member.key, std::move(group));
        }
    }

    bool may_be_in(const Member& member, const Scope& group) {
        if (!member.value.is_table()) {
            problems_.error(member.value, group.key(member.key),
                            "a component must be a table; other keys are streams and parameters");
            return false;
        }
        if (const Value* use = member.value.find("use")) {
            problems_.error(*use, group.key(member.key) + ".use", "a group cannot use another one");
            return false;
        }
        return true;
    }

    static bool is_component(const Value& value) {
        return value.find("type") != nullptr || value.find("share") != nullptr ||
               value.find("use") != nullptr || value.find("try") != nullptr;
    }

    // Writes the components of a use in its place.
    void expand(const Member& member, const Value& pipeline, std::vector<Member>& components) {
        const Scope scope{member.value, below("pipeline", member.key), options_, problems_};
        Use use;
        const std::size_t before = problems_.error_count();
        read_all_fields(scope, use.fields());
        const auto found = groups_.find(use.group);
        if (problems_.error_count() > before) {
            return;
        }
        if (found == groups_.end()) {
            problems_.error(*member.value.find("use"), scope.key("use"),
                            "unknown group" + hint(use.group, names_of(groups_)));
            return;
        }
        found->second.is_used = true;
        const std::vector<Copy> copies = copies_of(use, scope, member.key, found->second);
        if (problems_.error_count() > before || !expanded_.problem.empty()) {
            return;
        }
        if (!use.is_enabled) {
            leave_out(copies, found->second);
            return;
        }
        GroupUse& made = uses_.emplace_back(
            GroupUse{member.key, use.group, member.value.place(), found->second.place});
        first_names_[member.key] = copies.front().name;
        for (const Copy& copy : copies) {
            for (const Member* component : found->second.components) {
                Member written =
                    component_of(found->second, copy, use.phases, *component, expanded_);
                if (!expanded_.problem.empty()) {
                    problems_.error(member.value.place(), scope.path, expanded_.problem);
                    return;
                }
                note_maker(written.key, scope);
                refine(written, pipeline, scope);
                made.components.push_back(written.key);
                made.copies.push_back(copy.name);
                components.push_back(std::move(written));
            }
        }
    }

    // Has the tables that would be laid over components of a use removed with it.
    void leave_out(const std::vector<Copy>& copies, const Group& group) {
        for (const Copy& copy : copies) {
            for (const Member* component : group.components) {
                refinements_.insert(name_of(copy, *component));
            }
        }
    }

    // Reports a name that another use has made.
    void note_maker(const std::string& component, const Scope& use) {
        const auto [first, is_new] = makers_.emplace(component, use.table.place());
        if (!is_new) {
            problems_.error(use.table.place(), use.path,
                            Explanation{fmt::format("makes the component '{}', which the use at {} "
                                                    "makes, too",
                                                    component, first->second.text()),
                                        "give one of the two uses another name"});
        }
    }

    // Lays a table of the pipeline without a type, [pipeline.left_encoder], over the component of
    // this name that the group has made.
    void refine(Member& written, const Value& pipeline, const Scope& use) {
        const Value* const other = pipeline.find(written.key);
        if (other == nullptr) {
            return;
        }
        if (!other->is_table() || is_component(*other)) {
            problems_.error(use.table.place(), use.path,
                            fmt::format("makes the component '{}', which is there already, at {}",
                                        written.key, other->place().text()));
            return;
        }
        merge(written.value, *other, below("pipeline", written.key), problems_);
        refinements_.insert(written.key);
    }

    std::vector<Copy> copies_of(const Use& use, const Scope& scope, const std::string& name,
                                const Group& group) {
        Copy copy{.name = name, .lender = lender_of(use, scope)};
        for (const auto& entry : use.streams) {
            check_stream(entry.key, entry.key_place, scope.key("streams"), group);
            copy.streams.emplace(entry.key, Value(entry.value).at(entry.place));
        }
        copy.parameters = parameters_of(use, scope, group);
        std::size_t count = use.map.empty() ? 1 : 0;
        for (const auto& entry : use.map) {
            check_stream(entry.key, entry.key_place, scope.key("map"), group);
            if (copy.streams.contains(entry.key)) {
                problems_.error(entry.key_place, below(scope.key("map"), entry.key),
                                Explanation{"is in streams, too", "remove it there"});
            }
            const bool is_list = entry.value->is_list() && !entry.value->items().empty() &&
                                 std::ranges::all_of(entry.value->items(), &Value::is_string);
            const std::size_t length = is_list ? entry.value->items().size() : 0;
            count = count == 0 ? length : count;
            if (!is_list || length != count) {
                problems_.error(*entry.value, below(scope.key("map"), entry.key),
                                is_list ? fmt::format("must have {} streams, as the first list of "
                                                      "map",
                                                      count)
                                        : "must be a list of names of streams");
                return {};
            }
        }
        std::vector<Copy> copies;
        for (std::size_t i = 0; i < count; ++i) {
            copies.push_back(copy);
            if (use.map.empty()) {
                break;
            }
            copies.back().name = fmt::format("{}_{}", name, i + 1);
            copies.back().lender = !copy.lender.empty() || i == 0 || use.weights == "own"
                                       ? copy.lender
                                       : copies.front().name;
            for (const auto& entry : use.map) {
                copies.back().streams.insert_or_assign(entry.key, entry.value->items()[i]);
            }
        }
        for (Copy& each : copies) {
            each.parameters.insert_or_assign(std::string(kName), Value(each.name));
        }
        return copies;
    }

    // Returns the first copy of the use that `share` names; "" for weights of its own.
    std::string lender_of(const Use& use, const Scope& scope) {
        if (use.share.empty()) {
            return "";
        }
        std::vector<std::string> names;
        for (const GroupUse& other : uses_) {
            if (other.group == use.group && !borrowers_.contains(other.name)) {
                names.push_back(other.name);
            }
        }
        const Value& share = *scope.table.find("share");
        if (!contains(names, use.share)) {
            problems_.error(share, scope.key("share"),
                            fmt::format("must be an earlier use of the group '{}' that has its own "
                                        "weights{}",
                                        use.group, hint(use.share, names)));
        }
        borrowers_.insert(scope.path.substr(std::string_view("pipeline.").size()));
        if (!use.parameters.empty()) {
            problems_.error(
                *scope.table.find("parameters"), scope.key("parameters"),
                fmt::format("has no meaning beside share: they are those of '{}'", use.share));
        }
        return first_names_[use.share];
    }

    void check_stream(const std::string& name, const SourceLocation& place,
                      const std::string& table, const Group& group) {
        if (!contains(group.stream_names(), name)) {
            problems_.error(
                place, below(table, name),
                "is not among the streams of the group" + hint(name, group.stream_names()));
        }
    }

    std::map<std::string, Value> parameters_of(const Use& use, const Scope& scope,
                                               const Group& group) {
        std::map<std::string, Value> values;
        for (const auto& entry : group.parameters) {
            values.emplace(entry.key, *entry.value);
        }
        for (const auto& entry : use.parameters) {
            if (!values.contains(entry.key)) {
                problems_.error(
                    entry.key_place, below(scope.key("parameters"), entry.key),
                    "is not among the parameters of the group" + hint(entry.key, names_of(values)));
            }
            values.insert_or_assign(entry.key, *entry.value);
        }
        return values;
    }

    // A use in [pipeline] disable is all of its components.
    void name_in_disable(Value& pipeline) const {
        Value* const disable = pipeline.find("disable");
        if (disable == nullptr || !disable->is_list()) {
            return;
        }
        std::vector<Value> names;
        for (const Value& name : disable->items()) {
            const auto use = std::ranges::find_if(uses_, [&](const GroupUse& each) {
                return name.is_string() && each.name == name.as_string();
            });
            if (use == uses_.end()) {
                names.push_back(name);
                continue;
            }
            for (const std::string& component : use->components) {
                names.push_back(Value(component).at(name.place()));
            }
        }
        disable->items() = std::move(names);
    }

    void warn_of_unused() {
        for (const auto& [name, group] : groups_) {
            if (!group.is_used) {
                problems_.warning(group.place, below("group", name), "never used");
            }
            for (const auto& entry : group.parameters) {
                if (group.is_used && !group.read_parameters.contains(entry.key)) {
                    problems_.warning(entry.key_place,
                                      below(below("group", name) + ".parameters", entry.key),
                                      "never used");
                }
            }
        }
    }

    void add_layer(const Value& pipeline, Layers& layers) const {
        Value made;
        for (const GroupUse& use : uses_) {
            for (const std::string& name : use.components) {
                if (const Value* component = pipeline.find(name)) {
                    made.set(name, *component);
                }
            }
        }
        layers.push_back({Value::table({{"pipeline", std::move(made)}}), {}});
    }

    template <class T>
    static std::vector<std::string> names_of(const std::map<std::string, T>& map) {
        return transformed(map, &std::map<std::string, T>::value_type::first);
    }

    Value& root_;
    Diagnostics& problems_;
    const schema::ReadOptions options_ = {};
    Value written_;  // [group], which the groups point into
    std::map<std::string, Group> groups_;
    Expanded expanded_;
    GroupUses uses_;
    std::map<std::string, SourceLocation> makers_;  // of each component: its use
    std::set<std::string> refinements_;  // tables that are laid over components of groups
    std::set<std::string> borrowers_;    // uses whose weights are another one's
    std::map<std::string, std::string> first_names_;  // of each use: the name of its first copy
};

}  // namespace

GroupUses expand_groups(Value& root, Diagnostics& problems, Layers* layers) {
    return Expansion(root, problems).run(layers);
}

}  // namespace ptp::experiment
