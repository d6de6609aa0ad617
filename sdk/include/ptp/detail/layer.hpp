// A layer of a ptp::LayerList: a component of the same plugin, created by the functions in its
// description.
#pragma once

#include <ptp/ext/mode.h>
#include <ptp/ext/parameters.h>
#include <ptp/detail/host.hpp>
#include <ptp/entry.hpp>
#include <ptp/settings.hpp>

#include <torch/nn/module.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::detail {

// The host as a layer sees it: that of its component, but for the sizes of its ports, and for its
// name in messages.
class LayerHost {
public:
    LayerHost(const ptp_host& host, std::string title, const Data& sizes)
        : host_(host), title_(std::move(title)), sizes_(sizes), table_(host) {
        table_.struct_size = sizeof(ptp_host);
        table_.context = this;
        table_.fail = [](void* self, ptp_status status, const char* message) {
            const std::string text = of(self).title_ + ": " + message;
            outer(self).fail(outer(self).context, status, text.c_str());
        };
        table_.fail_with = [](void* self, const ptp_failure* failure) {
            const std::string setting = failure->setting == nullptr
                                            ? ""
                                            : "setting '" + std::string(failure->setting) + "': ";
            const std::string text = of(self).title_ + ": " + setting + failure->message;
            ptp_failure whole = *failure;
            whole.message = text.c_str();
            whole.setting = nullptr;  // of the layer, which the host does not know
            outer(self).fail_with(outer(self).context, &whole);
        };
        table_.log = [](void* self, ptp_log_level level, const char* message) {
            outer(self).log(outer(self).context, level, message);
        };
        table_.size = [](void* self, const char* dimension, std::int64_t* out) -> ptp_status {
            const Data* size = of(self).sizes_.find(dimension);
            *out = size == nullptr ? -1 : size->as_integer();
            return PTP_OK;
        };
        table_.global = [](void* self, const char* name, const ptp_data**) {
            return refuse(self, name);
        };
        table_.publish = [](void* self, const char* name, const ptp_data*) {
            return refuse(self, name);
        };
        table_.generator = [](void* self) { return outer(self).generator(outer(self).context); };
        table_.random = [](void* self) { return outer(self).random(outer(self).context); };
        table_.run_folder = [](void* self) { return outer(self).run_folder(outer(self).context); };
        table_.tensor_view = [](void* self, const ptp_value* tensor, ptp_tensor_view* out) {
            return outer(self).tensor_view(outer(self).context, tensor, out);
        };
        table_.extension = [](void*, const char*) -> const void* { return nullptr; };
    }
    LayerHost(const LayerHost&) = delete;
    LayerHost& operator=(const LayerHost&) = delete;
    ~LayerHost() = default;

    const ptp_host& table() const { return table_; }
    const std::string& title() const { return title_; }

private:
    static LayerHost& of(void* self) { return *static_cast<LayerHost*>(self); }
    static const ptp_host& outer(void* self) { return of(self).host_; }
    static ptp_status refuse(void* self, const char* name) {
        const std::string text = "a layer has no globals, such as '" + std::string(name) + "'";
        of(self).table_.fail(self, PTP_ERROR_INTERNAL, text.c_str());
        return PTP_ERROR_INTERNAL;
    }

    const ptp_host& host_;
    std::string title_;
    Data sizes_;
    ptp_host table_;
};

// A layer with everything that it was created with.
class Layer {
public:
    // One input or output of forward().
    struct Wire {
        std::string stream = {};  // "": none
        ptp_binding binding = {};
        std::vector<std::int64_t> dimensions = {};
    };

    Layer(const Data& layer, const ptp_host& host, const ptp_setup& outer)
        : type_(member(layer, "type").as_text()),
          name_(member(layer, "name").as_text()),
          given_(member(layer, "settings")),
          info_(info_of(type_)),
          host_(host, "layer " + name_ + " (" + type_ + ")", member(layer, "sizes")) {
        for (std::uint32_t i = 0; i < info_.setting_count; ++i) {
            const Data* value = given_.find(info_.settings[i]->name);
            settings_.push_back(value == nullptr ? values_.emplace_back(Data()).root()
                                                 : values_.emplace_back(*value).root());
        }
        read(member(layer, "inputs"), inputs_, input_bindings_);
        read(member(layer, "outputs"), outputs_, output_bindings_);
        setup_ = outer;
        setup_.name = name_.c_str();
        setup_.settings = settings_.data();
        setup_.setting_count = info_.setting_count;
        setup_.inputs = input_bindings_.data();
        setup_.input_count = static_cast<std::uint32_t>(input_bindings_.size());
        setup_.outputs = output_bindings_.data();
        setup_.output_count = static_cast<std::uint32_t>(output_bindings_.size());
        checked(info_.create(&host_.table(), &setup_, &instance_));
    }
    Layer(const Layer&) = delete;
    Layer& operator=(const Layer&) = delete;
    ~Layer() {
        if (instance_ != nullptr) {
            info_.destroy(instance_);
        }
    }

    const std::string& type() const { return type_; }
    const std::string& name() const { return name_; }
    const Data& settings() const { return given_; }
    const std::deque<Wire>& inputs() const { return inputs_; }
    const std::deque<Wire>& outputs() const { return outputs_; }

    void forward(const ptp_step& step, const ptp_value* const* inputs, ptp_value* const* outputs) {
        checked(info_.forward(instance_, &step, inputs, outputs));
    }

    void set_training(bool is_training) {
        if (const auto* mode = ability<ptp_mode>(PTP_EXTENSION_MODE)) {
            checked(mode->set_training(instance_, is_training ? 1 : 0));
        }
    }

    // Registers its parameters and buffers, which stay its own.
    void register_in(torch::nn::Module& module) {
        if (const auto* parameters = ability<ptp_parameters>(PTP_EXTENSION_PARAMETERS)) {
            const ptp_visit add = [](void* user, const char* name, ptp_role role,
                                     ptp_value* value) -> ptp_status {
                std::string_view rest = name;
                auto& parent = child_of(*static_cast<torch::nn::Module*>(user), rest);
                const at::Tensor& tensor = *reinterpret_cast<at::Tensor*>(value);
                if (role == PTP_PARAMETER) {
                    parent.register_parameter(std::string(rest), tensor, tensor.requires_grad());
                } else {
                    parent.register_buffer(std::string(rest), tensor);
                }
                return PTP_OK;
            };
            std::string_view name = name_;
            torch::nn::Module& parent = child_of(module, name);
            checked(parameters->visit(instance_, add, &child_of(parent, name, true)));
        }
    }

private:
    template <class Table>
    const Table* ability(const char* id) const {
        return static_cast<const Table*>(info_.extension(id));
    }

    // A host of ABI 1.4 resolves lists; a test of a component alone passes them as they are
    // written.
    static const Data& member(const Data& layer, const char* key) {
        const Data* const found = layer.is_table() ? layer.find(key) : nullptr;
        if (found == nullptr) {
            throw Mistake("a list of layers was not resolved: only a pipeline does this");
        }
        return *found;
    }

    static const ptp_component_info& info_of(std::string_view type) {
        const ptp_plugin_info& plugin = *ptp_plugin_entry();
        for (std::uint32_t i = 0; i < plugin.component_count; ++i) {
            if (plugin.components[i]->name == type) {
                return *plugin.components[i];
            }
        }
        throw Mistake("the plugin has no component '" + std::string(type) + "'");
    }

    // Returns the module of all but the last part of a dotted name, which it leaves in `name`; with
    // `whole` that of the name itself. Makes those that are missing.
    static torch::nn::Module& child_of(torch::nn::Module& module, std::string_view& name,
                                       bool whole = false) {
        torch::nn::Module* at = &module;
        for (auto dot = name.find('.'); whole || dot != name.npos; dot = name.find('.')) {
            const std::string part(name.substr(0, dot));
            const auto known = at->named_children();
            const std::shared_ptr<torch::nn::Module>* found = known.find(part);
            at = found != nullptr
                     ? found->get()
                     : at->register_module(part, std::make_shared<torch::nn::Module>()).get();
            if (dot == name.npos) {
                break;
            }
            name.remove_prefix(dot + 1);
        }
        return *at;
    }

    static void read(const Data& ports, std::deque<Wire>& wires,
                     std::vector<const ptp_binding*>& bindings) {
        for (const Data& port : ports.as_list()) {
            Wire& wire = wires.emplace_back();
            wire.binding.struct_size = sizeof(ptp_binding);
            wire.binding.port = static_cast<std::uint32_t>(port.find("port")->as_integer());
            wire.binding.element = static_cast<ptp_element>(port.find("element")->as_integer());
            wire.binding.rank = -1;
            if (const Data* stream = port.find("stream")) {
                wire.stream = stream->as_text();
                wire.binding.stream = wire.stream.c_str();
            }
            if (const Data* dimensions = port.find("dimensions")) {
                for (const Data& size : dimensions->as_list()) {
                    wire.dimensions.push_back(size.as_integer());
                }
                wire.binding.rank = static_cast<std::int32_t>(wire.dimensions.size());
                wire.binding.dimensions = wire.dimensions.data();
            }
            bindings.push_back(&wire.binding);
        }
    }

    std::string type_;
    std::string name_;
    Data given_;
    const ptp_component_info& info_;
    LayerHost host_;
    std::deque<DataTree> values_;
    std::vector<const ptp_data*> settings_;
    std::deque<Wire> inputs_;
    std::deque<Wire> outputs_;
    std::vector<const ptp_binding*> input_bindings_;
    std::vector<const ptp_binding*> output_bindings_;
    ptp_setup setup_{};
    void* instance_ = nullptr;
};

}  // namespace ptp::detail
