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
    std::vector<Case> read_cases(const Value& list, const Value& defaults);
    // Reads a case whose table already has its defaults.
    Case read_case(const Scope& scope);
    void read_steps(const Scope& scope, const std::vector<schema::Field>& fields, const Raw& list,
                    Case& into);
    void refuse_unused_numbers();
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

// A case as its file has it, before its numbers are read.
struct RawCase {
    RawTable settings;
    RawTable globals;
    Map<Raw> sizes;
    Map<Raw> parameters;
    Map<Raw> buffers;
    Raw steps = nullptr;
};

std::vector<schema::Field> fields_of_case(RawCase& raw, Case& into) {
    return {{.name = "name",
             .into = &into.name,
             .help = "a sentence: what is tested",
             .is_filled = true,
             .is_required = true},
            {.name = "settings", .into = &raw.settings},
            {.name = "sizes", .into = &raw.sizes},
            {.name = "globals", .into = &raw.globals},
            {.name = "elements",
             .into = &into.elements,
             .choices = {"float", "integer", "bool", "byte"}},
            {.name = "optional_inputs", .into = &into.optional_inputs},
            {.name = "instance", .into = &into.instance},
            {.name = "section", .into = &into.section},
            {.name = "seed", .into = &into.seed},
            {.name = "parameters", .into = &raw.parameters},
            {.name = "buffers", .into = &raw.buffers},
            {.name = "counting", .into = &into.has_counting},
            {.name = "step", .into = &raw.steps}};
}

Case FileReader::read_case(const Scope& scope) {
    Case result;
    result.place = scope.table.place();
    RawCase raw;
    const std::vector<schema::Field> fields = fields_of_case(raw, result);
    if (scope.table.find("step") != nullptr) {
        read_steps(scope, fields, raw.steps, result);
    } else {
        const Step& only = result.steps.emplace_back(read_step(scope, fields, numbers_));
        if (!only.expect && !only.refused && !result.has_counting) {
            problems_.error(result.place, scope.path,
                            "expects nothing: must have expect, refused, counting or step");
        }
        result.steps.front().name = result.name;
    }
    result.settings = raw.settings.table == nullptr ? Value() : *raw.settings.table;
    result.globals = raw.globals.table == nullptr ? Value() : *raw.globals.table;
    result.parameters = read_each(scope, "parameters", raw.parameters, read_tensor);
    result.buffers = read_each(scope, "buffers", raw.buffers, read_tensor);
    result.sizes = read_each(scope, "sizes", raw.sizes, read_integer);
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
    if (cases != nullptr) {
        result.cases = read_cases(*cases, all.table == nullptr ? Value() : *all.table);
    }
    refuse_unused_numbers();
    return result;
}

std::vector<Case> FileReader::read_cases(const Value& list, const Value& defaults) {
    std::vector<Case> cases;
    if (!are_tables(list)) {
        problems_.error(list.place(), "case", "must be tables [[case]]");
        return cases;
    }
    for (const Value& item : list.items()) {
        const Value table = with_defaults(item, defaults);
        cases.push_back(
            read_case({table, fmt::format("case[{}]", cases.size()), options_, problems_}));
    }
    return cases;
}

void FileReader::refuse_unused_numbers() {
    if (numbers_.table == nullptr || !problems_.ok()) {
        return;
    }
    for (const Member& member : numbers_.table->members()) {
        if (!numbers_.used.contains(member.key)) {
            problems_.error(member.key_place, "numbers." + member.key, "no case has these numbers");
        }
    }
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
