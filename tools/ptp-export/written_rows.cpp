// A component that has written its operators itself (ptp.onnx/1): they are copied.

#include "ptp-export/rows.hpp"

#include "base/ranges.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>

namespace ptp::onnx {

namespace {

Attribute attribute_of(const Translation& t, const WrittenOperator& made, const Member& member) {
    const Value& value = member.value;
    if (value.is_integer()) {
        return {member.key, value.as_integer()};
    }
    if (value.is_real()) {
        return {member.key, value.as_real()};
    }
    if (value.is_string()) {
        return {member.key, value.as_string()};
    }
    if (value.is_list() && std::ranges::all_of(value.items(), &Value::is_integer)) {
        return {member.key, transformed(value.items(), &Value::as_integer)};
    }
    t.refuse(fmt::format("the attribute '{}' of {} is no integer, real, text or list of integers",
                         member.key, made.type));
}

void written(Translation& t) {
    std::map<std::string, std::string> names = {{"", ""}};
    for (const GraphArgument& argument : t.node().arguments) {
        names[argument.name] = t.name_of(argument.value);
    }
    for (const WrittenOperator& made : t.node().written) {
        const Names outputs = t.emit_several(
            made.type, transformed(made.inputs, [&](const auto& name) { return names.at(name); }),
            transformed(made.attributes.members(),
                        [&](const Member& each) { return attribute_of(t, made, each); }),
            made.outputs.size());
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            names[made.outputs[i]] = outputs[i];
        }
    }
    for (std::size_t i = 0; i < t.node().results.size(); ++i) {
        t.give(names.at(t.node().results[i]), i);
    }
}

constexpr Row kWrittenRows[] = {{engine::kWrittenOperation, written}};

}  // namespace

std::span<const Row> written_rows() {
    return kWrittenRows;
}

}  // namespace ptp::onnx
