// The builder that a component writes with. Values have the names of the ports and tensors that
// they come from, or the number of their operator.

#include "engine/export/written_component.hpp"

#include "base/error.hpp"
#include "engine/component/data_tree.hpp"
#include "plugin/catalog.hpp"

#include <fmt/core.h>
#include <torch/types.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <set>

namespace ptp::engine {

namespace {

constexpr std::uint32_t kOpset = 17;

std::optional<at::ScalarType> type_of(const ptp_tensor_view& view) {
    struct Row {
        std::uint8_t code;
        std::uint8_t bits;
        at::ScalarType type;
    };
    constexpr Row kRows[] = {{0, 32, at::kInt},   {0, 64, at::kLong},   {1, 8, at::kByte},
                             {2, 32, at::kFloat}, {2, 64, at::kDouble}, {6, 8, at::kBool}};
    const auto* const found = std::ranges::find_if(kRows, [&](const Row& row) {
        return row.code == view.type_code && row.bits == view.type_bits;
    });
    return found == std::end(kRows) ? std::nullopt : std::optional(found->type);
}

class Builder {
public:
    explicit Builder(Instance& instance) : instance_(instance) {
        table_.struct_size = sizeof(ptp_onnx_builder);
        table_.opset = kOpset;
        table_.context = this;
        table_.input = [](void* self, const char* port) { return of(self).input(port); };
        table_.weight = [](void* self, const char* name) { return of(self).weight(name); };
        table_.constant = [](void* self, const ptp_tensor_view* view) {
            return of(self).constant(*view);
        };
        table_.add = [](void* self, const char* type, const ptp_onnx_value* inputs,
                        std::uint64_t input_count, const ptp_data* attributes,
                        ptp_onnx_value* outputs, std::uint64_t output_count) {
            of(self).add({type, {}, {}, to_value(*attributes)}, {inputs, inputs + input_count});
            of(self).add_outputs(outputs, output_count);
        };
        table_.output = [](void* self, const char* port, ptp_onnx_value value) {
            of(self).output(port, value);
        };
        for (const NamedTensor& tensor : instance_.tensors()) {
            tensors_.insert(tensor.name);
        }
    }

    WrittenComponent run() {
        instance_.write_onnx(table_);
        for (const pipeline::Binding& output : instance_.node().outputs) {
            const std::string& port = instance_.node().port(output).name;
            if (output.stream >= 0 && !made_.outputs.contains(port)) {
                note(fmt::format("writes no output '{}'", port));
            }
        }
        if (!mistake_.empty()) {
            throw RunError(kPluginError,
                           fmt::format("{}: its onnx() {}", instance_.blamed(), mistake_));
        }
        return std::move(made_);
    }

private:
    static Builder& of(void* self) { return *static_cast<Builder*>(self); }

    void note(const std::string& mistake) {
        if (mistake_.empty()) {
            mistake_ = mistake;
        }
    }

    ptp_onnx_value named(const std::string& name) {
        values_.push_back(name);
        return values_.size();
    }

    // Returns the name of a value; "" for one that is left out.
    std::string name_of(ptp_onnx_value value) {
        if (value > values_.size()) {
            note(fmt::format("uses a value {} that nothing has made", value));
            return "";
        }
        return value == 0 ? "" : values_[value - 1];
    }

    [[nodiscard]] const pipeline::Binding* find(const std::vector<pipeline::Binding>& bindings,
                                                const std::string& port) const {
        const auto found = std::ranges::find_if(bindings, [&](const pipeline::Binding& each) {
            return each.stream >= 0 && instance_.node().port(each).name == port;
        });
        return found == bindings.end() ? nullptr : &*found;
    }

    [[nodiscard]] bool has_port(const std::string& port) const {
        return std::ranges::find(instance_.node().component->ports, port, &plugin::Port::name) !=
               instance_.node().component->ports.end();
    }

    ptp_onnx_value input(const std::string& port) {
        if (!has_port(port)) {
            note(fmt::format("reads '{}', which is no port of it", port));
            return 0;
        }
        if (find(instance_.node().inputs, port) == nullptr) {
            return 0;
        }
        return named(made_.inputs[port] = "input " + port);
    }

    ptp_onnx_value weight(const std::string& name) {
        if (!tensors_.contains(name)) {
            note(fmt::format("reads '{}', which is no tensor of it", name));
            return 0;
        }
        return named(made_.weights[name] = "weight " + name);
    }

    ptp_onnx_value constant(const ptp_tensor_view& view) {
        const auto type = type_of(view);
        if (!type) {
            note(fmt::format("has a constant of type {} with {} bits, which is not written",
                             view.type_code, view.type_bits));
            return 0;
        }
        const std::vector<std::int64_t> sizes(view.shape, view.shape + view.rank);
        void* const data = static_cast<char*>(view.data) + view.byte_offset;
        const std::string name = fmt::format("constant {}", made_.constants.size());
        made_.constants[name] = torch::from_blob(data, sizes, at::TensorOptions(*type)).clone();
        return named(name);
    }

    void add(WrittenOperator made, const std::vector<ptp_onnx_value>& inputs) {
        for (const ptp_onnx_value input : inputs) {
            made.inputs.push_back(name_of(input));
        }
        made_.operators.push_back(std::move(made));
    }

    void add_outputs(ptp_onnx_value* outputs, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::string name = fmt::format("{}.{}", made_.operators.size(), i);
            made_.operators.back().outputs.push_back(name);
            outputs[i] = named(name);
        }
    }

    void output(const std::string& port, ptp_onnx_value value) {
        if (!has_port(port)) {
            note(fmt::format("writes '{}', which is no port of it", port));
        } else if (value == 0) {
            note(fmt::format("writes nothing to '{}'", port));
        } else {
            made_.outputs[port] = name_of(value);
        }
    }

    Instance& instance_;
    ptp_onnx_builder table_{};
    std::set<std::string> tensors_;
    std::vector<std::string> values_;  // the names of values from 1 on
    WrittenComponent made_;
    std::string mistake_;  // the first
};

}  // namespace

WrittenComponent write_component(Instance& instance) {
    return Builder(instance).run();
}

}  // namespace ptp::engine
