#include "engine/pretrained/torch_pickle.hpp"

#include <doctest/doctest.h>

#include <string>

namespace old_names_test {

using ptp::engine::present_name;

TEST_CASE("old names: the names in old DenseNet files become today's") {
    CHECK(present_name("features.denseblock1.denselayer1.norm.1.weight") ==
          "features.denseblock1.denselayer1.norm1.weight");
    CHECK(present_name("a.denselayer24.conv.2.weight") == "a.denselayer24.conv2.weight");
    CHECK(present_name("denselayer3.norm.2.running_var") == "denselayer3.norm2.running_var");
    CHECK(present_name("denselayer3.norm.1.running_mean") == "denselayer3.norm1.running_mean");
    CHECK(present_name("denselayer3.norm.1.bias") == "denselayer3.norm1.bias");
}

TEST_CASE("old names: the names in old files of vision transformers become today's") {
    CHECK(present_name("encoder.layers.encoder_layer_0.mlp.linear_1.weight") ==
          "encoder.layers.encoder_layer_0.mlp.0.weight");
    CHECK(present_name("encoder.layers.encoder_layer_11.mlp.linear_2.bias") ==
          "encoder.layers.encoder_layer_11.mlp.3.bias");
}

TEST_CASE("old names: others stay as they are") {
    for (const std::string name :
         {"", ".", "...", "weight", "norm.1.weight", "features.norm.1.weight",
          "denselayer.norm.1.weight", "denselayer1.norm1.weight", "denselayer1.norm.3.weight",
          "denselayer1.pool.1.weight", "denselayer1.norm.1.num_batches_tracked",
          "denselayer1.x.norm.1.weight", "layer1.0.bn1.weight", "mlp.linear_1.weight",
          "encoder_layer_1.mlp.linear_3.weight", "encoder_layer_1.mlp.linear_1.scale",
          "encoder_layer_1.mlp.0.weight"}) {
        CHECK(present_name(name) == name);
    }
}

}  // namespace old_names_test
