// ConvNetEncoder: transforms images to feature maps with three convolutions.
//
// Each of the three layers consists of a convolution, optional batch normalization, max-pooling and
// ReLU. The sizes of the feature maps follow from the images' sizes and are published.

#include "max_pool.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/max_pool2d.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

class ConvNetEncoder {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "ConvNetEncoder";
    static constexpr const char* summary = "Three convolutional layers from images to feature maps";
    static constexpr const char* description =
        "Each layer is a convolution, with use_batch_norm a batch normalization over each channel "
        "(Ioffe and Szegedy 2015, arXiv 1502.03167), max-pooling (whose stride is its kernel) and "
        "ReLU. The height and the width of the feature maps are whole numbers, rounded down at "
        "each step; an image that is too small for the kernels is refused before the first step.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, input_depth, input_height, input_width", "Images"),
        ptp::output("feature_maps", PTP_FLOAT,
                    "B, feature_map_depth, feature_map_height, feature_map_width",
                    "Feature maps of each image, the output of the last layer")};
    // For each layer: the number of positions of the kernel, then of the pooling, rounded down.
    static constexpr const char* kHeight =
        "windows(windows(windows(input_height, $conv1.kernel_size, $conv1.stride, "
        "$conv1.padding) / $maxpool1.kernel_size, $conv2.kernel_size, $conv2.stride, "
        "$conv2.padding) / $maxpool2.kernel_size, $conv3.kernel_size, $conv3.stride, "
        "$conv3.padding) / $maxpool3.kernel_size";
    static constexpr const char* kWidth =
        "windows(windows(windows(input_width, $conv1.kernel_size, $conv1.stride, "
        "$conv1.padding) / $maxpool1.kernel_size, $conv2.kernel_size, $conv2.stride, "
        "$conv2.padding) / $maxpool2.kernel_size, $conv3.kernel_size, $conv3.stride, "
        "$conv3.padding) / $maxpool3.kernel_size";

    static constexpr std::array globals{
        ptp::reads_if_named("input_depth", "Channels of the images; else known from the stream"),
        ptp::reads_if_named("input_height", "Height of the images; else known from the stream"),
        ptp::reads_if_named("input_width", "Width of the images; else known from the stream"),
        ptp::publishes("feature_map_depth", "Channels of the feature maps")
            .value("$conv3.out_channels"),
        ptp::publishes("feature_map_height", "Height of the feature maps").value(kHeight),
        ptp::publishes("feature_map_width", "Width of the feature maps").value(kWidth)};
    static constexpr std::array requirements{
        ptp::requirement(
            "$maxpool1.kernel_size <= windows(min(input_height, input_width), "
            "$conv1.kernel_size, $conv1.stride, $conv1.padding)",
            "must be at most what the first convolution leaves of an image; take larger images, "
            "smaller kernels or more padding"),
        ptp::requirement(
            "$maxpool2.kernel_size <= windows(windows(min(input_height, input_width), "
            "$conv1.kernel_size, $conv1.stride, $conv1.padding) / $maxpool1.kernel_size, "
            "$conv2.kernel_size, $conv2.stride, $conv2.padding)",
            "must be at most what the second convolution leaves of an image; take larger images, "
            "smaller kernels or more padding"),
        ptp::requirement(
            "$maxpool3.kernel_size <= windows(windows(windows(min(input_height, input_width), "
            "$conv1.kernel_size, $conv1.stride, $conv1.padding) / $maxpool1.kernel_size, "
            "$conv2.kernel_size, $conv2.stride, $conv2.padding) / $maxpool2.kernel_size, "
            "$conv3.kernel_size, $conv3.stride, $conv3.padding)",
            "must be at most what the third convolution leaves of an image; take larger images, "
            "smaller kernels or more padding")};

    struct Convolution {
        int64_t out_channels = 0;
        int64_t kernel_size = 3;
        int64_t stride = 1;
        int64_t padding = 0;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("out_channels", &Convolution::out_channels,
                             {.help = "Number of filters", .range = "[1, inf)"}),
                ptp::setting("kernel_size", &Convolution::kernel_size,
                             {.help = "Height and width of a filter", .range = "[1, inf)"}),
                ptp::setting("stride", &Convolution::stride,
                             {.help = "Step between two places of a filter", .range = "[1, inf)"}),
                ptp::setting("padding", &Convolution::padding,
                             {.help = "Zeros added at each border", .range = "[0, inf)"})};
        }
    };

    struct MaxPooling {
        int64_t kernel_size = 2;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("kernel_size", &MaxPooling::kernel_size,
                             {.help = "Height and width of a window, and the step between two",
                              .range = "[1, inf)"})};
        }
    };

    struct Config {
        Convolution conv1{.out_channels = 64};
        Convolution conv2{.out_channels = 32};
        Convolution conv3{.out_channels = 16};
        MaxPooling maxpool1;
        MaxPooling maxpool2;
        MaxPooling maxpool3;
        bool use_batch_norm = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("conv1", &Config::conv1, {.help = "The first convolution"}),
                ptp::setting("maxpool1", &Config::maxpool1, {.help = "The pooling after it"}),
                ptp::setting("conv2", &Config::conv2, {.help = "The second convolution"}),
                ptp::setting("maxpool2", &Config::maxpool2, {.help = "The pooling after it"}),
                ptp::setting("conv3", &Config::conv3, {.help = "The third convolution"}),
                ptp::setting("maxpool3", &Config::maxpool3, {.help = "The pooling after it"}),
                ptp::setting(
                    "use_batch_norm", &Config::use_batch_norm,
                    {.help = "Whether each channel is normalized after each convolution"})};
        }
    };

    ConvNetEncoder(const Config& config, ptp::Setup& setup) {
        Size size{setup.size("input_depth"), setup.size("input_height"), setup.size("input_width")};
        add("conv1", config.conv1, config.maxpool1, size);
        add("conv2", config.conv2, config.maxpool2, size);
        add("conv3", config.conv3, config.maxpool3, size);
        if (config.use_batch_norm) {
            normalize(config);
        }
        setup.publish("feature_map_depth", size.depth);
        setup.publish("feature_map_height", size.height);
        setup.publish("feature_map_width", size.width);
    }

    at::Tensor forward(const at::Tensor& inputs) {
        at::Tensor maps = inputs;
        for (Layer& layer : layers_) {
            maps = layer.convolution->forward(maps);
            if (layer.norm) {
                maps = layer.norm->forward(maps);
            }
            maps = layer.pool == 2 ? ptp::support::max_pool_2x2(maps)
                                   : at::max_pool2d(maps, layer.pool);
            maps = maps.relu();
        }
        return maps;
    }

    torch::nn::Module& module() { return *net_; }

private:
    struct Size {
        int64_t depth;
        int64_t height;
        int64_t width;
    };

    struct Layer {
        torch::nn::Conv2d convolution;
        int64_t pool;
        torch::nn::BatchNorm2d norm = nullptr;  // (optional)
    };

    // Adds a layer and converts the size of its input to that of its output.
    void add(const char* its_name, const Convolution& conv, const MaxPooling& pool, Size& size) {
        const auto after = [&](int64_t width) {
            const int64_t span = width + 2 * conv.padding - conv.kernel_size;
            return span < 0 ? 0 : (span / conv.stride + 1) / pool.kernel_size;
        };
        const Size before = size;
        size = {conv.out_channels, after(size.height), after(size.width)};
        if (size.height < 1 || size.width < 1) {
            throw ptp::ConfigError(its_name, ": its input is ", before.height, " x ", before.width,
                                   ", too small for kernel_size ", conv.kernel_size,
                                   " and pooling by ", pool.kernel_size,
                                   "; take larger images, smaller kernels or more padding");
        }
        auto options = torch::nn::Conv2dOptions(before.depth, conv.out_channels, conv.kernel_size);
        options.stride(conv.stride).padding(conv.padding);
        layers_.push_back(
            {net_->register_module(its_name, torch::nn::Conv2d(options)), pool.kernel_size});
    }

    // Adds a normalization to each layer.
    void normalize(const Config& config) {
        const auto add_to = [&](Layer& layer, const char* its_name, const Convolution& conv) {
            layer.norm = net_->register_module(its_name, torch::nn::BatchNorm2d(conv.out_channels));
        };
        add_to(layers_[0], "norm1", config.conv1);
        add_to(layers_[1], "norm2", config.conv2);
        add_to(layers_[2], "norm3", config.conv3);
    }

    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    std::vector<Layer> layers_;
};

template const ptp_component_info& ptp::component<ConvNetEncoder>();
