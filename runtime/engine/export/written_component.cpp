// The builder that a component writes with. Values have the names of the ports and tensors that
// they come from, or the number of their operator.

#include "engine/export/written_component.hpp"

#include "base/error.hpp"
#include "engine/component/data_tree.hpp"
#include "engine/component/instance_invoke.hpp"
#include "plugin/catalog.hpp"

#include <fmt/core.h>
#include <torch/types.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

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

// Returns why the numbers of a constant cannot be read; "" for row-major ones of the CPU.
std::string problem_of(const ptp_tensor_view* view) {
    if (view == nullptr || view->rank < 0 || (view->rank > 0 && view->shape == nullptr)) {
        return "without a shape";
    }
    if (view->device_type != 1 || view->type_lanes != 1) {
        return "that is no tensor of numbers in the memory of the CPU";
    }
    std::int64_t stride = 1;
    for (std::int32_t i = view->rank - 1; i >= 0; --i) {
        if (view->shape[i] < 0) {
            return "with a negative size";
        }
        if (view->strides != nullptr && view->shape[i] != 1 && view->strides[i] != stride) {
            return "whose numbers are not row-major";
        }
        stride *= view->shape[i];
    }
    return view->data == nullptr && stride > 0 ? "without numbers" : "";
}

class Builder {
public:
    explicit Builder(Instance& instance) : instance_(instance) {
        table_.struct_size = sizeof(ptp_onnx_builder);
        table_.opset = kOpset;
        table_.context = this;
        table_.input = [](void* self, const char* port) noexcept {
            return guarded(self, [&](Builder& made) { return made.input(text(port)); });
        };
        table_.weight = [](void* self, const char* name) noexcept {
            return guarded(self, [&](Builder& made) { return made.weight(text(name)); });
        };
        table_.constant = [](void* self, const ptp_tensor_view* view) noexcept {
            return guarded(self, [&](Builder& made) { return made.constant(view); });
        };
        table_.add = [](void* self, const char* type, const ptp_onnx_value* inputs,
                        std::uint64_t input_count, const ptp_data* attributes,
                        ptp_onnx_value* outputs, std::uint64_t output_count) noexcept {
            std::fill_n(outputs, output_count, 0);
            guarded(self, [&](Builder& made) {
                ptp::Value own = attributes == nullptr ? ptp::Value() : to_value(*attributes);
                made.add({text(type), {}, {}, std::move(own)}, {inputs, inputs + input_count});
                made.add_outputs(outputs, output_count);
                return ptp_onnx_value{0};
            });
        };
        table_.output = [](void* self, const char* port, ptp_onnx_value value) noexcept {
            guarded(self, [&](Builder& made) {
                made.output(text(port), value);
                return ptp_onnx_value{0};
            });
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
    // Runs a function of the table. Nothing that it throws reaches the plugin, whose frames may be
    // those of another language: it becomes the mistake, and 0 is returned.
    template <class Function>
    static ptp_onnx_value guarded(void* self, Function function) noexcept {
        Builder& made = *static_cast<Builder*>(self);
        try {
            return function(made);
        } catch (...) {
            made.note("fails in a call of the host: " + current_exception_text());
            return 0;
        }
    }

    static const char* text(const char* given) {
        if (given == nullptr) {
            throw std::invalid_argument("a name is NULL");
        }
        return given;
    }

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

    ptp_onnx_value constant(const ptp_tensor_view* given) {
        const std::string problem = problem_of(given);
        if (!problem.empty()) {
            note("has a constant " + problem);
            return 0;
        }
        const ptp_tensor_view& view = *given;
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
