// Reads the keys of a step: its inputs, its expectations and the refusal.

#include "ptp-cases/case_file.hpp"

#include "base/suggest.hpp"

#include <fmt/core.h>

#include <map>
#include <string_view>
#include <utility>

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

Expectation read_expectation(const Scope& scope) {
    Expectation result;
    std::map<std::string_view, Map<Raw>> raw;  // the tables of tensors, sizes and numbers
    RawTable published;
    const auto table = [&](const char* name) {
        return schema::Field{.name = name, .into = &raw[name]};
    };
    schema::read_all_fields(
        scope,
        {{.name = "size", .into = &result.size, .range = "[0, inf)"},
         table("outputs"),
         table("shapes"),
         table("collected"),
         table("aggregated"),
         table("gradients"),
         {.name = "no_gradients", .into = &result.no_gradients},
         {.name = "finite_gradients", .into = &result.finite_gradients},
         {.name = "all_parameters_have_gradients", .into = &result.all_parameters_have_gradients},
         {.name = "log", .into = &result.log},
         {.name = "published", .into = &published},
         table("parameters"),
         table("buffers"),
         table("parameter_shapes"),
         table("buffer_shapes"),
         {.name = "same_as", .into = &result.same_as, .is_filled = true},
         {.name = "differs_from", .into = &result.differs_from, .is_filled = true},
         {.name = "state_of", .into = &result.state_of, .is_filled = true}});
    const auto read_optional = [&](const char* name, auto read, auto& into) {
        if (scope.table.find(name) != nullptr) {
            into = read(scope, name, raw[name]);
        }
    };
    read_optional("outputs", read_streams, result.outputs);
    read_optional("gradients", read_tensors, result.gradients);
    read_optional("parameter_shapes", read_shapes, result.parameter_shapes);
    read_optional("buffer_shapes", read_shapes, result.buffer_shapes);
    read_optional("collected", read_numbers, result.collected);
    read_optional("aggregated", read_numbers, result.aggregated);
    if (published.table != nullptr) {
        result.published = *published.table;
    }
    result.shapes = read_shapes(scope, "shapes", raw["shapes"]);
    result.parameters = read_tensors(scope, "parameters", raw["parameters"]);
    result.buffers = read_tensors(scope, "buffers", raw["buffers"]);
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
