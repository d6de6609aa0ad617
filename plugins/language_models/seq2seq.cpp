// Seq2Seq: a recurrent network reads a sequence, and another one writes a sequence from its state.
//
// Sutskever, Vinyals and Le: Sequence to sequence learning with neural networks, 2014, arXiv
// 1409.3215, on vectors instead of words. For words, and with attention: AttentionDecoder.

#include "recurrent_cell.hpp"
#include "teacher_forcing.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>
#include <torch/nn/modules/linear.h>

#include <optional>
#include <vector>

class Seq2Seq {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Seq2Seq";
    static constexpr const char* summary =
        "A recurrent network that reads a sequence, and one that writes a sequence";
    static constexpr const char* description =
        "The encoder, rnn_cell_enc, reads the inputs. Its last activation, through the linear "
        "layer activation2output, is the first input of the decoder, rnn_cell_dec, which begins in "
        "the encoder's last state. Each of autoregression_length activations of the decoder, "
        "through the same layer, is a prediction (with a log-softmax) and, without it, the next "
        "input, so that predictions are of the size of the inputs. With use_lengths each sequence "
        "ends after its own number of steps.\n"
        "With teacher_forcing_rate, the input of a step is with this chance the vector in "
        "teacher_inputs of the step before it, while training; drawn for each sample and step.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, length, input_size", "Sequences of vectors"),
        ptp::input("lengths", PTP_INTEGER, "B", "Number of real steps of each sequence")
            .when("use_lengths"),
        ptp::input("input_state", PTP_FLOAT, "B, $num_layers, $hidden_size",
                   "Hidden state of each layer of the encoder")
            .when("initial_state = Input & cell_type != LSTM"),
        ptp::input("input_state", PTP_FLOAT, "B, 2, $num_layers, $hidden_size",
                   "Hidden state of each layer of the encoder, and memory")
            .when("initial_state = Input & cell_type = LSTM"),
        ptp::input("teacher_inputs", PTP_FLOAT, "B, $autoregression_length, input_size",
                   "What the outputs should be; needed in training")
            .when("teacher_forcing_rate")
            .optional(),
        ptp::output("predictions", PTP_FLOAT, "B, $autoregression_length, prediction_size",
                    "A (log-)score for each prediction, at each step")
            .meaning("log_probabilities if use_logsoftmax; scores")};
    static constexpr std::array globals{
        ptp::reads_if_named("input_size", "Length of a vector; else known from the stream"),
        ptp::reads("prediction_size", "Number of scores for each prediction")
            .purpose(PTP_PURPOSE_SCORE_COUNT)};
    static constexpr std::array requirements{
        ptp::requirement("input_size = prediction_size",
                         "needs inputs of the size of the predictions, which are fed back"),
        ptp::requirement("prediction_size > 1",
                         "the log-softmax of a single prediction is always 0, so that nothing is "
                         "learned; for a single one set use_logsoftmax = false")
            .when("use_logsoftmax")};

    struct Config {
        recurrent::CellType cell_type = recurrent::CellType::kLstm;
        int64_t hidden_size = 100;
        int64_t num_layers = 1;
        double dropout_rate = 0.0;
        recurrent::InitialState initial_state = recurrent::InitialState::kTrainable;
        bool use_lengths = false;
        int64_t autoregression_length = 50;
        bool use_logsoftmax = true;
        std::optional<double> teacher_forcing_rate;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("cell_type", &Config::cell_type,
                             {.help = "What the layers of both networks are made of",
                              .choices = recurrent::kCellTypes}),
                ptp::setting("hidden_size", &Config::hidden_size,
                             {.help = "Width of each layer", .range = "[1, inf)"}),
                ptp::setting("num_layers", &Config::num_layers,
                             {.help = "Number of layers of each network", .range = "[1, inf)"}),
                ptp::setting("dropout_rate", &Config::dropout_rate,
                             {.help = "Chance of dropping an activation between layers and before "
                                      "the output layer while training",
                              .range = "[0, 1)"}),
                ptp::setting("initial_state", &Config::initial_state,
                             {.help = "Where the encoder's state before the first step comes from",
                              .choices = recurrent::kInitialStates}),
                ptp::setting("use_lengths", &Config::use_lengths,
                             {.help = "Whether sequences end after their own number of steps"}),
                ptp::setting("autoregression_length", &Config::autoregression_length,
                             {.help = "Number of predictions", .range = "[1, inf)"}),
                ptp::setting("use_logsoftmax", &Config::use_logsoftmax,
                             {.help = "Whether predictions are log-probabilities"}),
                ptp::setting("teacher_forcing_rate", &Config::teacher_forcing_rate,
                             {.help = "Chance of a step to begin with what should have been the "
                                      "output before it, while training",
                              .range = "[0, 1]"})};
        }
    };

    Seq2Seq(const Config& config, ptp::Setup& setup)
        : config_(config),
          teacher_(config.teacher_forcing_rate, "teacher_inputs"),
          encoder_(*net_, "rnn_cell_enc", options(config, setup.size("input_size"))),
          decoder_(*net_, "rnn_cell_dec", encoder_.options()),
          start_(*net_, config.initial_state, encoder_.options()) {
        const int64_t inputs = encoder_.options().input_size;
        const int64_t predictions = setup.size("prediction_size");
        if (inputs != predictions) {
            throw ptp::ConfigError("the inputs have the size ", inputs, ", must have ", predictions,
                                   ", that of the predictions, which are fed back");
        }
        output_ = net_->register_module("activation2output",
                                        torch::nn::Linear(config.hidden_size, predictions));
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor* lengths,
                       const at::Tensor* hidden_state, const at::Tensor* lstm_state,
                       const at::Tensor* teacher_inputs) {
        const bool is_training = net_->is_training();
        teacher_.require(teacher_inputs, is_training);
        recurrent::CellState state =
            encoder_
                .run(inputs, lengths,
                     start_.of(inputs.size(0), hidden_state != nullptr ? hidden_state : lstm_state))
                .state;
        at::Tensor fed = output_of(encoder_.last_activation(state));
        std::vector<at::Tensor> each;
        for (int64_t i = 0; i < config_.autoregression_length; ++i) {
            recurrent::CellOutputs outputs = decoder_.step(fed, state);
            state = std::move(outputs.state);
            each.push_back(output_of(outputs.activations.squeeze(1)));  // [B, 1, H] -> [B, P]
            fed = teacher_.next(each.back(), teacher_inputs, i, is_training);
        }
        const at::Tensor predictions = at::stack(each, 1);  // -> [B, T, P]
        return config_.use_logsoftmax ? at::log_softmax(predictions, -1) : predictions;
    }

    torch::nn::Module& module() { return *net_; }

private:
    static recurrent::CellOptions options(const Config& config, int64_t input_size) {
        return {.type = config.cell_type,
                .input_size = input_size,
                .hidden_size = config.hidden_size,
                .num_layers = config.num_layers,
                .dropout_rate = config.dropout_rate};
    }

    at::Tensor output_of(const at::Tensor& activations) {
        return output_->forward(
            at::dropout(activations, config_.dropout_rate, net_->is_training()));
    }

    Config config_;
    recurrent::TeacherForcing teacher_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    recurrent::RecurrentCell encoder_;
    recurrent::RecurrentCell decoder_;
    recurrent::StartState start_;
    torch::nn::Linear output_ = nullptr;
};

template const ptp_component_info& ptp::component<Seq2Seq>();
