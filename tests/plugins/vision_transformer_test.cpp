// ViT-B/16 against torchvision's, with weights that both sides compute by the same formula. Numbers
// of small ones: tests/cases/vision_transformer.toml.

#include "image_networks.hpp"
#include "support.hpp"

#include <cmath>

namespace vision_transformer_test {

namespace networks = test::networks;

namespace {

test::Component make(int64_t side) {
    return test::build("vision_models", "VisionTransformer", "",
                       {.sizes = {{"input_depth", 3},
                                  {"input_height", side},
                                  {"input_width", side},
                                  {"prediction_size", 5}}});
}

}  // namespace

TEST_CASE("VisionTransformer: the default is ViT-B/16, with the names of torchvision") {
    auto net = make(224);
    networks::check_names(net, "vit_b_16");
}

TEST_CASE("VisionTransformer: computes the outputs and gradients of torchvision's ViT-B/16") {
    auto net = make(64);
    networks::fill(net);
    networks::make_double(net);
    const at::Tensor outputs = net.forward(networks::images(64, 64).to(at::kDouble));
    networks::check_like(outputs, "vit_b_16.trained_outputs");
    (outputs * torch::arange(1.0, 6.0)).square().mean().backward();
    for (const std::string name :
         {"class_token", "conv_proj.weight", "encoder.pos_embedding",
          "encoder.layers.encoder_layer_5.self_attention.in_proj_weight",
          "encoder.layers.encoder_layer_9.mlp.0.weight", "heads.head.bias"}) {
        networks::check_like(net.parameters().at(name).grad(), "vit_b_16.gradient." + name);
    }
}

TEST_CASE("VisionTransformer: begins as torchvision's constructor does") {
    torch::manual_seed(1);
    auto net = make(224);
    struct Case {
        const char* parameter;
        double deviation;
    };
    // Xavier's uniform distribution in [-a, a], a = sqrt(6 / (inputs + outputs)): a / sqrt(3).
    for (const Case& c :
         {Case{"conv_proj.weight", std::sqrt(1.0 / 768)}, Case{"encoder.pos_embedding", 0.02},
          Case{"encoder.layers.encoder_layer_0.self_attention.in_proj_weight",
               std::sqrt(2.0 / (4 * 768))},
          Case{"encoder.layers.encoder_layer_0.mlp.0.weight", std::sqrt(2.0 / (5 * 768))},
          Case{"encoder.layers.encoder_layer_0.mlp.3.bias", 1e-6}}) {
        CAPTURE(c.parameter);
        const at::Tensor weight = net.parameters().at(c.parameter);
        CHECK(weight.std().item<double>() == doctest::Approx(c.deviation).epsilon(0.06));
    }
    for (const char* zero : {"class_token", "conv_proj.bias", "heads.head.weight",
                             "encoder.layers.encoder_layer_0.self_attention.out_proj.bias"}) {
        CAPTURE(zero);
        CHECK(net.parameters().at(zero).abs().sum().item<double>() == 0);
    }
}

}  // namespace vision_transformer_test
