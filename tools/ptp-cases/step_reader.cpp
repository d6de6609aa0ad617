#include "ptp-cases/step_reader.hpp"

#include "base/suggest.hpp"

#include <fmt/core.h>

#include <optional>

namespace ptp::cases {

namespace {

using schema::Raw;
using schema::RawTable;
using schema::Scope;

// Reads each value of a table with `read`.
template <class T, class Read>
Map<T> read_each(const Map<Raw>& values, Read&& read) {
    Map<T> result;
    for (const auto& entry : values) {
        result.push_back({.key = entry.key,
                          .key_place = entry.key_place,
                          .value = read(entry.key, *entry.value),
                          .place = entry.place});
    }
    return result;
}

Map<StreamSpec> read_streams(const Scope& scope, std::string_view name, const Map<Raw>& values) {
    const Scope inner = scope.at(*scope.table.find(name), name);
    return read_each<StreamSpec>(values, [&](const std::string& key, const Value& value) {
        return read_stream(inner, key, value);
    });
}

Map<double> read_numbers(const Scope& scope, std::string_view name, const Map<Raw>& values) {
    const Scope inner = scope.at(*scope.table.find(name), name);
    return read_each<double>(values, [&](const std::string& key, const Value& value) {
        return read_number(inner, key, value);
    });
}

// Reads an optional table of an expectation.
template <class T, class Read>
void read_optional(const Scope& scope, std::string_view name, const Map<Raw>& values, Read&& read,
                   std::optional<Map<T>>& into) {
    if (scope.table.find(name) != nullptr) {
        into = read(scope, name, values);
    }
}

// The members of an expectation as written.
struct RawExpectation {
    Map<Raw> outputs;
    Map<Raw> shapes;
    Map<Raw> collected;
    Map<Raw> aggregated;
    Map<Raw> gradients;
    RawTable published;
    Map<Raw> parameters;
    Map<Raw> buffers;
    Map<Raw> parameter_shapes;
    Map<Raw> buffer_shapes;
};

std::vector<schema::Field> expectation_fields(RawExpectation& raw, Expectation& result) {
    return {
        {.name = "size",
         .into = &result.size,
         .help = "of a task: how many samples it has",
         .range = "[0, inf)"},
        {.name = "outputs", .into = &raw.outputs, .help = "all outputs"},
        {.name = "shapes", .into = &raw.shapes, .help = "sizes of outputs"},
        {.name = "collected", .into = &raw.collected, .help = "all statistics of the last batch"},
        {.name = "aggregated", .into = &raw.aggregated, .help = "all statistics of the set"},
        {.name = "gradients", .into = &raw.gradients, .help = "of inputs and of all parameters"},
        {.name = "no_gradients",
         .into = &result.no_gradients,
         .help = "parameters and differentiated inputs that have none, as unused ones"},
        {.name = "finite_gradients",
         .into = &result.finite_gradients,
         .help = "inputs whose gradients are finite, as are those of all parameters"},
        {.name = "all_parameters_have_gradients",
         .into = &result.all_parameters_have_gradients,
         .help = "that are not all zeros"},
        {.name = "log", .into = &result.log, .help = "all lines logged by the instance"},
        {.name = "published", .into = &raw.published, .help = "some of the published globals"},
        {.name = "parameters", .into = &raw.parameters, .help = "values of some parameters"},
        {.name = "buffers", .into = &raw.buffers, .help = "values of some buffers"},
        {.name = "parameter_shapes", .into = &raw.parameter_shapes, .help = "of all parameters"},
        {.name = "buffer_shapes", .into = &raw.buffer_shapes, .help = "of all buffers"},
        {.name = "same_as",
         .into = &result.same_as,
         .help = "step or case with the same outputs, gradients and statistics, to the last bit",
         .is_filled = true},
        {.name = "differs_from",
         .into = &result.differs_from,
         .help = "step or case with other outputs",
         .is_filled = true},
        {.name = "state_of",
         .into = &result.state_of,
         .help = "step or case with the same exported state",
         .is_filled = true}};
}

Expectation read_expectation(const Scope& scope) {
    Expectation result;
    RawExpectation raw;
    schema::read_all_fields(scope, expectation_fields(raw, result));
    read_optional(scope, "outputs", raw.outputs, read_streams, result.outputs);
    read_optional(scope, "gradients", raw.gradients, read_tensors, result.gradients);
    read_optional(scope, "parameter_shapes", raw.parameter_shapes, read_shapes,
                  result.parameter_shapes);
    read_optional(scope, "buffer_shapes", raw.buffer_shapes, read_shapes, result.buffer_shapes);
    read_optional(scope, "collected", raw.collected, read_numbers, result.collected);
    read_optional(scope, "aggregated", raw.aggregated, read_numbers, result.aggregated);
    if (raw.published.table != nullptr) {
        result.published = *raw.published.table;
    }
    result.shapes = read_shapes(scope, "shapes", raw.shapes);
    result.parameters = read_tensors(scope, "parameters", raw.parameters);
    result.buffers = read_tensors(scope, "buffers", raw.buffers);
    return result;
}

// Returns the table of [numbers] with this name; nullptr after reporting that there is none.
const Value* find_numbers(const Scope& scope, const Value& name, const Value* tables) {
    const Value* found = tables == nullptr ? nullptr : tables->find(name.as_string());
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
    const Value* name = expect.is_string() ? &expect : expect.find("numbers");
    if (name == nullptr && expect.is_table()) {
        return expect;
    }
    if (name == nullptr || !name->is_string()) {
        scope.problems.error(name == nullptr ? expect : *name, scope.key("expect"),
                             "must be a table, or the name of one in [numbers]");
        return std::nullopt;
    }
    const Value* found = find_numbers(scope, *name, numbers.table);
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
    const std::pair<const char*, Refusal> kinds[] = {{"config", Refusal::kConfig},
                                                     {"data", Refusal::kData},
                                                     {"internal", Refusal::kInternal},
                                                     {"internal_with", Refusal::kInternal}};
    std::string texts[4];
    std::vector<schema::Field> fields;
    for (std::size_t i = 0; i < 4; ++i) {
        fields.push_back({.name = kinds[i].first,
                          .into = &texts[i],
                          .help = i == 3 ? "a part of the message" : "the full message",
                          .is_filled = true,
                          .is_alternative = true});
    }
    schema::read_all_fields(scope, fields);
    for (std::size_t i = 0; i < 4; ++i) {
        if (!texts[i].empty()) {
            return Refused{.as = kinds[i].second, .text = texts[i], .is_part = i == 3};
        }
    }
    return std::nullopt;
}

std::vector<schema::Field> fields_of(Tolerance& tolerance) {
    return {
        {.name = "relative",
         .into = &tolerance.relative,
         .help = "share of the expected number",
         .range = "[0, 1)"},
        {.name = "absolute", .into = &tolerance.absolute, .help = "distance", .range = "[0, inf)"}};
}

void read_tolerance(const Scope& scope, Step& step) {
    schema::RawTable cuda;
    std::vector<schema::Field> fields = fields_of(step.tolerance);
    fields.push_back(
        {.name = "cuda", .into = &cuda, .help = "in place of these, on a CUDA device"});
    schema::read_all_fields(scope, fields);
    if (cuda.table != nullptr) {
        schema::read_all_fields(scope.at(*cuda.table, "cuda"),
                                fields_of(step.cuda_tolerance.emplace()));
    }
}

}  // namespace

Map<Shape> read_shapes(const Scope& scope, std::string_view name, const Map<Raw>& values) {
    return read_each<Shape>(values, [&](const std::string& key, const Value& value) {
        Shape shape;
        const Value table = Value::table({{key, value}});
        schema::read_all_fields(
            {table, scope.key(name), scope.options, scope.problems},
            {{.name = key, .into = &shape, .help = "sizes", .range = "[0, inf)"}});
        return shape;
    });
}

Map<TensorSpec> read_tensors(const Scope& scope, std::string_view name, const Map<Raw>& values) {
    if (values.empty()) {
        return {};
    }
    const Scope inner = scope.at(*scope.table.find(name), name);
    return read_each<TensorSpec>(values, [&](const std::string& key, const Value& value) {
        return read_tensor(inner, key, value);
    });
}

std::vector<schema::Field> StepReader::fields() {
    return {{.name = "restored",
             .into = &step_.is_restored,
             .help = "first moves the state to a new instance"},
            {.name = "reset", .into = &step_.is_reset, .help = "first resets the set"},
            {.name = "training",
             .into = &is_training_,
             .help = "whether the component is in training mode"},
            {.name = "set",
             .into = &step_.set,
             .help = "0: training, 1: validation",
             .range = "[0, inf)"},
            {.name = "batch_size",
             .into = &step_.batch_size,
             .help = "splits the inputs into batches",
             .range = "[1, inf)"},
            {.name = "samples",
             .into = &step_.samples,
             .help = "of a task: the indices of the samples to fetch",
             .range = "[0, inf)"},
            {.name = "inputs", .into = &inputs_, .help = "streams by name"},
            {.name = "differentiate",
             .into = &step_.differentiated,
             .help = "inputs whose gradients are computed, besides the expected ones"},
            {.name = "output_gradient",
             .into = &output_gradient_,
             .help = "of the output, where backward() begins"},
            {.name = "tolerance", .into = &tolerance_, .help = "0 where it is not written"},
            {.name = "expect", .into = &expect_, .help = "what follows from the inputs"},
            {.name = "refused", .into = &refused_, .help = "the error"}};
}

void StepReader::finish(const Scope& scope, Numbers& numbers) {
    step_.place = scope.table.place();
    if (scope.table.find("training") != nullptr) {
        step_.is_training = is_training_;
    }
    if (!inputs_.empty()) {
        step_.inputs = read_streams(scope, "inputs", inputs_);
    }
    if (output_gradient_ != nullptr) {
        step_.output_gradient = read_tensor(scope, "output_gradient", *output_gradient_);
    }
    if (tolerance_.table != nullptr) {
        read_tolerance(scope.at(*tolerance_.table, "tolerance"), step_);
    }
    if (refused_.table != nullptr) {
        step_.refused = read_refused(scope.at(*refused_.table, "refused"));
    }
    if (expect_ == nullptr) {
        return;
    }
    step_.has_expectation = true;
    if (refused_.table != nullptr) {
        scope.problems.error(*expect_, scope.key("expect"),
                             "a step that is refused has nothing else to expect");
    }
    if (const auto whole = whole_expectation(scope, *expect_, numbers)) {
        step_.expect = read_expectation(scope.at(*whole, "expect"));
    }
}

}  // namespace ptp::cases
