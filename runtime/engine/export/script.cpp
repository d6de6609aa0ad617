// Builds a module of libtorch's interpreter: the operations with their arguments again, and
// integers that follow from sizes computed by operations of their own.

#include "engine/export/script.hpp"

#include "base/error.hpp"
#include "base/ranges.hpp"

#include <fmt/core.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/script.h>
#include <torch/types.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <map>
#include <string>
#include <utility>

namespace ptp::engine {

namespace {

namespace jit = torch::jit;

constexpr const char* kModuleName = "__torch__.ptp.Forward";

at::ScalarType scalar_type(GraphType type) {
    switch (type) {
        case GraphType::kDouble:
            return at::kDouble;
        case GraphType::kHalf:
            return at::kHalf;
        case GraphType::kInt64:
            return at::kLong;
        case GraphType::kInt32:
            return at::kInt;
        case GraphType::kByte:
            return at::kByte;
        case GraphType::kBool:
            return at::kBool;
        default:
            return at::kFloat;
    }
}

// Returns the beginning of libtorch's error, which continues with the whole graph.
std::string beginning(const std::string& error) {
    constexpr std::size_t kMaxCharacters = 300;
    const std::size_t begin = error.find_first_not_of('\n');
    return begin == std::string::npos ? error : error.substr(begin, kMaxCharacters);
}

// A name as a program writes it: "scores_a" for "scores.a".
std::string identifier(std::string name) {
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, '_');
    return name;
}

class Script {
public:
    explicit Script(const ForwardGraph& graph)
        : source_(graph),
          unit_(std::make_shared<jit::CompilationUnit>()),
          module_(c10::QualifiedName(kModuleName), unit_),
          graph_(std::make_shared<jit::Graph>()) {}

    jit::Module build(const std::vector<NamedWeight>& weights) {
        module_.register_attribute("training", c10::BoolType::get(), false);
        add_weights(weights);
        jit::Value* const self = graph_->addInput("self");
        self->setType(module_._ivalue()->type());
        for (const std::size_t input : source_.inputs) {
            values_[input] = graph_->addInput(identifier(source_.tensors[input].name));
        }
        for (const NamedWeight& weight : weights) {
            load(weight.name, *self);
        }
        for (const GraphNode& node : source_.nodes) {
            add(node);
        }
        add_outputs();
        auto* const function = module_._ivalue()->compilation_unit()->create_function(
            c10::QualifiedName(std::string(kModuleName) + ".forward"), graph_);
        module_.type()->addMethod(function);
        return module_;
    }

private:
    // A module while its parts are collected: types of libtorch grow, but modules are added whole.
    struct Part {
        std::map<std::string, Part> children = {};
        std::vector<std::pair<std::string, const NamedWeight*>> weights = {};
    };

    void add_weights(const std::vector<NamedWeight>& weights) {
        Part root;
        for (const NamedWeight& weight : weights) {
            Part* part = &root;
            const auto names = split_name(weight.name);
            for (std::size_t i = 0; i + 1 < names.size(); ++i) {
                part = &part->children[names[i]];
            }
            part->weights.emplace_back(names.back(), &weight);
        }
        fill(module_, root, kModuleName);
    }

    static std::vector<std::string> split_name(const std::string& name) {
        std::vector<std::string> parts = {""};
        for (const char c : name) {
            if (c == '.') {
                parts.emplace_back();
            } else {
                parts.back() += c;
            }
        }
        return parts;
    }

    void fill(jit::Module& module, const Part& part, const std::string& name) {
        for (const auto& [own, weight] : part.weights) {
            module.register_parameter(own, weight->tensor, !weight->is_parameter);
        }
        for (const auto& [own, child] : part.children) {
            const std::string child_name = name + "." + "Part_" + identifier(own);
            jit::Module made(c10::QualifiedName(child_name), unit_);
            fill(made, child, child_name);
            module.register_module(own, made);
        }
    }

    void load(const std::string& name, jit::Value& self) {
        const auto found = std::ranges::find(source_.tensors, name, &GraphTensor::name);
        jit::Value* value = &self;
        for (const std::string& part : split_name(name)) {
            value = graph_->insertGetAttr(value, part);
        }
        values_[static_cast<std::size_t>(found - source_.tensors.begin())] = value;
    }

    jit::Value* operation(const char* name, const std::vector<jit::Value*>& inputs) {
        jit::Node* const node = graph_->insertNode(graph_->create(c10::Symbol::aten(name), inputs));
        node->output()->setType(c10::IntType::get());
        return node->output();
    }

    jit::Value* number(const GraphSize& size) {
        jit::Value* value = graph_->insertConstant(size.constant);
        if (size.factor == 0) {
            return value;
        }
        jit::Value* product = graph_->insertConstant(size.factor);
        for (const std::size_t each : size.dimensions) {
            const DynamicSize& dimension = source_.dimensions[each];
            jit::Value* const axis =
                graph_->insertConstant(static_cast<std::int64_t>(dimension.axis));
            product = operation(
                "mul",
                {product, operation("size", {values_.at(source_.inputs[dimension.input]), axis})});
        }
        return operation("add", {product, value});
    }

    jit::Value* tensor(std::size_t index) {
        if (const auto known = values_.find(index); known != values_.end()) {
            return known->second;
        }
        const GraphTensor& constant = source_.tensors[index];
        const std::vector<std::int64_t> sizes =
            transformed(constant.sizes, [](const GraphSize& size) { return size.constant; });
        const at::Tensor copy = torch::from_blob(const_cast<void*>(constant.data), sizes,
                                                 at::TensorOptions(scalar_type(constant.type)))
                                    .clone();
        return values_[index] = graph_->insertConstant(copy);
    }

    jit::Value* value_of(const GraphArgument& argument) {
        if (const auto* const size = std::get_if<GraphSize>(&argument.value)) {
            return number(*size);
        }
        if (const auto* const index = std::get_if<TensorIndex>(&argument.value)) {
            return tensor(index->index);
        }
        if (const auto* const flag = std::get_if<bool>(&argument.value)) {
            // Libtorch's interpreter takes no flag for a number.
            const bool is_number = argument.name == "other" || argument.name == "value" ||
                                   argument.name == "fill_value";
            return is_number ? graph_->insertConstant(std::int64_t{*flag})
                             : graph_->insertConstant(*flag);
        }
        if (const auto* const real = std::get_if<double>(&argument.value)) {
            return graph_->insertConstant(*real);
        }
        if (const auto* const text = std::get_if<std::string>(&argument.value)) {
            return graph_->insertConstant(*text);
        }
        if (const auto* const list = std::get_if<std::vector<GraphArgument>>(&argument.value)) {
            return list_of(*list, argument.name);
        }
        // A trace is made on the CPU; a schema without `?` needs a device.
        return graph_->insertConstant(argument.name == "device" ? c10::IValue(at::Device(at::kCPU))
                                                                : c10::IValue());
    }

    jit::Value* list_of(const std::vector<GraphArgument>& list, const std::string& name) {
        std::vector<jit::Value*> values;
        for (const GraphArgument& each : list) {
            values.push_back(value_of(each));
        }
        c10::TypePtr type = c10::IntType::get();
        if (name == "indices") {
            type = c10::OptionalType::ofTensor();
        } else if (!values.empty()) {
            const auto* const first = values.front();
            type = first->type()->isSubtypeOf(*c10::TensorType::get())
                       ? c10::TypePtr(c10::TensorType::get())
                       : first->type();
        }
        return graph_->insertNode(graph_->createList(type, values))->output();
    }

    void add(const GraphNode& node) {
        std::vector<jit::Value*> inputs;
        for (const GraphArgument& argument : node.arguments) {
            inputs.push_back(value_of(argument));
        }
        jit::Node* made =
            graph_->insertNode(graph_->create(c10::Symbol::aten(node.operation), inputs,
                                              node.returns_list ? 1 : node.outputs.size()));
        if (node.returns_list) {
            made->output()->setType(c10::ListType::ofTensors());
            made =
                graph_->insertNode(graph_->createListUnpack(made->output(), node.outputs.size()));
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            values_[node.outputs[i]] = made->outputs()[i];
        }
    }

    void add_outputs() {
        std::vector<jit::Value*> outputs;
        for (const GraphOutput& output : source_.outputs) {
            outputs.push_back(tensor(output.tensor));
        }
        graph_->registerOutput(outputs.size() == 1
                                   ? outputs.front()
                                   : graph_->insertNode(graph_->createTuple(outputs))->output());
    }

    const ForwardGraph& source_;
    std::shared_ptr<jit::CompilationUnit> unit_;
    jit::Module module_;
    std::shared_ptr<jit::Graph> graph_;
    std::map<std::size_t, jit::Value*> values_;  // of tensors
};

constexpr const char* kCannotRun = "libtorch does not run the TorchScript that was made";

// Throws RunError, with what libtorch says.
template <class Work>
void guarded(const char* problem, Work work) {
    try {
        work();
    } catch (const std::exception& error) {
        throw RunError(kTrainingError, fmt::format("{}: {}", problem, beginning(error.what())));
    }
}

}  // namespace

void write_script(const std::filesystem::path& path, const ForwardGraph& graph,
                  const std::vector<NamedWeight>& weights) {
    guarded("cannot write TorchScript", [&] { Script(graph).build(weights).save(path.string()); });
}

struct RunningScript::Module {
    jit::Module module;
};

RunningScript::RunningScript(const ForwardGraph& graph, const std::vector<NamedWeight>& weights) {
    guarded("cannot compare the graph with the components",
            [&] { module_ = std::make_unique<Module>(Module{Script(graph).build(weights)}); });
}

RunningScript::RunningScript(const std::filesystem::path& path) {
    guarded(kCannotRun,
            [&] { module_ = std::make_unique<Module>(Module{jit::load(path.string())}); });
}

RunningScript::~RunningScript() = default;

std::vector<at::Tensor> RunningScript::run(const std::vector<at::Tensor>& inputs) {
    std::vector<at::Tensor> outputs;
    guarded(kCannotRun, [&] {
        const c10::IValue result =
            module_->module.forward(std::vector<c10::IValue>(inputs.begin(), inputs.end()));
        outputs = result.isTensor()
                      ? std::vector<at::Tensor>{result.toTensor()}
                      : transformed(result.toTupleRef().elements(),
                                    [](const c10::IValue& each) { return each.toTensor(); });
    });
    return outputs;
}

}  // namespace ptp::engine
