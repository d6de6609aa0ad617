// ContrastiveProjection: images and texts in one space, with the scale of their similarities.
//
// Radford et al.: Learning transferable visual models from natural language supervision, 2021,
// arXiv 2103.00020, with the names of transformers' CLIPModel.

#include "inputs.hpp"
#include "tensor_checks.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/scalar_tensor.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/linear.h>

#include <cmath>

class ContrastiveProjection {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "ContrastiveProjection";
    static constexpr const char* summary =
        "Projects images and texts into one space, where ContrastiveLoss compares them (CLIP)";
    static constexpr const char* description =
        "A linear layer without bias for encoded images, and one for encoded texts; both have "
        "projection_size numbers. The embeddings are not divided by their lengths: ContrastiveLoss "
        "and RetrievalStatistics do that. logit_scale is a parameter of its own, the logarithm of "
        "what similarities are multiplied by; it begins with log(1 / initial_temperature). Names "
        "of parameters and initialization are those of transformers' CLIPModel: `load` takes "
        "visual_projection, text_projection and logit_scale of published weights.\n"
        "Radford et al. 2021, arXiv 2103.00020.";

    static constexpr std::array ports{
        fusion::kImageEncodings,
        ptp::input("text_encodings", PTP_FLOAT, "B, text_encoding_size",
                   "Encoded texts, one for each image"),
        ptp::output("image_embeddings", PTP_FLOAT, "B, $projection_size", "Images in the space"),
        ptp::output("text_embeddings", PTP_FLOAT, "B, $projection_size", "Texts in the space"),
        ptp::output("logit_scale", PTP_FLOAT, "", "Logarithm of the scale of similarities")};
    static constexpr std::array globals{
        fusion::kImageEncodingSize,
        ptp::reads_if_named("text_encoding_size",
                            "Length of an encoded text; else known from the stream")};

    struct Config {
        int64_t projection_size = 512;
        double initial_temperature = 0.07;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("projection_size", &Config::projection_size,
                             {.help = "Length of an embedding", .range = "[1, inf)"}),
                ptp::setting("initial_temperature", &Config::initial_temperature,
                             {.help = "What similarities are divided by before training",
                              .range = "(0, inf)"})};
        }
    };

    ContrastiveProjection(const Config& config, ptp::Setup& setup)
        : image_(projection("visual_projection", setup.size("image_encoding_size"), config)),
          text_(projection("text_projection", setup.size("text_encoding_size"), config)),
          logit_scale_(net_->register_parameter(
              "logit_scale",
              at::scalar_tensor(-std::log(config.initial_temperature), at::kFloat))) {}

    std::tuple<at::Tensor, at::Tensor, at::Tensor> forward(const at::Tensor& images,
                                                           const at::Tensor& texts) {
        using ptp::support::require_declared_sizes;
        require_declared_sizes("image_encodings", images,
                               {ptp::support::kAnySize, image_->options.in_features()});
        require_declared_sizes("text_encodings", texts,
                               {images.size(0), text_->options.in_features()});
        return {image_->forward(images), text_->forward(texts), logit_scale_.clone()};
    }

    torch::nn::Module& module() { return *net_; }

private:
    torch::nn::Linear projection(const char* layer, int64_t size, const Config& config) {
        const torch::nn::Linear made = net_->register_module(
            layer,
            torch::nn::Linear(torch::nn::LinearOptions(size, config.projection_size).bias(false)));
        torch::nn::init::normal_(made->weight, 0, 1 / std::sqrt(static_cast<double>(size)));
        return made;
    }

    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    torch::nn::Linear image_;
    torch::nn::Linear text_;
    at::Tensor logit_scale_;
};

template const ptp_component_info& ptp::component<ContrastiveProjection>();
