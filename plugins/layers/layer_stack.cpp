// LayerStack: a network that is written as a list of layers, as torch.nn.Sequential.

#include "layer_list.hpp"

#include <torch/nn/module.h>

class LayerStack {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "LayerStack";
    static constexpr const char* summary = "A network as a list of layers, as torch.nn.Sequential";
    static constexpr const char* description =
        "layers = [{ type = \"Linear\", out = 64 }, \"ReLU\", { type = \"Linear\", out = 10 }]. "
        "Each layer reads what the one before writes, whose sizes it takes. Layers are the other "
        "models and transforms of this plugin. Weights have the names of torch.nn.Sequential, "
        "\"0.weight\". docs/networks.md has blocks, copies, branches and several streams.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_ANY, "", "What the first layer takes"),
        ptp::input("more_inputs", PTP_ANY, "", "Streams that layers name")
            .streams_from("more_inputs"),
        ptp::output("outputs", PTP_FLOAT, "layers[0:]", "What the last layer writes")
            .meaning("layers"),
        ptp::output("more_outputs", PTP_FLOAT, "layers[0:]", "Streams of layers")
            .streams_from("more_outputs")};

    struct Config {
        ptp::Layers layers;
        std::vector<std::string> more_inputs;
        std::vector<std::string> more_outputs;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("layers", &Config::layers,
                             {.help = "The layers in their order", .is_required = true}),
                ptp::setting("more_inputs", &Config::more_inputs,
                             {.help = "Streams that layers read by name, besides `inputs`",
                              .takes_list_or_one = true}),
                ptp::setting("more_outputs", &Config::more_outputs,
                             {.help = "Streams that layers write by name, besides `outputs`",
                              .takes_list_or_one = true})};
        }
    };

    LayerStack(const Config& config, ptp::Setup& setup)
        : layers_(layers::make_list(config.layers, setup)), more_outputs_(config.more_outputs) {
        layers_.register_in(*net_);
        if (!more_outputs_.empty()) {
            layers_.keep(more_outputs_);
        }
    }

    auto forward(const ptp::Value& inputs, const ptp::List<ptp::Value>& more_inputs,
                 const ptp::Step& step) {
        std::vector<const at::Tensor*> all = {&inputs.tensor()};
        for (std::size_t i = 0; i < more_inputs.size(); ++i) {
            all.push_back(&more_inputs[i].tensor());
        }
        at::Tensor outputs = layers_.forward(all, step);
        std::vector<at::Tensor> more;
        for (const std::string& stream : more_outputs_) {
            more.push_back(layers_.stream(stream));
        }
        layers_.release();
        return std::tuple{std::move(outputs), std::move(more)};
    }

    void set_training(bool is_training) { layers_.set_training(is_training); }

    torch::nn::Module& module() { return *net_; }

private:
    ptp::LayerList layers_;
    std::vector<std::string> more_outputs_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
};

template const ptp_component_info& ptp::component<LayerStack>();
