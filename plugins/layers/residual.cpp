// Residual: layers whose output is added to their input.

#include "layer_list.hpp"

#include <torch/nn/module.h>

class Residual {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Residual";
    static constexpr const char* summary = "Layers whose output is added to their input";
    static constexpr const char* description =
        "He et al. 2015, arXiv 1512.03385. Where the layers change the shape, `shortcut` has the "
        "layers that do the same to the input, such as a convolution with a kernel of 1. Their "
        "weights are called shortcut.0.weight and so on.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "...", "What the layers read, and what is added"),
        ptp::output("outputs", PTP_FLOAT, "layers[0:]", "The sum")};
    static constexpr std::array requirements{ptp::requirement(
        "layers[0:] = shortcut[0:]",
        "what its layers make has another shape than what it is added to; give it a shortcut that "
        "changes the shape as well")};

    struct Config {
        ptp::Layers layers;
        ptp::Layers shortcut;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("layers", &Config::layers,
                             {.help = "The layers in their order", .is_required = true}),
                ptp::setting("shortcut", &Config::shortcut,
                             {.help = "Layers for the input, before it is added"})};
        }
    };

    Residual(const Config& config, ptp::Setup& setup)
        : layers_(layers::make_list(config.layers, setup)),
          shortcut_(layers::make_list(config.shortcut, setup)) {
        layers_.register_in(*net_);
        if (!config.shortcut.data.as_list().empty()) {
            shortcut_.register_in(
                *net_->register_module("shortcut", std::make_shared<torch::nn::Module>()));
        }
    }

    at::Tensor forward(const at::Tensor& inputs, const ptp::Step& step) {
        const at::Tensor changed = layers_.forward({&inputs}, step);
        const at::Tensor kept = shortcut_.forward({&inputs}, step);
        if (changed.sizes() != kept.sizes()) {
            throw ptp::DataError("its layers make ", ptp::Data(changed.sizes().vec()).toml(),
                                 ", which is added to ", ptp::Data(kept.sizes().vec()).toml(),
                                 ": their shapes must be equal");
        }
        return changed + kept;
    }

    void set_training(bool is_training) {
        layers_.set_training(is_training);
        shortcut_.set_training(is_training);
    }

    torch::nn::Module& module() { return *net_; }

private:
    ptp::LayerList layers_;
    ptp::LayerList shortcut_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
};

template const ptp_component_info& ptp::component<Residual>();
