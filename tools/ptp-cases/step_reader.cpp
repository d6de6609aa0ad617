// Reads the keys of a step: its inputs, its expectations and the refusal.

#include "base/suggest.hpp"
#include "ptp-cases/case_file.hpp"

#include <fmt/core.h>

#include <array>
#include <utility>

namespace ptp::cases {

namespace {

using schema::Raw;
using schema::RawTable;
using schema::Scope;

StreamSpec read_one_tensor(const Scope& scope, std::string_view name, const Value& value) {
    return read_tensor(scope, name, value);
}

Expectation read_expectation(const Scope& scope) {
    Expectation result;
    RawTable published;
    std::map<std::string, Map<Raw>> raw;  // the tables of tensors, sizes and numbers
    std::vector<schema::Field> fields{
        {.name = "size", .into = &result.size, .range = "[0, inf)"},
        {.name = "no_gradients", .into = &result.no_gradients},
        {.name = "finite_gradients", .into = &result.finite_gradients},
        {.name = "all_parameters_have_gradients", .into = &result.all_parameters_have_gradients},
        {.name = "log", .into = &result.log},
        {.name = "published", .into = &published},
        {.name = "same_as", .into = &result.same_as, .is_filled = true},
        {.name = "differs_from", .into = &result.differs_from, .is_filled = true},
        {.name = "state_of", .into = &result.state_of, .is_filled = true}};
    for (const char* name : {"outputs", "gradients", "parameters", "buffers", "shapes",
                             "parameter_shapes", "buffer_shapes", "collected", "aggregated"}) {
        fields.push_back({.name = name, .into = &raw[name]});
    }
    schema::read_all_fields(scope, fields);
    for (const auto& [name, values] : raw) {
        if (scope.table.find(name) == nullptr) {
            continue;
        }
        if (name.ends_with("shapes")) {
            result.shapes[name] = read_each(scope, name, values, read_shape);
        } else if (name == "collected" || name == "aggregated") {
            result.statistics[name] = read_each(scope, name, values, read_number);
        } else {
            result.values[name] =
                read_each(scope, name, values, name == "outputs" ? read_stream : read_one_tensor);
        }
    }
    result.published = published.table == nullptr ? Value() : *published.table;
    return result;
}

// Returns the table of [numbers] with this name; nullptr after reporting that there is none.
const Value* find_numbers(const Scope& scope, const Value& name, const Value* tables) {
    const Value* const found = tables == nullptr ? nullptr : tables->find(name.as_string());
    if (found != nullptr && found->is_table()) {
        return found;
    }
    std::vector<std::string> known;
    if (tables != nullptr) {
        for (const Member& member : tables->members()) {
            known.push_back(member.key);
        }
    }
    scope.problems.error(
        name, scope.key("expect"),
        fmt::format("no table [numbers.{}]{}", name.as_string(), hint(name.as_string(), known)));
    return nullptr;
}

// Returns the expectation merged with those of [numbers] that it names; nullopt after reporting a
// problem.
std::optional<Value> whole_expectation(const Scope& scope, const Value& expect, Numbers& numbers) {
    const Value* const name = expect.is_string() ? &expect : expect.find("numbers");
    if (name == nullptr && expect.is_table()) {
        return expect;
    }
    if (name == nullptr || !name->is_string()) {
        scope.problems.error(name == nullptr ? expect : *name, scope.key("expect"),
                             "must be a table, or the name of one in [numbers]");
        return std::nullopt;
    }
    const Value* const found = find_numbers(scope, *name, numbers.table);
    if (found == nullptr) {
        return std::nullopt;
    }
    numbers.used.insert(name->as_string());
    Value whole = *found;
    if (expect.is_table()) {
        for (const Member& member : expect.members()) {
            if (member.key != "numbers") {
                whole.set(member.key, member.value, member.key_place);
            }
        }
    }
    return whole;
}

std::optional<Refused> read_refused(const Scope& scope) {
    constexpr std::array<std::pair<const char*, Refusal>, 4> kKinds{
        {{"config", Refusal::kConfig},
         {"data", Refusal::kData},
         {"internal", Refusal::kInternal},
         {"internal_with", Refusal::kInternal}}};
    std::array<std::string, kKinds.size()> texts;
    std::vector<schema::Field> fields;
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        fields.push_back({.name = kKinds[i].first,
                          .into = &texts[i],
                          .is_filled = true,
                          .is_alternative = true});
    }
    schema::read_all_fields(scope, fields);
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        if (!texts[i].empty()) {
            return Refused{.as = kKinds[i].second, .text = texts[i], .is_part = i == 3};
        }
    }
    return std::nullopt;
}

std::vector<schema::Field> fields_of(Tolerance& tolerance) {
    return {{.name = "relative", .into = &tolerance.relative, .range = "[0, 1)"},
            {.name = "absolute", .into = &tolerance.absolute, .range = "[0, inf)"}};
}

void read_tolerance(const Scope& scope, Step& step) {
    RawTable cuda;
    std::vector<schema::Field> fields = fields_of(step.tolerance);
    fields.push_back({.name = "cuda", .into = &cuda});
    schema::read_all_fields(scope, fields);
    if (cuda.table != nullptr) {
        schema::read_all_fields(scope.at(*cuda.table, "cuda"),
                                fields_of(step.cuda_tolerance.emplace()));
    }
}

void read_expected(const Scope& scope, const Value& expect, Numbers& numbers, Step& step) {
    step.expect.emplace();
    if (step.refused) {
        scope.problems.error(expect, scope.key("expect"),
                             "a step that is refused has nothing else to expect");
    }
    if (const auto whole = whole_expectation(scope, expect, numbers)) {
        step.expect = read_expectation(scope.at(*whole, "expect"));
    }
}

}  // namespace

Step read_step(const Scope& scope, std::vector<schema::Field> more, Numbers& numbers) {
    Step step;
    Map<Raw> inputs;
    Raw output_gradient = nullptr;
    RawTable tolerance;
    Raw expect = nullptr;
    RawTable refused;
    more.insert(more.end(), {{.name = "restored", .into = &step.is_restored},
                             {.name = "reset", .into = &step.is_reset},
                             {.name = "training", .into = &step.is_training},
                             {.name = "set", .into = &step.set, .range = "[0, inf)"},
                             {.name = "batch_size", .into = &step.batch_size, .range = "[1, inf)"},
                             {.name = "samples", .into = &step.samples, .range = "[0, inf)"},
                             {.name = "inputs", .into = &inputs},
                             {.name = "differentiate", .into = &step.differentiated},
                             {.name = "output_gradient", .into = &output_gradient},
                             {.name = "tolerance", .into = &tolerance},
                             {.name = "expect", .into = &expect},
                             {.name = "refused", .into = &refused}});
    schema::read_all_fields(scope, more);
    step.place = scope.table.place();
    step.inputs = read_each(scope, "inputs", inputs, read_stream);
    if (output_gradient != nullptr) {
        step.output_gradient = read_tensor(scope, "output_gradient", *output_gradient);
    }
    if (tolerance.table != nullptr) {
        read_tolerance(scope.at(*tolerance.table, "tolerance"), step);
    }
    if (refused.table != nullptr) {
        step.refused = read_refused(scope.at(*refused.table, "refused"));
    }
    if (expect != nullptr) {
        read_expected(scope, *expect, numbers, step);
    }
    return step;
}

}  // namespace ptp::cases
