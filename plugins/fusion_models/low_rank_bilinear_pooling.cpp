// LowRankBilinearPooling: an image and a question joined by an element-wise product.
//
// Kim, On, Lim, Kim, Ha, Zhang: Hadamard product for low-rank bilinear pooling, 2016, arXiv
// 1610.04325. ReLU is used instead of their tanh and before the projections instead of after; their
// processing of the product is left to a later model.

#include "inputs.hpp"
#include "tensor_checks.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/dropout.h>
#include <torch/nn/modules/linear.h>

class LowRankBilinearPooling {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "LowRankBilinearPooling";
    static constexpr const char* summary =
        "Joins an image and a question by the element-wise product of their projections";
    static constexpr const char* description =
        "outputs = U drop(relu(v)) * V drop(relu(q)), element by element: v is the encoded image, "
        "q the encoded question, U and V are linear layers with biases, and drop is dropout while "
        "training. Nothing is normalized. A FeedForwardNetwork behind it makes answers of it.\n"
        "After Kim et al. 2016, arXiv 1610.04325, who have tanh behind U and V instead of ReLU "
        "before them.";

    static constexpr std::array ports{
        fusion::kImageEncodings, fusion::kQuestionEncodings,
        ptp::output("outputs", PTP_FLOAT, "B, output_size", "Image and question in one vector")};
    static constexpr std::array globals{fusion::kImageEncodingSize, fusion::kQuestionEncodingSize,
                                        ptp::reads("output_size", "Length of an output")};

    struct Config {
        double dropout_rate = 0.0;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("dropout_rate", &Config::dropout_rate,
                             {.help = "Chance of dropping an element of an encoding while training",
                              .range = "[0, 1)"})};
        }
    };

    LowRankBilinearPooling(const Config& config, ptp::Setup& setup)
        : dropout_rate_(config.dropout_rate),
          image_(net_->register_module(
              "image_encodings_ff",
              torch::nn::Linear(setup.size("image_encoding_size"), setup.size("output_size")))),
          question_(net_->register_module(
              "question_encodings_ff",
              torch::nn::Linear(setup.size("question_encoding_size"), setup.size("output_size")))) {
    }

    at::Tensor forward(const at::Tensor& image_encodings, const at::Tensor& question_encodings) {
        using ptp::support::require_declared_sizes;
        require_declared_sizes("image_encodings", image_encodings,
                               {ptp::support::kAnySize, image_->options.in_features()});
        require_declared_sizes("question_encodings", question_encodings,
                               {image_encodings.size(0), question_->options.in_features()});
        return image_->forward(drop(image_encodings.relu())) *
               question_->forward(drop(question_encodings.relu()));  // [B, I], [B, Q] -> [B, O]
    }

    torch::nn::Module& module() { return *net_; }

private:
    at::Tensor drop(const at::Tensor& encodings) const {
        return at::dropout(encodings, dropout_rate_, net_->is_training());
    }

    double dropout_rate_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    torch::nn::Linear image_;
    torch::nn::Linear question_;
};

template const ptp_component_info& ptp::component<LowRankBilinearPooling>();
