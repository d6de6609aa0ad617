// What is known of sizes before anything runs, and what does not fit to it.

#include "experiments/support.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

namespace wrong_sizes_test {

namespace {

// Images of `side` x `side`, an encoder with `settings`, and a reader of maps of `maps`.
std::string encoded(int side, const std::string& settings, const std::string& maps) {
    return fmt::format(R"([training]
optimizer = {{ type = "SGD", lr = 0.1 }}
task = {{ type = "Shapes", batch_size = 4 }}
[validation]
task = {{ type = "Shapes", batch_size = 4 }}
[pipeline.resize]
type = "Resize"
size = [{0}, {0}]
streams = {{ outputs = "images" }}
[pipeline.encoder]
{1}
streams = {{ inputs = "images" }}
[pipeline.flatten]
type = "ReshapeTensor"
input_dims = [-1, {2}]
output_dims = [-1, 11]
streams = {{ inputs = "feature_maps", outputs = "features" }}
[pipeline.classifier]
type = "FeedForwardNetwork"
streams = {{ inputs = "features" }}
globals = {{ prediction_size = 4 }}
[pipeline.loss]
type = "NLLLoss"
)",
                       side, settings, maps);
}

// Whether the maps have this shape: then nothing is wrong but the number of values.
bool has_maps(int side, const std::string& settings, const std::string& maps) {
    const std::string problems = ptp::test::problems_of(encoded(side, settings, maps));
    return problems.find("another shape") == std::string::npos &&
           problems.find("the values of 'inputs' do not fit") != std::string::npos;
}

}  // namespace

TEST_CASE("wrong sizes: feature maps have the sizes that torchvision's networks give") {
    const auto network = [](const char* name) {
        return fmt::format(
            "type = \"GenericImageEncoder\"\nmodel_type = \"{}\"\n"
            "return_feature_maps = true",
            name);
    };
    CHECK(has_maps(224, network("vgg16"), "512, 7, 7"));
    CHECK(has_maps(224, network("resnet18"), "512, 7, 7"));
    CHECK(has_maps(224, network("resnet34"), "512, 7, 7"));
    CHECK(has_maps(224, network("resnet50"), "2048, 7, 7"));
    CHECK(has_maps(224, network("resnet101"), "2048, 7, 7"));
    CHECK(has_maps(224, network("resnet152"), "2048, 7, 7"));
    CHECK(has_maps(224, network("resnext50_32x4d"), "2048, 7, 7"));
    CHECK(has_maps(224, network("wide_resnet50_2"), "2048, 7, 7"));
    CHECK(has_maps(224, network("densenet121"), "1024, 7, 7"));
    CHECK(has_maps(224, network("mobilenet_v3_large"), "960, 7, 7"));
    CHECK(has_maps(224, network("mobilenet_v3_small"), "576, 7, 7"));
    CHECK(has_maps(224, network("efficientnet_b0"), "1280, 7, 7"));
    CHECK(has_maps(224, network("convnext_tiny"), "768, 7, 7"));
    CHECK(has_maps(65, network("mobilenet_v3_small"), "576, 3, 3"));
    CHECK(has_maps(65, network("convnext_tiny"), "768, 2, 2"));
    CHECK(has_maps(65, network("vgg16"), "512, 2, 2"));
    CHECK(has_maps(65, network("resnet18"), "512, 3, 3"));
    CHECK(has_maps(65, network("densenet121"), "1024, 2, 2"));
    CHECK(has_maps(29, network("densenet121"), "1024, 1, 1"));
    CHECK_FALSE(has_maps(65, network("resnet18"), "512, 2, 2"));
}

TEST_CASE("wrong sizes: feature maps have the sizes that convolutions and pooling leave") {
    // 32: 30 -> 15, 13 -> 6, 4 -> 2
    CHECK(has_maps(32, "type = \"ConvNetEncoder\"", "16, 2, 2"));
    // 33, kernel 5, stride 2, padding 1: floor(30 / 2) + 1 = 16 -> 8, 6 -> 3, 1 -> 1 with pooling
    // by 1
    CHECK(has_maps(33,
                   "type = \"ConvNetEncoder\"\nconv1 = { kernel_size = 5, stride = 2, padding = 1 "
                   "}\nmaxpool3 = { kernel_size = 1 }\nconv3 = { out_channels = 3 }",
                   "3, 1, 1"));
}

TEST_CASE("wrong sizes: images that are too small are refused at what is too large for them") {
    CHECK(ptp::test::problems_of(encoded(8, "type = \"ConvNetEncoder\"", "16, 1, 1")) ==
          "e.toml:10:1: pipeline.encoder.maxpool2 = { kernel_size = 2 } (by default): must be at "
          "most what the second convolution leaves of an image; take larger images, smaller "
          "kernels or more padding: input_height is 8, input_width is 8\n"
          "e.toml:10:1: pipeline.encoder.maxpool3 = { kernel_size = 2 } (by default): must be at "
          "most what the third convolution leaves of an image; take larger images, smaller "
          "kernels or more padding: input_height is 8, input_width is 8\n"
          "e.toml:13:1: pipeline.flatten: the values of 'inputs' do not fit into 'outputs'\n"
          "    'inputs' is [B, 16, 1, 1]: 16 values, times what is not known\n"
          "    'outputs' is [*, 11]: 11 values, times what is not known\n"
          "    fix: set pipeline.flatten.output_dims = [-1, 16]");
    CHECK(ptp::test::problems_of(encoded(28,
                                         "type = \"GenericImageEncoder\"\nmodel_type = "
                                         "\"densenet121\"\nreturn_feature_maps = true",
                                         "1024, 1, 1"))
              .find("e.toml:12:14: pipeline.encoder.model_type = \"densenet121\": needs images of "
                    "at least 29 x 29: input_height is 28, input_width is 28") !=
          std::string::npos);
    CHECK(ptp::test::problems_of(encoded(31,
                                         "type = \"GenericImageEncoder\"\nmodel_type = "
                                         "\"convnext_tiny\"\nreturn_feature_maps = true",
                                         "768, 1, 1"))
              .find("e.toml:12:14: pipeline.encoder.model_type = \"convnext_tiny\": needs images "
                    "of at least 32 x 32: input_height is 31, input_width is 31") !=
          std::string::npos);
}

TEST_CASE("wrong sizes: images that a U-Net cannot halve as often as it does are refused") {
    const auto problems = [](int side) {
        return ptp::test::problems_of(fmt::format(
            "[training]\noptimizer = {{ type = \"SGD\", lr = 0.1 }}\n"
            "task = {{ type = \"Shapes\", batch_size = 4, image_size = {0} }}\n"
            "[validation]\ntask = {{ type = \"Shapes\", batch_size = 4, image_size = {0} }}\n"
            "[pipeline.unet]\ntype = \"UNet\"\nchannels = [4, 8, 16]\n"
            "globals = {{ prediction_size = \"num_segment_classes\" }}\n"
            "[pipeline.loss]\ntype = \"DiceLoss\"\nstreams = {{ targets = \"segments\" }}\n",
            side));
    };
    CHECK(problems(36) == "");
    CHECK(problems(34) ==
          "e.toml:8:12: pipeline.unet.channels = [4, 8, 16]: needs images whose height and width "
          "are multiples of 4: input_height is 34, input_width is 34");
}

TEST_CASE("wrong sizes: what a run would refuse at its start is refused where it is written") {
    const ptp::test::WrongExperiment experiments[] = {
        {"a reshaping of other maps", "input_dims = [-1, 16, 7, 7]", "input_dims = [-1, 16, 6, 6]",
         "e.toml:26:1: pipeline.reshape: stream 'feature_maps' has another shape than 'inputs' "
         "takes\n    'encoder' (ConvNetEncoder) writes [B, feature_map_depth = 16, "
         "feature_map_height = 7, feature_map_width = 7] as 'feature_maps'\n    'reshape' "
         "(ReshapeTensor) reads [*, 16, 6, 6] as 'inputs'\n    feature_map_height = 7: published "
         "by 'encoder' (ConvNetEncoder)\n    6: pipeline.reshape.input_dims[2]\n    "
         "feature_map_width = 7: published by 'encoder' (ConvNetEncoder)\n    6: "
         "pipeline.reshape.input_dims[3]\n    fix: set pipeline.reshape.input_dims = [-1, 16, 7, "
         "7]"},
        {"weights for other classes", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\nclass_weights = [1, 2, 3]",
         "e.toml:41:17: pipeline.nll_loss.class_weights = [1.0, 2.0, 3.0]: must have one weight "
         "for each class, or none: class_weights has 3 items, classes is 10"},
        {"more places than classes", "type = \"AccuracyStatistics\"",
         "type = \"AccuracyStatistics\"\ntop_k = 11",
         "e.toml:44:9: pipeline.accuracy.top_k = 11: must be at most the number of classes: "
         "num_classes is 10"},
        {"a crop larger than its image", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.crop]\ntype = \"RandomCrop\"\nsize = [76, 10]\n"
         "streams = { outputs = \"parts\" }",
         "e.toml:43:8: pipeline.crop.size = [76, 10]: must fit into the images with their "
         "padding: height is 75, so at most 75 fits"},
        {"a mirror that is too large", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.crop]\ntype = \"RandomCrop\"\npadding = 75\n"
         "padding_mode = \"reflect\"\nstreams = { outputs = \"parts\" }",
         "e.toml:43:11: pipeline.crop.padding = 75: must be less than the sides of an image, whose "
         "pixels are mirrored: height is 75, width is 75, so less than 75 fits"},
        {"a sum that is another", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.both]\ntype = \"ConcatenateTensor\"\ninput_streams = "
         "[\"features\", \"questions\"]\noutput_dims = [-1, 794]\nstreams = { outputs = \"both\" "
         "}\nglobals = { output_size = \"both_size\" }",
         "e.toml:44:15: pipeline.both.output_dims = [-1, 794]: must have the sum of the streams' "
         "sizes along dim: 'features' is [*, 784], 'questions' is [B, question_size = 11], so 795 fits"},
        {"two exporters of one file", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.one]\ntype = \"StreamFileExporter\"\ninput_streams = "
         "\"indices\"\nfilename = \"x.csv\"\n[pipeline.two]\ntype = \"StreamFileExporter\"\n"
         "input_streams = \"targets\"\nfilename = \"x.csv\"",
         "e.toml:48:12: pipeline.two.filename = \"x.csv\": 'one' writes the file 'x.csv' already; "
         "choose another name"},
        {"a file that is called like another exporter's", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.one]\ntype = \"StreamFileExporter\"\ninput_streams = "
         "\"indices\"\nfilename = \"two.csv\"\n[pipeline.two]\ntype = \"StreamFileExporter\"\n"
         "input_streams = \"targets\"",
         "e.toml:44:12: pipeline.one.filename = \"two.csv\": 'two' writes the file 'two.csv' "
         "already; choose another name"},
        {"samples beyond the data", "[training.task]",
         "[training.sampler]\ntype = \"SubsetRandomSampler\"\nindices = [0, 1001]\n"
         "[training.task]",
         "e.toml:14:11: training.sampler.indices: there is no sample 1000; SortOfCLEVR has 1000, "
         "from 0 to 999"},
        {"more folds than samples", "[training.task]",
         "[training.sampler]\ntype = \"kFoldRandomSampler\"\nfolds = 1001\nfold = 0\n"
         "[training.task]",
         "e.toml:12:1: training.sampler.folds = 1001: SortOfCLEVR has only 1000 samples\n"
         "    fix: set folds = 10"},
        {"a fold of an unknown number", "[training.task]",
         "[training.sampler]\ntype = \"kFoldRandomSampler\"\nfold = 0\n[training.task]",
         "e.toml:12:1: training.sampler: kFoldRandomSampler has no folds\n"
         "    fix: folds = 5, fold = 0 holds out the first of five parts; ptprun cv, and --fold "
         "0/5, give both by themselves"},
        {"folds without one that is held out", "[training.task]",
         "[training.sampler]\ntype = \"kFoldStratifiedSampler\"\n[training.task]",
         "e.toml:12:1: training.sampler: kFoldStratifiedSampler has no folds and fold\n"
         "    fix: folds = 5, fold = 0 holds out the first of five parts; ptprun cv, and --fold "
         "0/5, give both by themselves"},
        {"more samples than can be put in an order", "size = 1000", "size = 9223372036854775807",
         "e.toml:12:1: training.task: SortOfCLEVR has 9223372036854775807 samples; an epoch can "
         "have 10000000000 at most"},
        {"a constant that is not a size", "prediction_size = \"${classes}\"", "prediction_size = 0",
         "e.toml:5:1: vars.classes: warning: never used\n"
         "e.toml:37:31: pipeline.classifier.globals.prediction_size = 0: must be an integer in [1, "
         "inf), because it is a size of a stream"},
        {"a dimension that does not exist", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.flat]\ntype = \"Flatten\"\nstart_dim = 4\n"
         "streams = { outputs = \"rows\" }",
         "e.toml:43:13: pipeline.flat.start_dim = 4: must be a dimension of inputs: 'inputs' "
         "is [B, 3, image_height = 75, image_width = 75]"},
    };
    ptp::test::check_all(experiments);
}

}  // namespace wrong_sizes_test
