// RecurrentNeuralNetwork: LSTM, GRU and Elman networks, as classifiers, encoders and decoders.
//
// Hochreiter and Schmidhuber: Long short-term memory, 1997; Cho et al.: Learning phrase
// representations using RNN encoder-decoder, 2014, arXiv 1406.1078; Elman: Finding structure in
// time, 1990; each in torch.nn's form. Pair log-probabilities with NLLLoss.

#include "recurrent_cell.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>
#include <torch/nn/modules/linear.h>

#include <optional>
#include <tuple>
#include <vector>

class RecurrentNeuralNetwork {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "RecurrentNeuralNetwork";
    static constexpr const char* summary = "LSTM, GRU or Elman network with a linear output layer";
    static constexpr const char* description =
        "num_layers of cells, as torch.nn.LSTM, GRU and RNN have them, whose weights have their "
        "names in rnn_cell; then a linear layer, activation2output, and a log-softmax. "
        "prediction_mode Dense has a prediction for each step, Last for the last one, None has no "
        "predictions: an encoder, with output_last_state. With use_lengths each sample ends after "
        "its own number of steps: Last and the state are those of its last real step, and "
        "activations after it are 0. With bidirectional a prediction is made of both directions; "
        "Last of their last states, for the backward one that at the first step.\n"
        "With input_mode Autoregression_First there is a first input, with Autoregression_None it "
        "is zeros; each of max_autoregression_length steps has the output before it, without the "
        "log-softmax, as its input.\n"
        "The initial state is learned (Trainable, drawn by Xavier), Zero, or the Input of a "
        "stream, "
        "such as the output_state of another network. Learned ones and zeros are saved alike: "
        "with Zero, loaded weights that have an init_hidden of their own keep it, and begin there.";

    static constexpr const char* kPredictionMeaning =  // without use_logsoftmax as use_output_layer
        "scores if use_logsoftmax = false & use_output_layer; "
        "log_probabilities if use_output_layer; log_probabilities if use_logsoftmax";
    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, length, input_size", "Sequences of vectors")
            .when("input_mode = Dense"),
        ptp::input("inputs", PTP_FLOAT, "B, input_size", "The first vectors")
            .when("input_mode = Autoregression_First"),
        ptp::input("lengths", PTP_INTEGER, "B", "Number of real steps of each sequence")
            .when("use_lengths"),
        ptp::input("input_state", PTP_FLOAT,
                   "B, (if($bidirectional, 2, 1) * $num_layers), $hidden_size",
                   "Hidden state of each layer")
            .when("initial_state = Input & cell_type != LSTM"),
        ptp::input("input_state", PTP_FLOAT,
                   "B, 2, (if($bidirectional, 2, 1) * $num_layers), $hidden_size",
                   "Hidden state of each layer, and memory")
            .when("initial_state = Input & cell_type = LSTM"),
        ptp::output("predictions", PTP_FLOAT, "B, length, prediction_size",
                    "A (log-)score for each prediction, at each step")
            .when("prediction_mode = Dense & input_mode = Dense & use_output_layer")
            .meaning(kPredictionMeaning),
        ptp::output("predictions", PTP_FLOAT,
                    "B, length, (if($bidirectional, 2, 1) * $hidden_size)",
                    "Activations of the last layer, at each step")
            .when("prediction_mode = Dense & input_mode = Dense & !use_output_layer"),
        ptp::output("predictions", PTP_FLOAT, "B, $max_autoregression_length, prediction_size",
                    "A (log-)score for each prediction, at each step")
            .when("prediction_mode = Dense & input_mode != Dense & use_output_layer")
            .meaning(kPredictionMeaning),
        ptp::output("predictions", PTP_FLOAT, "B, $max_autoregression_length, $hidden_size",
                    "Activations of the last layer, at each step")
            .when("prediction_mode = Dense & input_mode != Dense & !use_output_layer"),
        ptp::output("predictions", PTP_FLOAT, "B, prediction_size",
                    "A (log-)score for each prediction, after the last step")
            .when("prediction_mode = Last & use_output_layer")
            .meaning(kPredictionMeaning),
        ptp::output("predictions", PTP_FLOAT, "B, (if($bidirectional, 2, 1) * $hidden_size)",
                    "Activations of the last layer, after the last step")
            .when("prediction_mode = Last & !use_output_layer"),
        ptp::output("output_state", PTP_FLOAT,
                    "B, (if($bidirectional, 2, 1) * $num_layers), $hidden_size",
                    "Hidden state of each layer after the last step")
            .when("output_last_state & cell_type != LSTM"),
        ptp::output("output_state", PTP_FLOAT,
                    "B, 2, (if($bidirectional, 2, 1) * $num_layers), $hidden_size",
                    "Hidden state of each layer after the last step, and memory")
            .when("output_last_state & cell_type = LSTM")};
    static constexpr std::array globals{
        ptp::reads_if_named("input_size", "Length of a vector; else known from the stream")
            .when("input_mode != Autoregression_None"),
        ptp::reads("prediction_size", "Number of scores for each prediction")
            .purpose(PTP_PURPOSE_SCORE_COUNT)
            .when("use_output_layer & prediction_mode != None")};
    static constexpr std::array requirements{
        ptp::requirement("!$bidirectional or $input_mode = 'Dense'",
                         "needs whole sequences: input_mode = \"Dense\""),
        ptp::requirement("!$use_lengths or $input_mode = 'Dense'",
                         "needs whole sequences: input_mode = \"Dense\""),
        ptp::requirement("$input_mode = 'Dense' or $max_autoregression_length",
                         "needs max_autoregression_length, the number of steps"),
        ptp::requirement("!$max_autoregression_length or $input_mode != 'Dense'",
                         "is the number of steps of autoregression, but input_mode is \"Dense\""),
        ptp::requirement("$input_mode = 'Dense' or $prediction_mode != 'None'",
                         "needs predictions, which are fed back: prediction_mode is \"None\""),
        ptp::requirement("$prediction_mode != 'None' or $output_last_state",
                         "needs output_last_state = true: without it there is no output"),
        ptp::requirement("prediction_size > 1",
                         "the log-softmax of a single prediction is always 0, so that nothing is "
                         "learned; for a single one set use_logsoftmax = false")
            .when("use_logsoftmax != false & use_output_layer & prediction_mode != None"),
        ptp::requirement("$input_mode != 'Autoregression_First' or !$use_output_layer or "
                         "input_size = prediction_size",
                         "needs inputs of the size of the predictions, which are fed back"),
        ptp::requirement("$input_mode != 'Autoregression_First' or $use_output_layer or "
                         "input_size = $hidden_size",
                         "needs inputs of the size hidden_size, because activations are fed back")};

    enum class InputMode { kDense, kAutoregressionFirst, kAutoregressionNone };
    enum class PredictionMode { kDense, kLast, kNone };

    struct Config {
        recurrent::CellType cell_type = recurrent::CellType::kLstm;
        int64_t hidden_size = 100;
        int64_t num_layers = 1;
        bool bidirectional = false;
        double dropout_rate = 0.0;
        InputMode input_mode = InputMode::kDense;
        PredictionMode prediction_mode = PredictionMode::kDense;
        recurrent::InitialState initial_state = recurrent::InitialState::kTrainable;
        bool use_lengths = false;
        bool use_output_layer = true;
        bool output_last_state = false;
        std::optional<bool> use_logsoftmax;
        std::optional<int64_t> max_autoregression_length;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting(
                    "cell_type", &Config::cell_type,
                    {.help = "What the layers are made of", .choices = recurrent::kCellTypes}),
                ptp::setting("hidden_size", &Config::hidden_size,
                             {.help = "Width of each layer", .range = "[1, inf)"}),
                ptp::setting("num_layers", &Config::num_layers,
                             {.help = "Number of layers, each on the activations of the one before",
                              .range = "[1, inf)"}),
                ptp::setting("bidirectional", &Config::bidirectional,
                             {.help = "Whether each layer also has cells that begin at the end"}),
                ptp::setting("dropout_rate", &Config::dropout_rate,
                             {.help = "Chance of dropping an activation between layers and before "
                                      "the output layer while training",
                              .range = "[0, 1)"}),
                ptp::setting("input_mode", &Config::input_mode,
                             {.help = "What the input of a step is: that of the stream; the output "
                                      "before it, beginning with an input; or with zeros",
                              .choices = "Dense|Autoregression_First|Autoregression_None"}),
                ptp::setting("prediction_mode", &Config::prediction_mode,
                             {.help = "Whether there are predictions for each step, for the last "
                                      "one, or none",
                              .choices = "Dense|Last|None"}),
                ptp::setting("initial_state", &Config::initial_state,
                             {.help = "Where the state before the first step comes from",
                              .choices = recurrent::kInitialStates}),
                ptp::setting("use_lengths", &Config::use_lengths,
                             {.help = "Whether sequences end after their own number of steps"}),
                ptp::setting("use_output_layer", &Config::use_output_layer,
                             {.help = "Whether to add a linear output layer; without it the hidden "
                                      "states are the predictions"}),
                ptp::setting("output_last_state", &Config::output_last_state,
                             {.help = "Whether the state after the last step is an output"}),
                ptp::setting("use_logsoftmax", &Config::use_logsoftmax,
                             {.help = "Whether predictions are log-probabilities; without it, they "
                                      "are if there is an output layer"}),
                ptp::setting("max_autoregression_length", &Config::max_autoregression_length,
                             {.help = "Number of steps of autoregression", .range = "[1, inf)"})};
        }
    };

    RecurrentNeuralNetwork(const Config& config, ptp::Setup& setup)
        : config_(checked(config)),
          use_logsoftmax_(config.use_logsoftmax.value_or(config.use_output_layer)),
          input_size_(input_size_of(config, setup)),
          cell_(*net_, "rnn_cell",
                {.type = config.cell_type,
                 .input_size = input_size_,
                 .hidden_size = config.hidden_size,
                 .num_layers = config.num_layers,
                 .is_bidirectional = config.bidirectional,
                 .dropout_rate = config.dropout_rate}),
          start_(*net_, config.initial_state, cell_.options()) {
        if (config.use_output_layer && config.prediction_mode != PredictionMode::kNone) {
            output_ = net_->register_module(
                "activation2output",
                torch::nn::Linear(config.hidden_size * (config.bidirectional ? 2 : 1),
                                  setup.size("prediction_size")));
        }
    }

    // Each port has the same type, because at most one of a name exists.
    using Outputs = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
                               at::Tensor, at::Tensor, at::Tensor>;

    Outputs forward(const at::Tensor* sequences, const at::Tensor* first_inputs,
                    const at::Tensor* lengths, const at::Tensor* hidden_state,
                    const at::Tensor* lstm_state, const ptp::Step& step) {
        const at::Tensor* given = hidden_state != nullptr ? hidden_state : lstm_state;
        const int64_t samples = sequences != nullptr      ? sequences->size(0)
                                : first_inputs != nullptr ? first_inputs->size(0)
                                                          : static_cast<int64_t>(step.batch_size());
        const recurrent::CellState start = start_.of(samples, given);
        const Result result = sequences != nullptr ? over_sequences(*sequences, lengths, start)
                                                   : autoregression(first_inputs, start, samples);
        at::Tensor predictions = result.predictions;
        if (predictions.defined() && use_logsoftmax_) {
            predictions = at::log_softmax(predictions, -1);
        }
        const at::Tensor state =
            config_.output_last_state ? cell_.stream_of(result.state) : at::Tensor();
        return {predictions, predictions, predictions, predictions,
                predictions, predictions, state,       state};
    }

    torch::nn::Module& module() { return *net_; }

private:
    struct Result {
        at::Tensor predictions;  // undefined if there are none
        recurrent::CellState state;
    };

    // Checks the requirements, for a host that does not know them.
    static const Config& checked(const Config& config) {
        const bool is_dense = config.input_mode == InputMode::kDense;
        if (!is_dense && (config.bidirectional || config.use_lengths)) {
            throw ptp::ConfigError(config.bidirectional ? "bidirectional" : "use_lengths",
                                   " needs whole sequences: input_mode = \"Dense\"");
        }
        if (is_dense == config.max_autoregression_length.has_value()) {
            throw ptp::ConfigError(
                is_dense
                    ? "max_autoregression_length is the number of steps of autoregression, but "
                      "input_mode is \"Dense\""
                    : "input_mode needs max_autoregression_length, the number of steps");
        }
        if (config.prediction_mode == PredictionMode::kNone &&
            (!is_dense || !config.output_last_state)) {
            throw ptp::ConfigError(
                is_dense ? "prediction_mode = \"None\" needs output_last_state = true: without it "
                           "there is no output"
                         : "input_mode needs predictions, which are fed back: prediction_mode is "
                           "\"None\"");
        }
        return config;
    }

    static int64_t input_size_of(const Config& config, const ptp::Setup& setup) {
        const auto output_size = [&] {
            return config.use_output_layer ? setup.size("prediction_size") : config.hidden_size;
        };
        if (config.input_mode == InputMode::kAutoregressionNone) {
            return output_size();
        }
        const int64_t size = setup.size("input_size");
        if (config.input_mode == InputMode::kAutoregressionFirst && size != output_size()) {
            throw ptp::ConfigError("the inputs have the size ", size, ", must have ", output_size(),
                                   ", that of the outputs, which are fed back");
        }
        return size;
    }

    Result over_sequences(const at::Tensor& sequences, const at::Tensor* lengths,
                          const recurrent::CellState& start) const {
        const recurrent::CellOutputs outputs = cell_.run(sequences, lengths, start);
        switch (config_.prediction_mode) {
            case PredictionMode::kDense:
                return {output_of(outputs.activations), outputs.state};
            case PredictionMode::kLast:
                return {output_of(cell_.last_activation(outputs.state)), outputs.state};
            case PredictionMode::kNone:
                break;
        }
        return {{}, outputs.state};
    }

    Result autoregression(const at::Tensor* first_inputs, recurrent::CellState state,
                          int64_t samples) const {
        const bool is_dense = config_.prediction_mode == PredictionMode::kDense;
        at::Tensor fed = first_inputs != nullptr
                             ? *first_inputs
                             : at::zeros({samples, input_size_},
                                         cell_.any_weight().options().requires_grad(false));
        std::vector<at::Tensor> each;
        for (int64_t i = 0; i < *config_.max_autoregression_length; ++i) {
            recurrent::CellOutputs outputs = cell_.step(fed, state);
            state = std::move(outputs.state);
            fed = output_of(outputs.activations.squeeze(1));  // [B, 1, H] -> [B, P]
            if (is_dense) {
                each.push_back(fed);
            }
        }
        return {is_dense ? at::stack(each, 1) : fed, std::move(state)};  // -> [B, T, P], [B, P]
    }

    at::Tensor output_of(const at::Tensor& activations) const {
        if (output_.is_empty()) {
            return activations;
        }
        torch::nn::Linear layer = output_;
        return layer->forward(at::dropout(activations, config_.dropout_rate, net_->is_training()));
    }

    Config config_;
    bool use_logsoftmax_;
    int64_t input_size_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    recurrent::RecurrentCell cell_;
    recurrent::StartState start_;
    torch::nn::Linear output_ = nullptr;
};

template const ptp_component_info& ptp::component<RecurrentNeuralNetwork>();
