// Padding and rounding of windows beside torch::nn, and beside paddings that are written out.

#include "parity_table.hpp"

#include <torch/nn/functional/conv.h>
#include <torch/nn/functional/padding.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/pooling.h>

namespace test::layers {

namespace nn = torch::nn;

namespace {

// The module after these numbers are added around its input, the last dimension first.
template <class Module, class Mode>
Reference after_padding(Module module, std::vector<int64_t> pads, Mode mode) {
    const auto options = nn::functional::PadFuncOptions(std::move(pads)).mode(mode);
    return {module.ptr(), [module, options](const Tensors& in) mutable {
                return Tensors{module->forward(nn::functional::pad(in[0], options))};
            }};
}

#define PTP_PARITY(...) [] { return __VA_ARGS__; }

std::vector<Parity> of_padding() {
    return {
        {"Conv2d",
         "out_channels = 3\nkernel_size = 3\npadding_same = true",
         {2, 4, 7, 8},
         PTP_PARITY(one(nn::Conv2d(nn::Conv2dOptions(4, 3, 3).padding(torch::kSame)))),
         {{"in_channels", 4}}},
        {"Conv2d",
         "out_channels = 6\nkernel_size = [4, 3]\ndilation = [1, 2]\ngroups = 2\n"
         "padding_same = true",
         {2, 4, 7, 8},
         PTP_PARITY(one(nn::Conv2d(
             nn::Conv2dOptions(4, 6, {4, 3}).dilation({1, 2}).groups(2).padding(torch::kSame)))),
         {{"in_channels", 4}}},
        // A kernel of 4 rows needs 3 more, the larger half below; 2 columns 3 apart need 3 as well.
        {"Conv2d",
         "out_channels = 3\nkernel_size = [4, 2]\ndilation = [1, 3]\npadding_same = true\n"
         "padding_mode = \"reflect\"",
         {2, 4, 7, 8},
         PTP_PARITY(after_padding(nn::Conv2d(nn::Conv2dOptions(4, 3, {4, 2}).dilation({1, 3})),
                                  {1, 2, 1, 2}, torch::kReflect)),
         {{"in_channels", 4}}},
        {"Conv2d",
         "out_channels = 3\nkernel_size = [3, 2]\nstride = 2\npadding = [2, 1]\n"
         "padding_mode = \"reflect\"",
         {2, 4, 7, 8},
         PTP_PARITY(one(nn::Conv2d(nn::Conv2dOptions(4, 3, {3, 2})
                                       .stride(2)
                                       .padding({2, 1})
                                       .padding_mode(torch::kReflect)))),
         {{"in_channels", 4}}},
        {"Conv2d",
         "out_channels = 3\nkernel_size = 3\npadding = [1, 4]\npadding_mode = \"replicate\"",
         {2, 4, 5, 3},
         PTP_PARITY(one(nn::Conv2d(
             nn::Conv2dOptions(4, 3, 3).padding({1, 4}).padding_mode(torch::kReplicate)))),
         {{"in_channels", 4}}},
        {"Conv2d",
         "out_channels = 3\nkernel_size = 3\npadding = [5, 3]\npadding_mode = \"circular\"",
         {2, 4, 5, 3},
         PTP_PARITY(one(nn::Conv2d(
             nn::Conv2dOptions(4, 3, 3).padding({5, 3}).padding_mode(torch::kCircular)))),
         {{"in_channels", 4}}},
        {"Conv1d",
         "out_channels = 3\nkernel_size = 4\npadding_same = true",
         {2, 4, 9},
         PTP_PARITY(one(nn::Conv1d(nn::Conv1dOptions(4, 3, 4).padding(torch::kSame)))),
         {{"in_channels", 4}}},
        {"Conv1d",
         "out_channels = 3\nkernel_size = 3\ndilation = 2\npadding_same = true\n"
         "padding_mode = \"circular\"",
         {2, 4, 9},
         PTP_PARITY(after_padding(nn::Conv1d(nn::Conv1dOptions(4, 3, 3).dilation(2)), {2, 2},
                                  torch::kCircular)),
         {{"in_channels", 4}}},
        {"Conv1d",
         "out_channels = 3\nkernel_size = 3\nstride = 2\npadding = 8\npadding_mode = \"reflect\"",
         {2, 4, 9},
         PTP_PARITY(one(nn::Conv1d(
             nn::Conv1dOptions(4, 3, 3).stride(2).padding(8).padding_mode(torch::kReflect)))),
         {{"in_channels", 4}}},
    };
}

// Makes images of 7 rows and 8 columns, or of 2 rows, than which one window is larger.
std::vector<Parity> of_rounding_up() {
    return {
        {"MaxPool2d",
         "kernel_size = 2\nceil_mode = true",
         {2, 3, 7, 9},
         PTP_PARITY(one(nn::MaxPool2d(nn::MaxPool2dOptions(2).ceil_mode(true))))},
        {"MaxPool2d",
         "kernel_size = [3, 2]\nstride = [3, 2]\npadding = [1, 1]\nceil_mode = true",
         {2, 3, 7, 8},
         PTP_PARITY(one(nn::MaxPool2d(
             nn::MaxPool2dOptions({3, 2}).stride({3, 2}).padding({1, 1}).ceil_mode(true))))},
        {"MaxPool2d",
         "kernel_size = 3\nstride = 2\ndilation = 2\nceil_mode = true",
         {2, 3, 6, 8},
         PTP_PARITY(
             one(nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).dilation(2).ceil_mode(true))))},
        {"MaxPool2d",
         "kernel_size = 3\nstride = 2\nceil_mode = true",
         {2, 3, 2, 8},
         PTP_PARITY(one(nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).ceil_mode(true))))},
        {"AvgPool2d",
         "kernel_size = 2\nceil_mode = true",
         {2, 3, 7, 9},
         PTP_PARITY(one(nn::AvgPool2d(nn::AvgPool2dOptions(2).ceil_mode(true))))},
        {"AvgPool2d",
         "kernel_size = [3, 2]\nstride = [2, 3]\npadding = [1, 1]\nceil_mode = true\n"
         "count_include_pad = false",
         {2, 3, 8, 8},
         PTP_PARITY(one(nn::AvgPool2d(nn::AvgPool2dOptions({3, 2})
                                          .stride({2, 3})
                                          .padding({1, 1})
                                          .ceil_mode(true)
                                          .count_include_pad(false))))},
    };
}

#undef PTP_PARITY

}  // namespace

std::vector<Parity> parities_of_windows() {
    std::vector<Parity> all = of_padding();
    const std::vector<Parity> more = of_rounding_up();
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace test::layers
