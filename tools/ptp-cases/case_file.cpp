// Reads the cases of a file, with their defaults; their steps are in step_reader.cpp.

#include "ptp-cases/case_file.hpp"

#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"

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

// The members of a case that its steps inherit.
const std::set<std::string>& inherited() {
    static const std::set<std::string> keys{"inputs", "tolerance", "differentiate",
                                            "output_gradient"};
    return keys;
}

Value defaults_of_steps(const Value& table) {
    Value result;
    for (const Member& member : table.members()) {
        if (inherited().contains(member.key)) {
            result.set(member.key, member.value, member.key_place);
        }
    }
    return result;
}

class CaseReader {
public:
    CaseReader(Numbers& numbers, std::set<std::string>& names) : numbers_(numbers), names_(names) {}

    // Reads a case whose table already contains the defaults of the file.
    Case read(const Scope& scope);

private:
    std::vector<schema::Field> fields();
    void read_steps(const Scope& scope);
    void read_step(const Scope& scope);
    void read_sizes(const Scope& scope);
    void refuse_keys_of_steps(const Scope& scope);
    void take_name(const Scope& scope, const std::string& name);

    Numbers& numbers_;
    std::set<std::string>& names_;  // names of steps and cases
    Case result_;
    RawTable settings_;
    Map<Raw> sizes_;
    RawTable globals_;
    Map<Raw> parameters_;
    Map<Raw> buffers_;
    Raw step_ = nullptr;
};

std::vector<schema::Field> CaseReader::fields() {
    return {{.name = "name",
             .into = &result_.name,
             .help = "a sentence: what is tested",
             .is_filled = true,
             .is_required = true},
            {.name = "settings", .into = &settings_, .help = "of the component"},
            {.name = "sizes", .into = &sizes_, .help = "of dimensions, known before data flows"},
            {.name = "globals", .into = &globals_, .help = "published by other components"},
            {.name = "elements",
             .into = &result_.elements,
             .help = "of streams at ports that take any",
             .choices = {"float", "integer", "bool", "byte"}},
            {.name = "optional_inputs",
             .into = &result_.optional_inputs,
             .help = "optional ports that are wired"},
            {.name = "instance", .into = &result_.instance, .help = "its name in the pipeline"},
            {.name = "section", .into = &result_.section, .help = "of a task"},
            {.name = "seed", .into = &result_.seed, .help = "before the component is created"},
            {.name = "parameters", .into = &parameters_, .help = "initial values; '*': of all"},
            {.name = "buffers", .into = &buffers_, .help = "initial values"},
            {.name = "counting",
             .into = &result_.has_counting,
             .help = "checks that masked samples have no effect on a loss"},
            {.name = "step", .into = &step_, .help = "calls of one instance, in order"}};
}

Case CaseReader::read(const Scope& scope) {
    Step only;
    StepReader reader(only);
    std::vector<schema::Field> all = fields();
    const bool has_steps = scope.table.find("step") != nullptr;
    for (schema::Field& field : reader.fields()) {
        all.push_back(std::move(field));
    }
    schema::read_all_fields(scope, all);
    result_.place = scope.table.place();
    result_.settings = settings_.table == nullptr ? "" : to_toml(*settings_.table);
    result_.globals = globals_.table == nullptr ? Value() : *globals_.table;
    result_.parameters = read_tensors(scope, "parameters", parameters_);
    result_.buffers = read_tensors(scope, "buffers", buffers_);
    read_sizes(scope);
    take_name(scope, result_.name);
    if (has_steps) {
        refuse_keys_of_steps(scope);
        read_steps(scope);
        return std::move(result_);
    }
    reader.finish(scope, numbers_);
    only.name = result_.name;
    if (!only.has_expectation && !only.refused && !result_.has_counting) {
        scope.problems.error(scope.table.place(), scope.path,
                             "expects nothing: must have expect, refused, counting or step");
    }
    result_.steps.push_back(std::move(only));
    return std::move(result_);
}

void CaseReader::read_sizes(const Scope& scope) {
    for (const auto& size : sizes_) {
        if (!size.value->is_integer()) {
            scope.problems.error(*size.value, scope.key("sizes") + "." + size.key,
                                 "must be an integer");
        } else {
            result_.sizes.push_back({.key = size.key,
                                     .key_place = size.key_place,
                                     .value = size.value->as_integer(),
                                     .place = size.place});
        }
    }
}

void CaseReader::take_name(const Scope& scope, const std::string& name) {
    if (!name.empty() && !names_.insert(name).second) {
        scope.problems.error(*scope.table.find("name"), scope.key("name"),
                             "another case or step of the file has this name");
    }
}

void CaseReader::refuse_keys_of_steps(const Scope& scope) {
    Step unused;
    for (const schema::Field& field : StepReader(unused).fields()) {
        const Value* value = scope.table.find(field.name);
        if (value != nullptr && !inherited().contains(std::string(field.name))) {
            scope.problems.error(value->place(), scope.key(field.name),
                                 "belongs into a step, because the case has steps");
        }
    }
}

void CaseReader::read_steps(const Scope& scope) {
    if (!step_->is_list() || step_->items().empty() ||
        !std::ranges::all_of(step_->items(), &Value::is_table)) {
        scope.problems.error(step_->place(), scope.key("step"), "must be tables [[case.step]]");
        return;
    }
    const Value defaults = defaults_of_steps(scope.table);
    for (std::size_t i = 0; i < step_->items().size(); ++i) {
        const Value table = with_defaults(step_->items()[i], defaults);
        read_step(
            {table, fmt::format("{}[{}]", scope.key("step"), i), scope.options, scope.problems});
    }
    const Step& last = result_.steps.back();
    if (!last.has_expectation && !last.refused) {
        scope.problems.error(last.place, scope.key("step"),
                             "the last step expects nothing: must have expect or refused");
    }
}

void CaseReader::read_step(const Scope& scope) {
    Step& step = result_.steps.emplace_back();
    StepReader reader(step);
    std::vector<schema::Field> all = reader.fields();
    all.push_back({.name = "name",
                   .into = &step.name,
                   .help = "for same_as, differs_from and state_of",
                   .is_filled = true});
    all.push_back({.name = "seed", .into = &step.seed, .help = "before the call"});
    schema::read_all_fields(scope, all);
    reader.finish(scope, numbers_);
    take_name(scope, step.name);
}

void read_cases(const Scope& scope, const Value& cases, const Value& defaults, Numbers& numbers,
                CaseFile& into) {
    if (!cases.is_list() || !std::ranges::all_of(cases.items(), &Value::is_table)) {
        scope.problems.error(cases.place(), "case", "must be tables [[case]]");
        return;
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < cases.items().size(); ++i) {
        const Value table = with_defaults(cases.items()[i], defaults);
        into.cases.push_back(
            CaseReader(numbers, names)
                .read({table, fmt::format("case[{}]", i), scope.options, scope.problems}));
    }
}

void refuse_unused(const Scope& scope, const Numbers& numbers) {
    for (const Member& member : numbers.table->members()) {
        if (!numbers.used.contains(member.key)) {
            scope.problems.error(member.key_place, "numbers." + member.key,
                                 "no case has these numbers");
        }
    }
}

}  // namespace

CaseFile read_case_file(const std::string& text, const std::string& name, Diagnostics& problems) {
    CaseFile result;
    const auto document = read_toml(text, name, problems);
    if (!document) {
        return result;
    }
    const schema::ReadOptions options;
    const Scope scope{*document, "", options, problems};
    RawTable all;
    RawTable numbers_table;
    Raw cases = nullptr;
    schema::read_all_fields(
        scope,
        {{.name = "source",
          .into = &result.source,
          .help = "where the expected numbers come from: a formula, hand work, a script",
          .is_filled = true,
          .is_required = true},
         {.name = "component",
          .into = &result.component,
          .help = "its type, or plugin/type",
          .is_filled = true,
          .is_required = true},
         {.name = "all", .into = &all, .help = "keys that all cases have"},
         {.name = "numbers", .into = &numbers_table, .help = "expectations that a script writes"},
         {.name = "case", .into = &cases, .help = "the cases", .is_required = true}});
    if (const Value* component = document->find("component")) {
        result.component_place = component->place();
    }
    Numbers numbers{.table = numbers_table.table};
    if (cases != nullptr) {
        read_cases(scope, *cases, all.table == nullptr ? Value() : *all.table, numbers, result);
    }
    if (numbers.table != nullptr && problems.ok()) {
        refuse_unused(scope, numbers);
    }
    return result;
}

void use_cuda_tolerances(CaseFile& file) {
    for (Case& one : file.cases) {
        for (Step& step : one.steps) {
            step.tolerance = step.cuda_tolerance.value_or(step.tolerance);
        }
    }
}

}  // namespace ptp::cases
