// QuestionDrivenAttention: sums over the places of an image, weighted by what a question is about.
//
// Yang, He, Gao, Deng, Smola: Stacked attention networks for image question answering, 2015, arXiv
// 1511.02274, in the form with several glimpses of Kazemi and Elqursh: Show, ask, attend, and
// answer, 2017, arXiv 1704.03162.

#include "inputs.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/matmul.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

class QuestionDrivenAttention {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "QuestionDrivenAttention";
    static constexpr const char* summary =
        "Sums the places of feature maps, weighted by what a question is about";
    static constexpr const char* description =
        "The vector of each place in the feature maps is divided by its length (plus 1e-8): v. "
        "hidden = relu(U drop(v) + V drop(q)), with U a 1 x 1 convolution without bias to "
        "latent_size channels and V a linear layer of the encoded question q, the same at all "
        "places; a 1 x 1 convolution of drop(hidden) is a score for each of num_attention_heads "
        "and each place. The softmax over the places makes weights of them. For each head, the sum "
        "of v with its weights is a part of the output; with output_mode Fusion, the question is "
        "put behind these parts. drop is dropout while training.\n"
        "After Yang et al. 2015, arXiv 1511.02274, equations 15 to 17, and Kazemi and Elqursh "
        "2017, arXiv 1704.03162.";

    static constexpr std::array ports{
        fusion::kFeatureMaps, fusion::kQuestionEncodings,
        ptp::output("outputs", PTP_FLOAT, "B, output_size",
                    "The weighted sums, head by head, and with Fusion the question")};
    static constexpr std::array globals{
        fusion::kFeatureMapDepth, fusion::kFeatureMapHeight, fusion::kFeatureMapWidth,
        fusion::kQuestionEncodingSize,
        ptp::publishes("output_size",
                       "Length of an output: feature_map_depth for each head, and with Fusion "
                       "question_encoding_size more")
            .value("feature_map_depth * $num_attention_heads + "
                   "if($output_mode = 'Fusion', question_encoding_size, 0)")};

    enum class OutputMode { kFusion, kImage };

    struct Config {
        int64_t latent_size = 100;
        int64_t num_attention_heads = 2;
        OutputMode output_mode = OutputMode::kFusion;
        double dropout_rate = 0.0;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("latent_size", &Config::latent_size,
                             {.help = "Channels of the hidden layer", .range = "[1, inf)"}),
                ptp::setting("num_attention_heads", &Config::num_attention_heads,
                             {.help = "Number of weighted sums", .range = "[1, inf)"}),
                ptp::setting("output_mode", &Config::output_mode,
                             {.help = "Whether the question is in the output, behind the image",
                              .choices = "Fusion|Image"}),
                ptp::setting("dropout_rate", &Config::dropout_rate,
                             {.help = "Chance of dropping an element of the image, the question or "
                                      "the hidden layer while training",
                              .range = "[0, 1)"})};
        }
    };

    QuestionDrivenAttention(const Config& config, ptp::Setup& setup) : config_(config) {
        const int64_t depth = setup.size("feature_map_depth");
        const int64_t question = setup.size("question_encoding_size");
        const auto convolution = [](int64_t from, int64_t to) {
            return torch::nn::Conv2dOptions(from, to, 1);
        };
        image_conv_ = net_->register_module(
            "image_encodings_conv",
            torch::nn::Conv2d(convolution(depth, config.latent_size).bias(false)));
        question_ff_ = net_->register_module("question_encodings_ff",
                                             torch::nn::Linear(question, config.latent_size));
        attention_conv_ = net_->register_module(
            "attention_conv",
            torch::nn::Conv2d(convolution(config.latent_size, config.num_attention_heads)));
        const bool is_fusion = config.output_mode == OutputMode::kFusion;
        setup.publish("output_size",
                      depth * config.num_attention_heads + (is_fusion ? question : 0));
    }

    at::Tensor forward(const at::Tensor& feature_maps, const at::Tensor& question_encodings) {
        const at::Tensor maps = feature_maps / (feature_maps.norm(2, 1, true) + 1e-8);
        const at::Tensor question = question_ff_->forward(drop(question_encodings));
        const at::Tensor hidden =  // [B, D, H, W], [B, L, 1, 1] -> [B, L, H, W]
            (image_conv_->forward(drop(maps)) + question.unsqueeze(2).unsqueeze(3)).relu();
        const at::Tensor weights =  // -> [B, heads, H W]
            attention_conv_->forward(drop(hidden)).flatten(2).softmax(2);
        const at::Tensor sums =  // [B, heads, N] x [B, N, D] -> [B, heads D]
            at::matmul(weights, maps.flatten(2).transpose(1, 2)).flatten(1);
        return config_.output_mode == OutputMode::kFusion ? at::cat({sums, question_encodings}, 1)
                                                          : sums;
    }

    torch::nn::Module& module() { return *net_; }

private:
    at::Tensor drop(const at::Tensor& values) const {
        return at::dropout(values, config_.dropout_rate, net_->is_training());
    }

    Config config_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    torch::nn::Conv2d image_conv_ = nullptr;
    torch::nn::Linear question_ff_ = nullptr;
    torch::nn::Conv2d attention_conv_ = nullptr;
};

template const ptp_component_info& ptp::component<QuestionDrivenAttention>();
