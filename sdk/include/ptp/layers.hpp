// The layers of a setting of type ptp::Layers: creates and computes them, for a component that
// contains others of its plugin.
//
//   struct Config { ptp::Layers layers; ... };
//   Net(const Config& config, ptp::Setup& setup) : layers_(config.layers, setup) {
//       layers_.register_in(*net_);                       "0.weight", as torch::nn::Sequential
//   }
//   at::Tensor forward(const at::Tensor& inputs, const ptp::Step& step) {
//       return layers_.forward({&inputs}, step);
//   }
//   void set_training(bool is_training) { layers_.set_training(is_training); }
//
// The layers are created and called by the functions in their descriptions, without the host, on
// the thread of their component. Needs libtorch.
#pragma once

#include <ptp/component.hpp>
#include <ptp/detail/layer.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptp {

class LayerList {
public:
    // Creates the layers in their order, so that they draw the random numbers of a network that is
    // written in C++ with the same layers.
    LayerList(const Layers& layers, const Setup& setup) {
        for (std::uint32_t i = 0; i < setup.setup_->input_count; ++i) {
            const ptp_binding& binding = *setup.setup_->inputs[i];
            const ptp_port_info& port = *setup.component_->ports[binding.port];
            const bool is_listed = port.streams_setting != nullptr && binding.stream != nullptr;
            names_.emplace_back(is_listed ? binding.stream : port.name);
        }
        input_count_ = names_.size();
        for (const Data& data : layers.data.as_list()) {
            const auto& layer = layers_.emplace_back(
                std::make_unique<detail::Layer>(data, *setup.host_, *setup.setup_));
            calls_.push_back({.layer = layer.get(),
                              .inputs = slots_of(layer->inputs()),
                              .outputs = slots_of(layer->outputs())});
        }
        values_.resize(names_.size());
        result_ = calls_.empty() ? 0 : calls_.back().outputs.front();
        find_last_readers();
    }

    // A function that computes two layers together.
    using Fused = at::Tensor (*)(const at::Tensor&);

    // Calls `choose` for each two layers where the second reads only the output of the first, which
    // nothing else reads; what it returns, unless it is null, is called in their place.
    template <class Choose>
    void fuse(const Choose& choose) {
        for (std::size_t i = 0; i + 1 < calls_.size(); ++i) {
            Call& first = calls_[i];
            Call& second = calls_[i + 1];
            const bool is_chain = first.outputs.size() == 1 && first.inputs.size() == 1 &&
                                  second.outputs.size() == 1 && second.inputs == first.outputs &&
                                  std::ranges::count(second.released, first.outputs.front()) > 0;
            if (const Fused fused = is_chain ? choose(*first.layer, *second.layer) : nullptr) {
                second.inputs = first.inputs;
                second.fused = fused;
                second.released = first.released;
                calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
    }

    // Computes all layers from the inputs of the component, in the order of its ports; null for one
    // that has no stream.
    at::Tensor forward(const std::vector<const at::Tensor*>& inputs, const Step& step) {
        for (std::size_t i = 0; i < input_count_; ++i) {
            values_[i] = inputs[i] == nullptr ? at::Tensor() : *inputs[i];
        }
        for (Call& call : calls_) {
            call.compute(*step.step_, values_);
            for (const std::size_t slot : call.released) {
                values_[slot] = at::Tensor();  // only the graph decides how long it lives
            }
        }
        const at::Tensor result = values_[result_];
        if (!keeps_values_) {
            release();
        }
        return result;
    }

    // Returns an output of a layer that `streams` has named, between forward() and release().
    // REQUIRES: keep() was called with it.
    at::Tensor stream(std::string_view name) const {
        const auto found = std::ranges::find(names_, name);
        return found == names_.end() ? at::Tensor()
                                     : values_[static_cast<std::size_t>(found - names_.begin())];
    }
    void keep(const std::vector<std::string>& streams) {
        keeps_values_ = true;
        for (Call& call : calls_) {
            std::erase_if(call.released, [&](std::size_t slot) {
                return std::ranges::count(streams, names_[slot]) > 0;
            });
        }
    }
    void release() { std::ranges::fill(values_, at::Tensor()); }

    void set_training(bool is_training) {
        for (const auto& layer : layers_) {
            layer->set_training(is_training);
        }
    }

    // Registers parameters and buffers as torch::nn::Sequential does: "0.weight", "2.1.bias".
    void register_in(torch::nn::Module& module) {
        for (const auto& layer : layers_) {
            layer->register_in(module);
        }
    }

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    struct Call {
        detail::Layer* layer;
        std::vector<std::size_t> inputs;  // slots
        std::vector<std::size_t> outputs;
        Fused fused = nullptr;
        std::vector<std::size_t> released = {};  // slots that nothing reads afterwards
        std::vector<const ptp_value*> arguments = {};
        std::vector<ptp_value*> results = {};

        void compute(const ptp_step& step, std::vector<at::Tensor>& values) {
            if (fused != nullptr) {
                values[outputs.front()] = fused(values[inputs.front()]);
                return;
            }
            arguments.clear();
            results.clear();
            for (const std::size_t slot : inputs) {
                const bool is_there = slot != kNone && values[slot].defined();
                arguments.push_back(is_there ? reinterpret_cast<const ptp_value*>(&values[slot])
                                             : nullptr);
            }
            for (const std::size_t slot : outputs) {
                results.push_back(slot == kNone ? nullptr
                                                : reinterpret_cast<ptp_value*>(&values[slot]));
            }
            layer->forward(step, arguments.data(), results.data());
        }
    };

    std::vector<std::size_t> slots_of(const std::deque<detail::Layer::Wire>& wires) {
        std::vector<std::size_t> slots;
        for (const detail::Layer::Wire& wire : wires) {
            const auto found = std::ranges::find(names_, wire.stream);
            slots.push_back(wire.stream.empty() ? kNone
                                                : static_cast<std::size_t>(found - names_.begin()));
            if (!wire.stream.empty() && found == names_.end()) {
                names_.push_back(wire.stream);
            }
        }
        return slots;
    }

    void find_last_readers() {
        for (std::size_t slot = 0; slot < names_.size(); ++slot) {
            for (std::size_t i = calls_.size(); slot != result_ && i-- > 0;) {
                const auto has = [&](const std::vector<std::size_t>& slots) {
                    return std::ranges::count(slots, slot) > 0;
                };
                if (has(calls_[i].inputs) || has(calls_[i].outputs)) {
                    calls_[i].released.push_back(slot);
                    break;
                }
            }
        }
    }

    std::vector<std::unique_ptr<detail::Layer>> layers_;
    std::vector<std::string> names_;  // of the streams, by their slots; the inputs come first
    std::size_t input_count_ = 0;
    std::size_t result_ = 0;  // the slot of what flows out
    bool keeps_values_ = false;
    std::vector<Call> calls_;
    std::vector<at::Tensor> values_;
};

}  // namespace ptp
