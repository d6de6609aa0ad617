// GenericImageEncoder: one of torchvision's networks as an encoder of images.
//
// Either its head returns a vector of scores, for a FeedForwardNetwork or a loss on plain scores,
// or its trunk alone returns feature maps. `load` loads published weights, see
// docs/pretrained-weights.md.

#include "image_network.hpp"

#include <ptp/component.hpp>

#include <algorithm>

class GenericImageEncoder {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "GenericImageEncoder";
    static constexpr const char* summary =
        "VGG, ResNet, DenseNet, MobileNetV3, EfficientNet or ConvNeXt from images to vectors or "
        "feature maps";
    static constexpr const char* description =
        "The network is torchvision's of the same name: its layers, its names of parameters and "
        "its initialization, so that `load` takes weights published for it. The last linear layer "
        "has output_size outputs, plain scores without a softmax. With return_feature_maps there "
        "are no linear layers, and the result is what they would pool and classify: maps after "
        "the last activation, with VGG-16 after the maximum of each 2 x 2, with ConvNeXt after the "
        "last block.\n"
        "Maps of an image of height H are H / 32 high, rounded down with VGG-16 and ConvNeXt (at "
        "least 32), up with ResNets, MobileNets and EfficientNet, and floor(ceil(H / 4) / 8) with "
        "DenseNet-121 (at least 29); so are widths.\n"
        "vgg16: Simonyan, Zisserman 2014, arXiv 1409.1556, configuration D, 512 maps; dropout of "
        "0.5 after both hidden linear layers. resnet18, 34, 50, 101, 152: He, Zhang, Ren, Sun "
        "2015, arXiv 1512.03385, table 1, 512 maps, or 2048 from resnet50 on, where the 3 x 3 "
        "convolution of a bottleneck has the stride. resnext50_32x4d: Xie, Girshick, Dollar, Tu, "
        "He 2016, arXiv 1611.05431, 32 groups of filters, 2048 maps. wide_resnet50_2: Zagoruyko, "
        "Komodakis 2016, arXiv 1605.07146, bottlenecks twice as wide, 2048 maps. densenet121: "
        "Huang, Liu, van der Maaten, Weinberger 2016, arXiv 1608.06993, table 1, 1024 maps. "
        "mobilenet_v3_large, small: Howard et al. 2019, arXiv 1905.02244, tables 1 and 2, 960 and "
        "576 maps; dropout of 0.2 before the last layer. efficientnet_b0: Tan, Le 2019, arXiv "
        "1905.11946, table 1, 1280 maps; dropout of 0.2 before the last layer. convnext_tiny: Liu "
        "et al. 2022, arXiv 2201.03545, 768 maps. The latter two drop residual blocks of single "
        "samples while training, with a chance that grows from 0 to 0.2 and 0.1.\n"
        "Convolutions begin with He's normal distribution (arXiv 1502.01852), by fan-in in "
        "DenseNet and by fan-out in all others but ConvNeXt, whose weights all begin with a normal "
        "distribution of deviation 0.02; linear layers of VGG and MobileNets with one of deviation "
        "0.01 and biases 0.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, 3, input_height, input_width",
                   "Images in color, normalized as the weights were trained"),
        ptp::output("outputs", PTP_FLOAT, "B, output_size", "A vector for each image, plain scores")
            .when("!return_feature_maps")
            .meaning("scores"),
        ptp::output("feature_maps", PTP_FLOAT,
                    "B, feature_map_depth, feature_map_height, feature_map_width",
                    "Output of the convolutional backbone")
            .when("return_feature_maps")};
    static constexpr std::array globals{
        ptp::reads_if_named("input_height", "Height of the images; else known from the stream"),
        ptp::reads_if_named("input_width", "Width of the images; else known from the stream"),
        ptp::reads("output_size", "Length of a vector").when("!return_feature_maps"),
        ptp::publishes("feature_map_depth", "Channels of the feature maps")
            .value("if($model_type = 'vgg16'|'resnet18'|'resnet34', 512, if($model_type = "
                   "'densenet121', 1024, if($model_type = 'mobilenet_v3_large', 960, "
                   "if($model_type = 'mobilenet_v3_small', 576, if($model_type = "
                   "'efficientnet_b0', 1280, if($model_type = 'convnext_tiny', 768, 2048))))))")
            .when("return_feature_maps"),
        ptp::publishes("feature_map_height", "Height of the feature maps")
            .value("if($model_type = 'vgg16'|'convnext_tiny', input_height / 32, if($model_type = "
                   "'densenet121', (input_height + 3) / 4 / 8, (input_height + 31) / 32))")
            .when("return_feature_maps"),
        ptp::publishes("feature_map_width", "Width of the feature maps")
            .value("if($model_type = 'vgg16'|'convnext_tiny', input_width / 32, if($model_type = "
                   "'densenet121', (input_width + 3) / 4 / 8, (input_width + 31) / 32))")
            .when("return_feature_maps")};
    static constexpr std::array requirements{
        ptp::requirement("$model_type != 'vgg16' or min(input_height, input_width) >= 32",
                         "needs images of at least 32 x 32"),
        ptp::requirement("$model_type != 'convnext_tiny' or min(input_height, input_width) >= 32",
                         "needs images of at least 32 x 32"),
        ptp::requirement("$model_type != 'densenet121' or min(input_height, input_width) >= 29",
                         "needs images of at least 29 x 29")};

    enum class ModelType {
        kVgg16,
        kResnet18,
        kResnet34,
        kResnet50,
        kResnet101,
        kResnet152,
        kResnext50,
        kWideResnet50,
        kDensenet121,
        kMobilenetV3Large,
        kMobilenetV3Small,
        kEfficientnetB0,
        kConvnextTiny
    };

    struct Config {
        ModelType model_type = ModelType::kVgg16;
        bool return_feature_maps = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting(
                    "model_type", &Config::model_type,
                    {.help = "The network",
                     .choices =
                         "vgg16|resnet18|resnet34|resnet50|resnet101|resnet152|resnext50_32x4d|wide_resnet50_2|densenet121|mobilenet_v3_large|mobilenet_v3_small|efficientnet_b0|convnext_tiny",
                     .is_required = true}),
                ptp::setting("return_feature_maps", &Config::return_feature_maps,
                             {.help = "True: the maps of the trunk, without linear layers"})};
        }
    };

    GenericImageEncoder(const Config& config, ptp::Setup& setup)
        : returns_maps_(config.return_feature_maps) {
        OutputSize output_size;
        if (!returns_maps_) {
            output_size = setup.size("output_size");
        }
        network_ = make(config.model_type, output_size);
        check_size(setup);
        if (returns_maps_) {
            setup.publish("feature_map_depth", network_->depth());
            setup.publish("feature_map_height", network_->map_size(setup.size("input_height")));
            setup.publish("feature_map_width", network_->map_size(setup.size("input_width")));
        }
    }

    // Returns one of both outputs, depending on the settings.
    std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& inputs) {
        at::Tensor maps = network_->feature_maps(inputs);
        if (returns_maps_) {
            return {at::Tensor(), std::move(maps)};
        }
        return {network_->outputs(maps), at::Tensor()};
    }

    torch::nn::Module& module() { return *network_; }

private:
    static std::shared_ptr<ImageNetwork> make(ModelType type, OutputSize output_size) {
        switch (type) {
            case ModelType::kVgg16:
                return make_vgg16(output_size);
            case ModelType::kResnet18:
                return make_resnet({{2, 2, 2, 2}, false}, output_size);
            case ModelType::kResnet34:
                return make_resnet({{3, 4, 6, 3}, false}, output_size);
            case ModelType::kResnet50:
                return make_resnet({{3, 4, 6, 3}, true}, output_size);
            case ModelType::kResnet101:
                return make_resnet({{3, 4, 23, 3}, true}, output_size);
            case ModelType::kResnet152:
                return make_resnet({{3, 8, 36, 3}, true}, output_size);
            case ModelType::kResnext50:
                return make_resnet({{3, 4, 6, 3}, true, 32, 4}, output_size);
            case ModelType::kWideResnet50:
                return make_resnet({{3, 4, 6, 3}, true, 1, 128}, output_size);
            case ModelType::kDensenet121:
                return make_densenet121(output_size);
            case ModelType::kMobilenetV3Large:
                return make_mobilenet_v3_large(output_size);
            case ModelType::kMobilenetV3Small:
                return make_mobilenet_v3_small(output_size);
            case ModelType::kEfficientnetB0:
                return make_efficientnet_b0(output_size);
            case ModelType::kConvnextTiny:
                return make_convnext_tiny(output_size);
        }
        throw std::logic_error("a choice without a network");
    }

    void check_size(const ptp::Setup& setup) const {
        int64_t smallest = 1;
        while (network_->map_size(smallest) == 0) {
            ++smallest;
        }
        const int64_t height = setup.optional_size("input_height").value_or(smallest);
        const int64_t width = setup.optional_size("input_width").value_or(smallest);
        if (std::min(height, width) < smallest) {
            throw ptp::ConfigError("images of ", height, " x ", width,
                                   " are too small: this network needs at least ", smallest, " x ",
                                   smallest);
        }
    }

    bool returns_maps_;
    std::shared_ptr<ImageNetwork> network_;
};

template const ptp_component_info& ptp::component<GenericImageEncoder>();
