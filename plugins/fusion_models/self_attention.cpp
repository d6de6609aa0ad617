// SelfAttention: sums over the words of a question, weighted by the words themselves.
//
// Lin, Feng, dos Santos, Yu, Xiang, Zhou, Bengio: A structured self-attentive sentence embedding,
// 2017, arXiv 1703.03130, equations 5 to 7, with ReLU instead of tanh and with biases. It is not
// the attention of Vaswani et al. 2017 (arXiv 1706.03762): it has no queries and no keys.

#include "attention_scores.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/dropout.h>
#include <ATen/ops/matmul.h>
#include <torch/nn/modules/linear.h>

class SelfAttention {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "SelfAttention";
    static constexpr const char* summary =
        "Sums the words of a question, weighted by the words themselves";
    static constexpr const char* description =
        "For each word x, W2 drop(relu(W1 x)) is a score for each of num_attention_heads; W1 and "
        "W2 are linear layers with biases, W1 to latent_size, and drop is dropout while training. "
        "The softmax over the words of a question makes weights of the scores, and the outputs are "
        "the sums of the words with these weights, head by head. With use_masking, words whose "
        "mask is false have the weight 0; a question without any other has zeros as its output.\n"
        "After Lin et al. 2017, arXiv 1703.03130, equations 5 to 7, who have tanh and no biases.";

    static constexpr std::array ports{
        ptp::input("question_encodings", PTP_FLOAT, "B, length, question_encoding_size",
                   "The encoded words of each question"),
        ptp::input("masks", PTP_BOOL, "B, length", "True for words that count").when("use_masking"),
        ptp::output("outputs", PTP_FLOAT, "B, output_size", "The weighted sums, head by head")};
    static constexpr std::array globals{
        ptp::reads_if_named("question_encoding_size",
                            "Length of an encoded word; else known from the stream"),
        ptp::publishes("output_size", "Length of an output: question_encoding_size for each head")
            .value("question_encoding_size * $num_attention_heads")};

    struct Config {
        int64_t latent_size = 256;
        int64_t num_attention_heads = 4;
        double dropout_rate = 0.0;
        bool use_masking = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("latent_size", &Config::latent_size,
                             {.help = "Width of the hidden layer", .range = "[1, inf)"}),
                ptp::setting("num_attention_heads", &Config::num_attention_heads,
                             {.help = "Number of weighted sums", .range = "[1, inf)"}),
                ptp::setting(
                    "dropout_rate", &Config::dropout_rate,
                    {.help = "Chance of dropping a hidden unit while training", .range = "[0, 1)"}),
                ptp::setting("use_masking", &Config::use_masking,
                             {.help = "Whether only words with a true mask count"})};
        }
    };

    SelfAttention(const Config& config, ptp::Setup& setup) : dropout_rate_(config.dropout_rate) {
        const int64_t size = setup.size("question_encoding_size");
        hidden_ = net_->register_module("W1", torch::nn::Linear(size, config.latent_size));
        scores_ = net_->register_module(
            "W2", torch::nn::Linear(config.latent_size, config.num_attention_heads));
        setup.publish("output_size", size * config.num_attention_heads);
    }

    at::Tensor forward(const at::Tensor& question_encodings, const at::Tensor* masks) {
        const at::Tensor is_out =
            masks != nullptr ? masks->unsqueeze(2).logical_not() : at::Tensor();
        const at::Tensor words =  // A weight of 0 does not remove nan.
            is_out.defined() ? question_encodings.masked_fill(is_out, 0) : question_encodings;
        const at::Tensor hidden =
            at::dropout(hidden_->forward(words).relu(), dropout_rate_, net_->is_training());
        at::Tensor weights = scores_->forward(hidden);  // [B, S, Q] -> [B, S, heads]
        if (is_out.defined()) {
            weights =
                ptp::support::with_left_out(weights, is_out).softmax(1).masked_fill(is_out, 0);
        } else {
            weights = weights.softmax(1);
        }
        return at::matmul(weights.transpose(1, 2), words).flatten(1);  // -> [B, heads Q]
    }

    torch::nn::Module& module() { return *net_; }

private:
    double dropout_rate_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    torch::nn::Linear hidden_ = nullptr;
    torch::nn::Linear scores_ = nullptr;
};

template const ptp_component_info& ptp::component<SelfAttention>();
