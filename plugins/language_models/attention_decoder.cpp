// AttentionDecoder: writes a sentence word by word, and attends to a part of the source each time.
//
// Bahdanau, Cho and Bengio: Neural machine translation by jointly learning to align and translate,
// 2014, arXiv 1409.0473; Luong, Pham and Manning: Effective approaches to attention-based neural
// machine translation, 2015, arXiv 1508.04025, "general", without input feeding. Scores of
// positions, with outputs that are fed back, are those of PyTorchPipe (2019), after PyTorch's
// tutorial on translation.

#include "attention.hpp"
#include "beams.hpp"
#include "recurrent_cell.hpp"
#include "teacher_forcing.hpp"
#include "tensor_checks.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>
#include <torch/nn/modules/linear.h>

#include <cmath>
#include <memory>
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
        "sos_token. With attention Bahdanau, the state before the step is the query, and the "
        "context, the weighted sum of the inputs, is put behind the input: score = v . tanh(W "
        "query + U x). With Luong, the state after the step is the query: score = query . U x. "
        "Then scores of words = activation2output_layer(drop(tanh(attn_combine([context, "
        "state])))), and with use_logsoftmax a log-softmax. With Positions, PyTorchPipe's decoder, "
        "no word is read: the input x of a step is the output before it, without the log-softmax; "
        "the scores of the source's steps are learned for their places, attn([x, state]), the GRU "
        "reads relu(attn_combine([x, context])), and the output is "
        "activation2output_layer(drop(state)), or without use_output_layer drop(state). With "
        "use_lengths the attention is to real steps alone. The word before is the one with the "
        "highest score, the first of equal ones (greedy search). With beam_width, outside of "
        "training, that many beginnings of sentences are kept, those with the highest sums of "
        "log-probabilities of their words; the outputs are those of the best (beam search), and "
        "words are its words, whose largest scores need not be theirs. A beam ends where it writes "
        "the word end_index, if that is named; else what follows that word counts as well. "
        "attention_maps are the weights of the steps of the source.\n"
        "With teacher_forcing_rate it is, while training, with this chance the right one, that in "
        "targets; drawn for each sample and step.\n"
        "Bahdanau et al. 2014, arXiv 1409.0473; Luong et al. 2015, arXiv 1508.04025.";

    static constexpr const char* kFedBack =
        "is for words that are fed back; with attention = \"Positions\" outputs are";
    static constexpr const char* kOfPositions = "is for attention = \"Positions\" alone";
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
            .when("prediction_mode = Dense & use_output_layer")
            .meaning("log_probabilities if use_logsoftmax; scores"),
        ptp::output("predictions", PTP_FLOAT, "B, $autoregression_length, $hidden_size",
                    "The state after each step")
            .when("prediction_mode = Dense & !use_output_layer")
            .meaning("log_probabilities if use_logsoftmax"),
        ptp::output("predictions", PTP_FLOAT, "B, prediction_size",
                    "A (log-)score for each word, at the last step")
            .when("prediction_mode = Last & use_output_layer")
            .meaning("log_probabilities if use_logsoftmax; scores"),
        ptp::output("predictions", PTP_FLOAT, "B, $hidden_size", "The state after the last step")
            .when("prediction_mode = Last & !use_output_layer")
            .meaning("log_probabilities if use_logsoftmax"),
        ptp::output("output_state", PTP_FLOAT, "B, 1, $hidden_size", "State after the last step")
            .when("output_last_state"),
        ptp::output("words", PTP_INTEGER, "B, $autoregression_length", "The words that are written")
            .when("beam_width"),
        ptp::output("attention_maps", PTP_FLOAT, "B, $autoregression_length, length",
                    "How much each word attends to each step of the source")
            .when("output_attention_maps")};
    static constexpr std::array globals{
        ptp::reads_if_named("input_size", "Length of an encoded step; else known from the stream"),
        ptp::reads("prediction_size", "Number of words")
            .purpose(PTP_PURPOSE_SCORE_COUNT)
            .when("use_output_layer"),
        ptp::reads_if_named("end_index",
                            "Index of the word that ends a sentence: a beam that has written it "
                            "continues with it alone, at no cost")
            .when("beam_width")};
    static constexpr std::array requirements{
        ptp::requirement("$prediction_mode != 'None' or $output_last_state",
                         "needs output_last_state = true: without it there is no output"),
        ptp::requirement("prediction_size > 1",
                         "the log-softmax of a single prediction is always 0, so that nothing is "
                         "learned; for a single one set use_logsoftmax = false")
            .when("use_logsoftmax & prediction_mode != None & use_output_layer"),
        ptp::requirement("$use_output_layer or $attention = 'Positions'",
                         "must be true: only with attention = \"Positions\" no words are fed back"),
        ptp::requirement("$embeddings_size = 100 or $attention != 'Positions'", kFedBack),
        ptp::requirement("!$teacher_forcing_rate or $attention != 'Positions'", kFedBack),
        ptp::requirement("!$beam_width or $attention != 'Positions'", kFedBack),
        ptp::requirement("!$max_source_length or $attention = 'Positions'", kOfPositions),
        ptp::requirement("$max_source_length|$autoregression_length >= length",
                         "must be at least the number of steps of inputs")
            .when("attention = Positions")};

    enum class PredictionMode { kDense, kLast, kNone };

    struct Config {
        recurrent::AttentionType attention = recurrent::AttentionType::kBahdanau;
        int64_t hidden_size = 100;
        int64_t embeddings_size = 100;
        int64_t autoregression_length = 10;
        double dropout_rate = 0.0;
        PredictionMode prediction_mode = PredictionMode::kDense;
        std::optional<int64_t> max_source_length;
        bool use_output_layer = true;
        bool use_lengths = false;
        bool use_logsoftmax = true;
        bool output_last_state = false;
        std::optional<double> teacher_forcing_rate;
        std::optional<int64_t> beam_width;
        bool output_attention_maps = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("attention", &Config::attention,
                             {.help = "How the steps of the source are weighted",
                              .choices = "Bahdanau|Luong|Positions"}),
                ptp::setting("hidden_size", &Config::hidden_size,
                             {.help = "Width of the GRU", .range = "[1, inf)"}),
                ptp::setting("embeddings_size", &Config::embeddings_size,
                             {.help = "Length of the vector of a word that was written; Positions "
                                      "has none",
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
                ptp::setting("max_source_length", &Config::max_source_length,
                             {.help = "Of Positions: how many steps of a source have scores, at "
                                      "most; if left out, autoregression_length",
                              .range = "[1, inf)"}),
                ptp::setting("use_output_layer", &Config::use_output_layer,
                             {.help = "Whether to add a linear output layer; without it, which "
                                      "Positions alone has, states are the predictions"}),
                ptp::setting("use_lengths", &Config::use_lengths,
                             {.help = "Whether sources end after their own number of steps"}),
                ptp::setting("use_logsoftmax", &Config::use_logsoftmax,
                             {.help = "Whether predictions are log-probabilities"}),
                ptp::setting("output_last_state", &Config::output_last_state,
                             {.help = "Whether the state after the last step is an output"}),
                ptp::setting("teacher_forcing_rate", &Config::teacher_forcing_rate,
                             {.help = "Chance of a step to begin with the right word before it, "
                                      "not the written one, while training",
                              .range = "[0, 1]"}),
                ptp::setting("beam_width", &Config::beam_width,
                             {.help = "How many beginnings of sentences a beam search keeps "
                                      "outside of training; 1 is greedy; with it words are an "
                                      "output",
                              .range = "[1, inf)"}),
                ptp::setting("output_attention_maps", &Config::output_attention_maps,
                             {.help = "Whether the weights of the attentions are an output"})};
        }
    };

    AttentionDecoder(const Config& config, ptp::Setup& setup)
        : config_(checked(config)),
          words_(config.use_output_layer ? setup.size("prediction_size") : config.hidden_size),
          input_size_(setup.size("input_size")),
          end_(config.beam_width ? setup.optional_global<int64_t>("end_index") : std::nullopt),
          teacher_(config.teacher_forcing_rate, "targets"),
          cell_(*net_, "rnn_cell", cell_options(config, input_size_)),
          attention_(
              *net_, "attn",
              {.type = config.attention,
               .encoding_size = input_size_,
               .query_size = config.hidden_size + (feeds_outputs() ? words_ : 0),
               .positions = config.max_source_length.value_or(config.autoregression_length)}) {
        combine_ = net_->register_module(
            "attn_combine",
            torch::nn::Linear(input_size_ + (feeds_outputs() ? words_ : config.hidden_size),
                              config.hidden_size));
        if (end_ && (*end_ < 0 || *end_ >= words_)) {
            throw ptp::ConfigError("the global 'end_index' is ", *end_, ", must be in [0, ", words_,
                                   "), the indices of words");
        }
        if (config.use_output_layer) {
            output_ = net_->register_module("activation2output_layer",
                                            torch::nn::Linear(config.hidden_size, words_));
        }
        if (!feeds_outputs()) {
            embeddings_ =
                table_->register_parameter("weight", at::randn({words_, config.embeddings_size}));
            net_->register_module("embeddings", table_);
        }
        const int64_t size = feeds_outputs() ? words_ : config.embeddings_size;
        const double bound = std::sqrt(6.0 / (1.0 + static_cast<double>(size)));  // Xavier's
        start_ =
            net_->register_parameter("sos_token", at::empty({1, size}).uniform_(-bound, bound));
    }

    // For each port the same, because at most one of a name exists.
    using Outputs = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
                               at::Tensor, at::Tensor>;

    Outputs forward(const at::Tensor& inputs, const at::Tensor* lengths,
                    const at::Tensor& input_state, const at::Tensor* targets) {
        const bool is_training = net_->is_training();
        check_sizes(inputs, input_state);
        teacher_.require(targets, is_training);
        if (targets != nullptr && is_training) {
            check_words(*targets);
        }
        if (lengths != nullptr) {
            recurrent::check_lengths(*lengths, inputs);
        }
        const recurrent::Attention::Memory memory = attention_.memory(inputs, lengths);
        const recurrent::CellState start{input_state.transpose(0, 1).contiguous(), {}};
        const bool is_search = !is_training && config_.beam_width.value_or(1) > 1;
        const Written written =
            is_search ? searched(memory, start) : greedy(memory, start, targets);
        const at::Tensor scores =  // [B, T, P]
            config_.use_logsoftmax ? at::log_softmax(written.scores, -1) : written.scores;
        const at::Tensor last = scores.select(1, config_.autoregression_length - 1);
        return {scores,        scores,      last, last, cell_.stream_of(written.state),
                written.words, written.maps};
    }

    torch::nn::Module& module() { return *net_; }

private:
    struct Written {
        at::Tensor scores;  // [B, T, P]
        at::Tensor words;   // [B, T]
        at::Tensor maps;    // [B, T, S]
        recurrent::CellState state;
    };

    Written greedy(const recurrent::Attention::Memory& memory, recurrent::CellState state,
                   const at::Tensor* targets) {
        at::Tensor fed = start_.expand({memory.encodings.size(0), -1});  // -> [B, E]
        std::vector<at::Tensor> scores;
        std::vector<at::Tensor> words;
        std::vector<at::Tensor> maps;
        for (int64_t i = 0; i < config_.autoregression_length; ++i) {
            scores.push_back(step(fed, memory, state, &maps.emplace_back()));  // [B, P]
            if (feeds_outputs()) {
                fed = scores.back();
                continue;
            }
            if (i + 1 < config_.autoregression_length || config_.beam_width) {
                words.push_back(scores.back().argmax(1));
            }
            if (i + 1 < config_.autoregression_length) {
                fed = at::embedding(embeddings_,
                                    teacher_.next(words.back(), targets, i, net_->is_training()));
            }
        }
        return {at::stack(scores, 1), config_.beam_width ? at::stack(words, 1) : at::Tensor(),
                config_.output_attention_maps ? at::stack(maps, 1) : at::Tensor(), state};
    }

    // Beam search: W beginnings of each sample are samples of their own, one after the other.
    Written searched(const recurrent::Attention::Memory& memory,
                     const recurrent::CellState& start) {
        const int64_t width = *config_.beam_width;
        const int64_t samples = memory.keys.size(0);
        const auto repeated = [&](const at::Tensor& tensor, int64_t dim) {
            return tensor.defined() ? tensor.repeat_interleave(width, dim) : tensor;
        };
        const recurrent::Attention::Memory memories{.encodings = repeated(memory.encodings, 0),
                                                    .keys = repeated(memory.keys, 0),
                                                    .is_out = repeated(memory.is_out, 0)};
        recurrent::CellState state{repeated(start.hidden, 1), {}};
        at::Tensor fed = start_.expand({samples * width, -1});
        Beams beams({samples, width, words_}, end_, memory.keys.options());
        Written all;
        for (int64_t i = 0; i < config_.autoregression_length; ++i) {
            at::Tensor map;
            const at::Tensor scores = step(fed, memories, state, &map);  // [B W, P]
            const Beams::Next chosen = beams.extend(scores);
            const auto extend = [&](at::Tensor& tensor, const at::Tensor& next) {
                const at::Tensor longer = tensor.defined() ? at::cat({tensor, next}, 1) : next;
                tensor = longer.index_select(0, chosen.from);
            };
            extend(all.scores, scores.unsqueeze(1));
            extend(all.maps, map.unsqueeze(1));
            const at::Tensor own = chosen.words.unsqueeze(1);
            all.words = all.words.defined()
                            ? at::cat({all.words.index_select(0, chosen.from), own}, 1)
                            : own;
            state.hidden = state.hidden.index_select(1, chosen.from);
            fed = at::embedding(embeddings_, chosen.words);
        }
        return {all.scores.index_select(0, beams.best()),
                all.words.index_select(0, beams.best()),
                all.maps.index_select(0, beams.best()),
                {state.hidden.index_select(1, beams.best()), {}}};
    }

    static const Config& checked(const Config& config) {
        if (config.prediction_mode == PredictionMode::kNone && !config.output_last_state) {
            throw ptp::ConfigError(
                "prediction_mode = \"None\" needs output_last_state = true: without it there is no "
                "output");
        }
        return config;
    }

    // Returns whether outputs, not words, are the inputs of the next step.
    bool feeds_outputs() const { return config_.attention == recurrent::AttentionType::kPositions; }

    static recurrent::CellOptions cell_options(const Config& config, int64_t encoding_size) {
        using Type = recurrent::AttentionType;
        return {.type = recurrent::CellType::kGru,
                .input_size = config.attention == Type::kPositions ? config.hidden_size
                              : config.attention == Type::kLuong
                                  ? config.embeddings_size
                                  : config.embeddings_size + encoding_size,
                .hidden_size = config.hidden_size};
    }

    void check_sizes(const at::Tensor& inputs, const at::Tensor& input_state) const {
        using ptp::support::kAnySize;
        using ptp::support::require_declared_sizes;
        require_declared_sizes("inputs", inputs, {kAnySize, kAnySize, input_size_});
        require_declared_sizes("input_state", input_state,
                               {inputs.size(0), 1, config_.hidden_size});
    }

    void check_words(const at::Tensor& targets) const {
        if (!ptp::support::are_classes(targets, words_)) {
            ptp::support::require_none(
                ptp::support::are_outside(targets, 0, words_), "targets", targets,
                "be in [0, " + std::to_string(words_) + "), the indices of words, to be fed back");
        }
    }

    // The scores of the words after `fed`, [B, E]; moves the state on. `map` receives the weights
    // of the steps, [B, S].
    at::Tensor step(const at::Tensor& fed, const recurrent::Attention::Memory& memory,
                    recurrent::CellState& state, at::Tensor* map) {
        at::Tensor context;
        if (feeds_outputs()) {
            context = attention_.context(at::cat({fed, state.hidden[0]}, 1), memory, map);
            state = cell_.step(combine_->forward(at::cat({fed, context}, 1)).relu(), state).state;
            return scored(state.hidden[0]);
        }
        if (config_.attention == recurrent::AttentionType::kBahdanau) {
            context = attention_.context(state.hidden[0], memory, map);
            state = cell_.step(at::cat({fed, context}, 1), state).state;
        } else {
            state = cell_.step(fed, state).state;
            context = attention_.context(state.hidden[0], memory, map);
        }
        const at::Tensor combined =  // [B, I + H] -> [B, H]
            combine_->forward(at::cat({context, state.hidden[0]}, 1)).tanh();
        return scored(combined);
    }

    // [B, H] -> [B, P]
    at::Tensor scored(const at::Tensor& activations) {
        const at::Tensor left = at::dropout(activations, config_.dropout_rate, net_->is_training());
        return output_ ? output_->forward(left) : left;
    }

    Config config_;
    int64_t words_;  // or the size of the outputs
    int64_t input_size_;
    std::optional<int64_t> end_;
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
