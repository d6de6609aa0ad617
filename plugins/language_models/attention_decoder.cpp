// AttentionDecoder: writes a sentence word by word, and attends to a part of the source each time.
//
// Bahdanau, Cho and Bengio: Neural machine translation by jointly learning to align and translate,
// 2014, arXiv 1409.0473; Luong, Pham and Manning: Effective approaches to attention-based neural
// machine translation, 2015, arXiv 1508.04025, "general", without input feeding.

#include "attention.hpp"
#include "recurrent_cell.hpp"
#include "teacher_forcing.hpp"
#include "tensor_checks.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>
#include <torch/nn/modules/linear.h>

#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

class AttentionDecoder {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "AttentionDecoder";
    static constexpr const char* summary =
        "Writes a sentence word by word, attending to an encoded one";
    static constexpr const char* description =
        "A GRU begins in the encoder's last state. At each of autoregression_length steps, its "
        "input is the vector of the word before, from embeddings; at the first one it is "
        "sos_token. "
        "With attention Bahdanau, the state before the step is the query, and the context, the "
        "weighted sum of the inputs, is put behind the input: score = v . tanh(W query + U x). "
        "With Luong, the state after the step is the query: score = query . U x. Then scores of "
        "words = activation2output_layer(drop(tanh(attn_combine([context, state])))), and with "
        "use_logsoftmax a log-softmax. With use_lengths the attention is to real steps alone. The "
        "word before is the one with the highest score, the first of equal ones (greedy search).\n"
        "With teacher_forcing_rate it is, while training, with this chance the right one, that in "
        "targets; drawn for each sample and step.\n"
        "Bahdanau et al. 2014, arXiv 1409.0473; Luong et al. 2015, arXiv 1508.04025.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, length, input_size", "Encoded steps of the source"),
        ptp::input("lengths", PTP_INTEGER, "B", "Number of real steps of each source")
            .when("use_lengths"),
        ptp::input("input_state", PTP_FLOAT, "B, 1, $hidden_size", "The encoder's last state"),
        ptp::input("targets", PTP_INTEGER, "B, $autoregression_length",
                   "The right words; needed in training")
            .when("teacher_forcing_rate")
            .optional(),
        ptp::output("predictions", PTP_FLOAT, "B, $autoregression_length, prediction_size",
                    "A (log-)score for each word, at each step")
            .when("prediction_mode = Dense"),
        ptp::output("predictions", PTP_FLOAT, "B, prediction_size",
                    "A (log-)score for each word, at the last step")
            .when("prediction_mode = Last"),
        ptp::output("output_state", PTP_FLOAT, "B, 1, $hidden_size", "State after the last step")
            .when("output_last_state")};
    static constexpr std::array globals{
        ptp::reads_if_named("input_size", "Length of an encoded step; else known from the stream"),
        ptp::reads("prediction_size", "Number of words")};
    static constexpr std::array requirements{
        ptp::requirement("$prediction_mode != 'None' or $output_last_state",
                         "needs output_last_state = true: without it there is no output")};

    enum class PredictionMode { kDense, kLast, kNone };

    struct Config {
        recurrent::AttentionType attention = recurrent::AttentionType::kBahdanau;
        int64_t hidden_size = 100;
        int64_t embeddings_size = 100;
        int64_t autoregression_length = 10;
        double dropout_rate = 0.0;
        PredictionMode prediction_mode = PredictionMode::kDense;
        bool use_lengths = false;
        bool use_logsoftmax = true;
        bool output_last_state = false;
        std::optional<double> teacher_forcing_rate;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("attention", &Config::attention,
                             {.help = "How the steps of the source are weighted",
                              .choices = "Bahdanau|Luong"}),
                ptp::setting("hidden_size", &Config::hidden_size,
                             {.help = "Width of the GRU", .range = "[1, inf)"}),
                ptp::setting("embeddings_size", &Config::embeddings_size,
                             {.help = "Length of the vector of a word that was written",
                              .range = "[1, inf)"}),
                ptp::setting("autoregression_length", &Config::autoregression_length,
                             {.help = "Number of words to write", .range = "[1, inf)"}),
                ptp::setting("dropout_rate", &Config::dropout_rate,
                             {.help = "Chance of dropping an activation before the output layer "
                                      "while training",
                              .range = "[0, 1)"}),
                ptp::setting("prediction_mode", &Config::prediction_mode,
                             {.help = "Whether there are predictions for each step, for the last "
                                      "one, or none",
                              .choices = "Dense|Last|None"}),
                ptp::setting("use_lengths", &Config::use_lengths,
                             {.help = "Whether sources end after their own number of steps"}),
                ptp::setting("use_logsoftmax", &Config::use_logsoftmax,
                             {.help = "Whether predictions are log-probabilities"}),
                ptp::setting("output_last_state", &Config::output_last_state,
                             {.help = "Whether the state after the last step is an output"}),
                ptp::setting("teacher_forcing_rate", &Config::teacher_forcing_rate,
                             {.help = "Chance of a step to begin with the right word before it, "
                                      "not the written one, while training",
                              .range = "[0, 1]"})};
        }
    };

    AttentionDecoder(const Config& config, ptp::Setup& setup)
        : config_(checked(config)),
          words_(setup.size("prediction_size")),
          teacher_(config.teacher_forcing_rate, "targets"),
          cell_(*net_, "rnn_cell", cell_options(config, setup.size("input_size"))),
          attention_(*net_, "attn",
                     {.type = config.attention,
                      .encoding_size = setup.size("input_size"),
                      .query_size = config.hidden_size}) {
        combine_ = net_->register_module(
            "attn_combine",
            torch::nn::Linear(setup.size("input_size") + config.hidden_size, config.hidden_size));
        output_ = net_->register_module("activation2output_layer",
                                        torch::nn::Linear(config.hidden_size, words_));
        embeddings_ =
            table_->register_parameter("weight", at::randn({words_, config.embeddings_size}));
        net_->register_module("embeddings", table_);
        const double bound =  // Xavier's
            std::sqrt(6.0 / (1.0 + static_cast<double>(config.embeddings_size)));
        start_ = net_->register_parameter(
            "sos_token", at::empty({1, config.embeddings_size}).uniform_(-bound, bound));
    }

    std::tuple<at::Tensor, at::Tensor, at::Tensor> forward(const at::Tensor& inputs,
                                                           const at::Tensor* lengths,
                                                           const at::Tensor& input_state,
                                                           const at::Tensor* targets) {
        const bool is_training = net_->is_training();
        teacher_.require(targets, is_training);
        if (targets != nullptr && is_training) {
            check_words(*targets);
        }
        if (lengths != nullptr) {
            recurrent::check_lengths(*lengths, inputs);
        }
        const recurrent::Attention::Memory memory = attention_.memory(inputs, lengths);
        recurrent::CellState state{input_state.transpose(0, 1).contiguous(), {}};  // -> [1, B, H]
        at::Tensor fed = start_.expand({inputs.size(0), -1});                      // -> [B, E]
        std::vector<at::Tensor> each;
        for (int64_t i = 0; i < config_.autoregression_length; ++i) {
            each.push_back(step(fed, memory, state));  // [B, P]
            if (i + 1 < config_.autoregression_length) {
                const at::Tensor written = each.back().argmax(1);
                fed = at::embedding(embeddings_, teacher_.next(written, targets, i, is_training));
            }
        }
        const at::Tensor all = at::stack(each, 1);  // -> [B, T, P]
        const at::Tensor scores = config_.use_logsoftmax ? at::log_softmax(all, -1) : all;
        return {scores, scores.select(1, config_.autoregression_length - 1),
                cell_.stream_of(state)};
    }

    torch::nn::Module& module() { return *net_; }

private:
    static const Config& checked(const Config& config) {
        if (config.prediction_mode == PredictionMode::kNone && !config.output_last_state) {
            throw ptp::ConfigError(
                "prediction_mode = \"None\" needs output_last_state = true: without it there is no "
                "output");
        }
        return config;
    }

    static recurrent::CellOptions cell_options(const Config& config, int64_t encoding_size) {
        const bool has_context = config.attention == recurrent::AttentionType::kBahdanau;
        return {.type = recurrent::CellType::kGru,
                .input_size = config.embeddings_size + (has_context ? encoding_size : 0),
                .hidden_size = config.hidden_size};
    }

    void check_words(const at::Tensor& targets) const {
        if (!ptp::support::are_classes(targets, words_)) {
            ptp::support::require_none(
                targets.lt(0).logical_or(targets.ge(words_)), "targets", targets,
                "be in [0, " + std::to_string(words_) + "), the indices of words, to be fed back");
        }
    }

    // The scores of the words after `fed`, [B, E]; moves the state on.
    at::Tensor step(const at::Tensor& fed, const recurrent::Attention::Memory& memory,
                    recurrent::CellState& state) {
        at::Tensor context;
        if (config_.attention == recurrent::AttentionType::kBahdanau) {
            context = attention_.context(state.hidden[0], memory);
            state = cell_.step(at::cat({fed, context}, 1), state).state;
        } else {
            state = cell_.step(fed, state).state;
            context = attention_.context(state.hidden[0], memory);
        }
        const at::Tensor combined =  // [B, I + H] -> [B, H]
            combine_->forward(at::cat({context, state.hidden[0]}, 1)).tanh();
        return output_->forward(at::dropout(combined, config_.dropout_rate, net_->is_training()));
    }

    Config config_;
    int64_t words_;
    recurrent::TeacherForcing teacher_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    std::shared_ptr<torch::nn::Module> table_ = std::make_shared<torch::nn::Module>();
    recurrent::RecurrentCell cell_;
    recurrent::Attention attention_;
    torch::nn::Linear combine_ = nullptr;
    torch::nn::Linear output_ = nullptr;
    at::Tensor embeddings_;  // these two as the module has registered them
    at::Tensor start_;
};

template const ptp_component_info& ptp::component<AttentionDecoder>();
