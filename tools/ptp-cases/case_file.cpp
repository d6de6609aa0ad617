// Reads the cases of a file, with their defaults; their steps are in step_reader.cpp.

#include "ptp-cases/case_file.hpp"

#include "base/toml_reader.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::cases {

namespace {

using schema::Raw;
using schema::RawTable;
using schema::Scope;

// Returns `above` with missing members taken from `below`; these tables are merged member by
// member.
Value with_defaults(const Value& above, const Value& below) {
    static const std::set<std::string> kMerged{"settings", "sizes",      "globals", "elements",
                                               "inputs",   "parameters", "buffers"};
    Value result = above;
    for (const Member& member : below.members()) {
        Value* own = result.find(member.key);
        if (own == nullptr) {
            result.set(member.key, member.value, member.key_place);
        } else if (kMerged.contains(member.key) && own->is_table() && member.value.is_table()) {
            *own = with_defaults(*own, member.value);
        }
    }
    return result;
}

// The keys of a step in a case that has steps: those that are for all of them, and the others.
const std::vector<std::string>& inherited() {
    static const std::vector<std::string> keys{"inputs", "tolerance", "differentiate",
                                               "output_gradient"};
    return keys;
}
const std::vector<std::string>& of_one_step() {
    static const std::vector<std::string> keys{"restored",   "reset",   "training", "set",
                                               "batch_size", "samples", "expect",   "refused"};
    return keys;
}

bool are_tables(const Value& list) {
    return list.is_list() && std::ranges::all_of(list.items(), &Value::is_table);
}

class FileReader {
public:
    explicit FileReader(Diagnostics& problems) : problems_(problems) {}

    CaseFile read(const Value& document);

private:
    // Read a case or a step whose table already has its defaults.
    Case read_case(const Scope& scope);
    void read_steps(const Scope& scope, const std::vector<schema::Field>& fields, const Raw& list,
                    Case& into);
    void take_name(const Scope& scope, const std::string& name);

    const schema::ReadOptions options_;
    Diagnostics& problems_;
    Numbers numbers_;
    std::set<std::string> names_;  // of steps and cases
};

void FileReader::take_name(const Scope& scope, const std::string& name) {
    if (!name.empty() && !names_.insert(name).second) {
        problems_.error(*scope.table.find("name"), scope.key("name"),
                        "another case or step of the file has this name");
    }
}

// Reads a case that has steps.
void FileReader::read_steps(const Scope& scope, const std::vector<schema::Field>& fields,
                            const Raw& list, Case& into) {
    Value defaults;
    for (const Member* const member : schema::read_fields(scope, fields)) {
        if (std::ranges::count(inherited(), member->key) > 0) {
            defaults.set(member->key, member->value, member->key_place);
        } else if (std::ranges::count(of_one_step(), member->key) > 0) {
            problems_.error(member->value.place(), scope.key(member->key),
                            "belongs into a step, because the case has steps");
        } else {
            schema::refuse_unknown(scope, *member, fields, inherited());
        }
    }
    if (!are_tables(*list) || list->items().empty()) {
        problems_.error(list->place(), scope.key("step"), "must be tables [[case.step]]");
        return;
    }
    for (const Value& item : list->items()) {
        const Value table = with_defaults(item, defaults);
        const Scope inner{table, fmt::format("{}[{}]", scope.key("step"), into.steps.size()),
                          scope.options, problems_};
        std::string name;
        std::optional<std::int64_t> seed;
        Step& step = into.steps.emplace_back(read_step(
            inner,
            {{.name = "name", .into = &name, .is_filled = true}, {.name = "seed", .into = &seed}},
            numbers_));
        step.name = name;
        step.seed = seed;
        take_name(inner, name);
    }
    const Step& last = into.steps.back();
    if (!last.expect && !last.refused) {
        problems_.error(last.place, scope.key("step"),
                        "the last step expects nothing: must have expect or refused");
    }
}

Case FileReader::read_case(const Scope& scope) {
    Case result;
    result.place = scope.table.place();
    RawTable settings;
    RawTable globals;
    Map<Raw> sizes;
    Map<Raw> parameters;
    Map<Raw> buffers;
    Raw steps = nullptr;
    const std::vector<schema::Field> fields{
        {.name = "name",
         .into = &result.name,
         .help = "a sentence: what is tested",
         .is_filled = true,
         .is_required = true},
        {.name = "settings", .into = &settings},
        {.name = "sizes", .into = &sizes},
        {.name = "globals", .into = &globals},
        {.name = "elements",
         .into = &result.elements,
         .choices = {"float", "integer", "bool", "byte"}},
        {.name = "optional_inputs", .into = &result.optional_inputs},
        {.name = "instance", .into = &result.instance},
        {.name = "section", .into = &result.section},
        {.name = "seed", .into = &result.seed},
        {.name = "parameters", .into = &parameters},
        {.name = "buffers", .into = &buffers},
        {.name = "counting", .into = &result.has_counting},
        {.name = "step", .into = &steps}};
    if (scope.table.find("step") != nullptr) {
        read_steps(scope, fields, steps, result);
    } else {
        const Step& only = result.steps.emplace_back(read_step(scope, fields, numbers_));
        if (!only.expect && !only.refused && !result.has_counting) {
            problems_.error(result.place, scope.path,
                            "expects nothing: must have expect, refused, counting or step");
        }
        result.steps.front().name = result.name;
    }
    result.settings = settings.table == nullptr ? Value() : *settings.table;
    result.globals = globals.table == nullptr ? Value() : *globals.table;
    result.parameters = read_each(scope, "parameters", parameters, read_tensor);
    result.buffers = read_each(scope, "buffers", buffers, read_tensor);
    result.sizes = read_each(scope, "sizes", sizes, read_integer);
    take_name(scope, result.name);
    return result;
}

CaseFile FileReader::read(const Value& document) {
    CaseFile result;
    const Scope scope{document, "", options_, problems_};
    RawTable all;
    RawTable numbers;
    Raw cases = nullptr;
    schema::read_all_fields(
        scope, {{.name = "source",
                 .into = &result.source,
                 .help = "where the expected numbers come from: a formula, hand work, a script",
                 .is_filled = true,
                 .is_required = true},
                {.name = "component",
                 .into = &result.component,
                 .help = "its type, or plugin/type",
                 .is_filled = true,
                 .is_required = true},
                {.name = "all", .into = &all},
                {.name = "numbers", .into = &numbers},
                {.name = "case", .into = &cases, .help = "the cases", .is_required = true}});
    if (const Value* component = document.find("component")) {
        result.component_place = component->place();
    }
    numbers_.table = numbers.table;
    if (cases != nullptr && !are_tables(*cases)) {
        problems_.error(cases->place(), "case", "must be tables [[case]]");
    } else if (cases != nullptr) {
        for (const Value& item : cases->items()) {
            const Value table = with_defaults(item, all.table == nullptr ? Value() : *all.table);
            result.cases.push_back(read_case(
                {table, fmt::format("case[{}]", result.cases.size()), options_, problems_}));
        }
    }
    if (numbers_.table != nullptr && problems_.ok()) {
        for (const Member& member : numbers_.table->members()) {
            if (!numbers_.used.contains(member.key)) {
                problems_.error(member.key_place, "numbers." + member.key,
                                "no case has these numbers");
            }
        }
    }
    return result;
}

}  // namespace

CaseFile read_case_file(const std::string& text, const std::string& name, Diagnostics& problems) {
    const auto document = read_toml(text, name, problems);
    return document ? FileReader(problems).read(*document) : CaseFile();
}

void use_cuda_tolerances(CaseFile& file) {
    for (Case& one : file.cases) {
        for (Step& step : one.steps) {
            step.tolerance = step.cuda_tolerance.value_or(step.tolerance);
        }
    }
}

}  // namespace ptp::cases
