// FactorizedBilinearPooling: an image and a question joined by products that are summed in groups.
//
// Yu, Yu, Fan, Tao: Multi-modal factorized bilinear pooling with co-attention learning for visual
// question answering, 2017, arXiv 1708.01471, equations 4 and 5 and figure 2.

#include "inputs.hpp"
#include "tensor_checks.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/dropout.h>
#include <torch/nn/modules/linear.h>

class FactorizedBilinearPooling {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "FactorizedBilinearPooling";
    static constexpr const char* summary =
        "Joins an image and a question by products of projections, summed in groups";
    static constexpr const char* description =
        "products = drop(drop(U v) * drop(V q)), element by element: v is the encoded image, q the "
        "encoded question, U and V are linear layers with biases to latent_size * pool_factor, and "
        "drop is dropout while training, also on the projections. Each element z of the pooled "
        "vector is the sum of pool_factor neighbors of these products. Of it the signed square "
        "root is taken, as z / sqrt(abs(z) + 1e-8), whose slope is finite at 0 too; then the "
        "vector is divided by its Euclidean length, as sqrt(sum of squares + 1e-8).\n"
        "Yu et al. 2017, arXiv 1708.01471, equations 4 and 5.";

    static constexpr std::array ports{fusion::kImageEncodings, fusion::kQuestionEncodings,
                                      ptp::output("outputs", PTP_FLOAT, "B, output_size",
                                                  "Image and question in one vector, of length 1")};
    static constexpr std::array globals{
        fusion::kImageEncodingSize, fusion::kQuestionEncodingSize,
        ptp::publishes("output_size", "Length of an output").value("$latent_size")};

    struct Config {
        int64_t latent_size = 100;
        int64_t pool_factor = 2;
        double dropout_rate = 0.0;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("latent_size", &Config::latent_size,
                             {.help = "Length of an output", .range = "[1, inf)"}),
                ptp::setting("pool_factor", &Config::pool_factor,
                             {.help = "Number of products that are summed for each element of it",
                              .range = "[1, inf)"}),
                ptp::setting("dropout_rate", &Config::dropout_rate,
                             {.help = "Chance of dropping a projection, and a product, while "
                                      "training",
                              .range = "[0, 1)"})};
        }
    };

    FactorizedBilinearPooling(const Config& config, ptp::Setup& setup) : config_(config) {
        const int64_t width = config.latent_size * config.pool_factor;
        image_ = net_->register_module("image_encodings_ff",
                                       torch::nn::Linear(setup.size("image_encoding_size"), width));
        question_ =
            net_->register_module("question_encodings_ff",
                                  torch::nn::Linear(setup.size("question_encoding_size"), width));
        setup.publish("output_size", config.latent_size);
    }

    at::Tensor forward(const at::Tensor& image_encodings, const at::Tensor& question_encodings) {
        using ptp::support::require_declared_sizes;
        require_declared_sizes("image_encodings", image_encodings,
                               {ptp::support::kAnySize, image_->options.in_features()});
        require_declared_sizes("question_encodings", question_encodings,
                               {image_encodings.size(0), question_->options.in_features()});
        const at::Tensor products = drop(drop(image_->forward(image_encodings)) *
                                         drop(question_->forward(question_encodings)));
        const at::Tensor pooled =  // [B, latent factor] -> [B, latent]
            products.view({-1, config_.latent_size, config_.pool_factor}).sum(2);
        const at::Tensor roots = pooled * (pooled.abs() + kTiny).rsqrt();
        return roots * (roots.square().sum(1, true) + kTiny).rsqrt();
    }

    torch::nn::Module& module() { return *net_; }

private:
    // Keeps gradients finite if a value or a whole vector is 0.
    static constexpr double kTiny = 1e-8;

    at::Tensor drop(const at::Tensor& values) const {
        return at::dropout(values, config_.dropout_rate, net_->is_training());
    }

    Config config_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    torch::nn::Linear image_ = nullptr;
    torch::nn::Linear question_ = nullptr;
};

template const ptp_component_info& ptp::component<FactorizedBilinearPooling>();
