// Settings as they are written in a list, beside options of torch::nn as they are written in C++.

#include "parity_table.hpp"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/modules/pooling.h>
#include <torch/nn/modules/rnn.h>
#include <torch/nn/modules/transformerlayer.h>
#include <torch/nn/modules/upsampling.h>

#include <tuple>

namespace test::layers {

namespace nn = torch::nn;

namespace {

// torch::nn has no such module.
Reference transposed(int64_t first, int64_t second) {
    return {nn::Identity().ptr(),
            [first, second](const Tensors& in) { return Tensors{in[0].transpose(first, second)}; }};
}

// With the batch first; `last` is the state of the last layer, that of both directions joined.
template <class Module>
Reference recurrent(Module module) {
    return {
        module.ptr(), [module](const Tensors& in) mutable {
            const auto result = module->forward(in[0]);
            at::Tensor state;
            if constexpr (std::is_same_v<Module, nn::LSTM>) {
                state = std::get<0>(std::get<1>(result));
            } else {
                state = std::get<1>(result);
            }
            const int64_t directions = module->options.bidirectional() ? 2 : 1;
            const at::Tensor last =
                state.narrow(0, state.size(0) - directions, directions).transpose(0, 1).flatten(1);
            return Tensors{last, std::get<0>(result)};  // in the order of their names
        }};
}

Reference attention(const nn::MultiheadAttentionOptions& options) {
    nn::MultiheadAttention module(options);
    return {module.ptr(), [module](const Tensors& in) mutable {
                const at::Tensor query = in[0].transpose(0, 1);
                const at::Tensor key = in.back().transpose(0, 1);
                return Tensors{std::get<0>(module->forward(query, key, key)).transpose(0, 1)};
            }};
}

Reference encoder(const nn::TransformerEncoderLayerOptions& options) {
    nn::TransformerEncoderLayer module(options);
    return {module.ptr(), [module](const Tensors& in) mutable {
                return Tensors{module->forward(in[0].transpose(0, 1)).transpose(0, 1)};
            }};
}

#define PTP_PARITY(...) [] { return __VA_ARGS__; }

std::vector<Parity> of_images() {
    return {
        {"Conv2d",
         "out_channels = 3\nkernel_size = 3",
         {2, 4, 7, 8},
         PTP_PARITY(one(nn::Conv2d(nn::Conv2dOptions(4, 3, 3)))),
         {{"in_channels", 4}}},
        {"Conv2d",
         "out_channels = 6\nkernel_size = [3, 2]\nstride = [2, 1]\npadding = [1, 2]\n"
         "dilation = [1, 3]\ngroups = 2\nbias = false",
         {2, 4, 9, 8},
         PTP_PARITY(one(nn::Conv2d(nn::Conv2dOptions(4, 6, {3, 2})
                                       .stride({2, 1})
                                       .padding({1, 2})
                                       .dilation({1, 3})
                                       .groups(2)
                                       .bias(false)))),
         {{"in_channels", 4}}},
        {"ConvTranspose2d",
         "out_channels = 3\nkernel_size = 2",
         {2, 4, 5, 6},
         PTP_PARITY(one(nn::ConvTranspose2d(nn::ConvTranspose2dOptions(4, 3, 2)))),
         {{"in_channels", 4}}},
        {"ConvTranspose2d",
         "out_channels = 6\nkernel_size = [3, 2]\nstride = [3, 1]\npadding = [1, 0]\n"
         "output_padding = [2, 1]\ndilation = [1, 2]\ngroups = 2\nbias = false",
         {2, 4, 5, 6},
         PTP_PARITY(one(nn::ConvTranspose2d(nn::ConvTranspose2dOptions(4, 6, {3, 2})
                                                .stride({3, 1})
                                                .padding({1, 0})
                                                .output_padding({2, 1})
                                                .dilation({1, 2})
                                                .groups(2)
                                                .bias(false)))),
         {{"in_channels", 4}}},
        {"MaxPool2d",
         "kernel_size = 2",
         {2, 3, 7, 8},
         PTP_PARITY(one(nn::MaxPool2d(nn::MaxPool2dOptions(2))))},
        {"MaxPool2d",
         "kernel_size = [3, 2]\nstride = [2, 1]\npadding = [1, 0]\ndilation = [2, 1]",
         {2, 3, 9, 8},
         PTP_PARITY(one(nn::MaxPool2d(
             nn::MaxPool2dOptions({3, 2}).stride({2, 1}).padding({1, 0}).dilation({2, 1}))))},
        {"MaxPool2d",
         "kernel_size = [3, 1]\nstride = 1\npadding = [1, 0]",
         {2, 3, 9, 8},
         PTP_PARITY(one(nn::MaxPool2d(nn::MaxPool2dOptions({3, 1}).stride(1).padding({1, 0}))))},
        {"AvgPool2d",
         "kernel_size = 3",
         {2, 3, 7, 8},
         PTP_PARITY(one(nn::AvgPool2d(nn::AvgPool2dOptions(3))))},
        {"AvgPool2d",
         "kernel_size = [3, 2]\nstride = [2, 1]\npadding = [1, 0]\ncount_include_pad = false",
         {2, 3, 9, 8},
         PTP_PARITY(one(nn::AvgPool2d(
             nn::AvgPool2dOptions({3, 2}).stride({2, 1}).padding({1, 0}).count_include_pad(
                 false))))},
        {"AvgPool2d",
         "kernel_size = 3\npadding = 1",
         {2, 3, 9, 8},
         PTP_PARITY(one(nn::AvgPool2d(nn::AvgPool2dOptions(3).padding(1))))},
        {"AdaptiveAvgPool2d",
         "output_size = 1",
         {2, 3, 7, 8},
         PTP_PARITY(one(nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions(1))))},
        {"AdaptiveAvgPool2d",
         "output_size = [3, 5]",
         {2, 3, 7, 8},
         PTP_PARITY(one(nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({3, 5}))))},
        {"Upsample",
         "",
         {2, 3, 4, 5},
         PTP_PARITY(one(nn::Upsample(nn::UpsampleOptions()
                                         .scale_factor(std::vector<double>{2, 2})
                                         .mode(torch::kNearest))))},
        {"Upsample",
         "scale_factor = 3\nmode = \"bilinear\"",
         {2, 3, 4, 5},
         PTP_PARITY(one(nn::Upsample(nn::UpsampleOptions()
                                         .scale_factor(std::vector<double>{3, 3})
                                         .mode(torch::kBilinear)
                                         .align_corners(false))))},
        {"Upsample",
         "mode = \"bilinear\"\nalign_corners = true",
         {2, 3, 4, 5},
         PTP_PARITY(one(nn::Upsample(nn::UpsampleOptions()
                                         .scale_factor(std::vector<double>{2, 2})
                                         .mode(torch::kBilinear)
                                         .align_corners(true))))},
        {"BatchNorm2d",
         "",
         {3, 4, 5, 6},
         PTP_PARITY(one(nn::BatchNorm2d(nn::BatchNorm2dOptions(4)))),
         {{"num_features", 4}}},
        {"BatchNorm2d",
         "eps = 0.1\nmomentum = 0.3\naffine = false",
         {3, 4, 5, 6},
         PTP_PARITY(
             one(nn::BatchNorm2d(nn::BatchNorm2dOptions(4).eps(0.1).momentum(0.3).affine(false)))),
         {{"num_features", 4}}},
        {"BatchNorm2d",
         "track_running_stats = false",
         {3, 4, 5, 6},
         PTP_PARITY(one(nn::BatchNorm2d(nn::BatchNorm2dOptions(4).track_running_stats(false)))),
         {{"num_features", 4}}},
    };
}

std::vector<Parity> of_sequences() {
    return {
        {"Conv1d",
         "out_channels = 3\nkernel_size = 3",
         {2, 4, 9},
         PTP_PARITY(one(nn::Conv1d(nn::Conv1dOptions(4, 3, 3)))),
         {{"in_channels", 4}}},
        {"Conv1d",
         "out_channels = 6\nkernel_size = 2\nstride = 2\npadding = 3\ndilation = 3\ngroups = 2\n"
         "bias = false",
         {2, 4, 9},
         PTP_PARITY(one(nn::Conv1d(
             nn::Conv1dOptions(4, 6, 2).stride(2).padding(3).dilation(3).groups(2).bias(false)))),
         {{"in_channels", 4}}},
        {"LSTM",
         "hidden_size = 5",
         {2, 6, 4},
         PTP_PARITY(recurrent(nn::LSTM(nn::LSTMOptions(4, 5).batch_first(true)))),
         {{"input_size", 4}},
         {},
         {"last", "outputs"}},
        {"LSTM",
         "hidden_size = 5\nnum_layers = 2\nbidirectional = true\ndropout = 0.3\nbias = false",
         {2, 6, 4},
         PTP_PARITY(recurrent(nn::LSTM(nn::LSTMOptions(4, 5)
                                           .batch_first(true)
                                           .num_layers(2)
                                           .bidirectional(true)
                                           .dropout(0.3)
                                           .bias(false)))),
         {{"input_size", 4}},
         {},
         {"last", "outputs"}},
        {"GRU",
         "hidden_size = 5",
         {2, 6, 4},
         PTP_PARITY(recurrent(nn::GRU(nn::GRUOptions(4, 5).batch_first(true)))),
         {{"input_size", 4}},
         {},
         {"last", "outputs"}},
        {"GRU",
         "hidden_size = 5\nnum_layers = 3\nbidirectional = true\ndropout = 0.3\nbias = false",
         {2, 6, 4},
         PTP_PARITY(recurrent(nn::GRU(nn::GRUOptions(4, 5)
                                          .batch_first(true)
                                          .num_layers(3)
                                          .bidirectional(true)
                                          .dropout(0.3)
                                          .bias(false)))),
         {{"input_size", 4}},
         {},
         {"last", "outputs"}},
        {"MultiheadAttention",
         "num_heads = 2",
         {2, 5, 8},
         PTP_PARITY(attention(nn::MultiheadAttentionOptions(8, 2))),
         {{"embed_dim", 8}}},
        {"MultiheadAttention",
         "num_heads = 4\ndropout = 0.2\nbias = false",
         {2, 5, 8},
         PTP_PARITY(attention(nn::MultiheadAttentionOptions(8, 4).dropout(0.2).bias(false))),
         {{"embed_dim", 8}},
         {2, 7, 8}},
        {"TransformerEncoderLayer",
         "nhead = 2",
         {2, 5, 8},
         PTP_PARITY(encoder(nn::TransformerEncoderLayerOptions(8, 2))),
         {{"d_model", 8}}},
        {"TransformerEncoderLayer",
         "nhead = 4\ndim_feedforward = 12\ndropout = 0.0\nactivation = \"gelu\"",
         {2, 5, 8},
         PTP_PARITY(encoder(
             nn::TransformerEncoderLayerOptions(8, 4).dim_feedforward(12).dropout(0.0).activation(
                 torch::kGELU))),
         {{"d_model", 8}}},
        {"BatchNorm1d", "", {6, 4}, PTP_PARITY(one(nn::BatchNorm1d(nn::BatchNorm1dOptions(4))))},
        {"BatchNorm1d",
         "eps = 0.1\nmomentum = 0.3\naffine = false",
         {3, 4, 5},
         PTP_PARITY(
             one(nn::BatchNorm1d(nn::BatchNorm1dOptions(4).eps(0.1).momentum(0.3).affine(false))))},
        {"BatchNorm1d",
         "track_running_stats = false",
         {3, 4, 5},
         PTP_PARITY(one(nn::BatchNorm1d(nn::BatchNorm1dOptions(4).track_running_stats(false))))},
    };
}

std::vector<Parity> of_any_shape() {
    return {
        {"Linear", "out_features = 3", {2, 4}, PTP_PARITY(one(nn::Linear(4, 3)))},
        {"Linear",
         "out_features = 3\nbias = false",
         {2, 5, 4},
         PTP_PARITY(one(nn::Linear(nn::LinearOptions(4, 3).bias(false))))},
        {"Embedding",
         "num_embeddings = 5\nembedding_dim = 3",
         {2, 6},
         PTP_PARITY(one(nn::Embedding(5, 3)))},
        {"Embedding",
         "num_embeddings = 5\nembedding_dim = 3\npadding_idx = 2",
         {2, 6},
         PTP_PARITY(one(nn::Embedding(nn::EmbeddingOptions(5, 3).padding_idx(2))))},
        {"Flatten", "", {2, 3, 4, 5}, PTP_PARITY(one(nn::Flatten()))},
        {"Flatten",
         "start_dim = 2\nend_dim = 3",
         {2, 3, 4, 5, 2},
         PTP_PARITY(one(nn::Flatten(nn::FlattenOptions().start_dim(2).end_dim(3))))},
        {"Transpose", "", {2, 5, 4}, PTP_PARITY(transposed(1, 2))},
        {"Transpose", "dim0 = 2\ndim1 = 3", {2, 3, 4, 5}, PTP_PARITY(transposed(2, 3))},
        {"Unflatten",
         "unflattened_size = [2, 3]",
         {4, 6},
         PTP_PARITY(one(nn::Unflatten(nn::UnflattenOptions(1, {2, 3}))))},
        {"Unflatten",
         "dim = 2\nunflattened_size = [2, 1, 2]",
         {2, 3, 4, 5},
         PTP_PARITY(one(nn::Unflatten(nn::UnflattenOptions(2, {2, 1, 2}))))},
        {"Identity", "", {2, 3}, PTP_PARITY(one(nn::Identity()))},
        {"Dropout", "", {8, 9}, PTP_PARITY(one(nn::Dropout()))},
        {"Dropout", "p = 0.1", {8, 3, 4}, PTP_PARITY(one(nn::Dropout(0.1)))},
        {"LayerNorm", "", {2, 5, 4}, PTP_PARITY(one(nn::LayerNorm(nn::LayerNormOptions({4}))))},
        {"LayerNorm",
         "normalized_shape = [5, 4]\neps = 0.1\nelementwise_affine = false",
         {2, 5, 4},
         PTP_PARITY(
             one(nn::LayerNorm(nn::LayerNormOptions({5, 4}).eps(0.1).elementwise_affine(false))))},
        {"GroupNorm",
         "num_groups = 2",
         {2, 4, 5},
         PTP_PARITY(one(nn::GroupNorm(nn::GroupNormOptions(2, 4))))},
        {"GroupNorm",
         "num_groups = 4\neps = 0.1\naffine = false",
         {2, 4, 5, 6},
         PTP_PARITY(one(nn::GroupNorm(nn::GroupNormOptions(4, 4).eps(0.1).affine(false))))},
        {"ReLU", "", {4, 5}, PTP_PARITY(one(nn::ReLU()))},
        {"LeakyReLU", "", {4, 5}, PTP_PARITY(one(nn::LeakyReLU()))},
        {"LeakyReLU",
         "negative_slope = 0.3",
         {4, 5},
         PTP_PARITY(one(nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.3))))},
        {"GELU", "", {4, 5}, PTP_PARITY(one(nn::GELU()))},
        {"GELU",
         "approximate = \"tanh\"",
         {4, 5},
         PTP_PARITY(one(nn::GELU(nn::GELUOptions().approximate("tanh"))))},
        {"SiLU", "", {4, 5}, PTP_PARITY(one(nn::SiLU()))},
        {"Sigmoid", "", {4, 5}, PTP_PARITY(one(nn::Sigmoid()))},
        {"Tanh", "", {4, 5}, PTP_PARITY(one(nn::Tanh()))},
        {"Softmax", "", {4, 5, 3}, PTP_PARITY(one(nn::Softmax(1)))},
        {"Softmax", "dim = -1", {4, 5, 3}, PTP_PARITY(one(nn::Softmax(-1)))},
        {"LogSoftmax", "", {4, 5, 3}, PTP_PARITY(one(nn::LogSoftmax(1)))},
        {"LogSoftmax", "dim = -1", {4, 5, 3}, PTP_PARITY(one(nn::LogSoftmax(-1)))},
    };
}

#undef PTP_PARITY

}  // namespace

std::vector<Parity> parities() {
    std::vector<Parity> all = of_images();
    for (auto more : {parities_of_windows(), of_sequences(), of_any_shape()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

}  // namespace test::layers
