// Streams that are reshaped, joined and written: what does not fit, and what does.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace wrong_streams_test {

namespace {

using ptp::test::problems_of;

// The good experiment with more components at its end, after line 43.
std::string with(const std::string& components) {
    return ptp::test::good_experiment() + components;
}

std::string exporter(const std::string& name, const std::string& settings) {
    return "[pipeline." + name + "]\ntype = \"StreamFileExporter\"\n" + settings + "\n";
}

constexpr const char* kIndices = "input_streams = \"indices\"\n";
constexpr const char* kTargets = "input_streams = \"targets\"\n";

}  // namespace

TEST_CASE(
    "wrong streams: a reshaping that splits or joins samples is refused before the run does") {
    const ptp::test::WrongExperiment experiments[] = {
        {"half of a sample", "output_dims = [-1, 784]", "output_dims = [-1, 392]",
         "e.toml:26:1: pipeline.reshape: a sample of 'inputs' does not become one sample of "
         "'outputs'\n"
         "    'inputs' is [B, 16, 7, 7]: 784 values for each sample\n"
         "    'outputs' is [B, 392]: 392 values for each sample\n"
         "    'classifier' (FeedForwardNetwork) reads it as [B, input_size = 392]\n"
         "    fix: set pipeline.reshape.output_dims = [-1, 784]"},
        {"two samples", "output_dims = [-1, 784]", "output_dims = [-1, 1568]",
         "e.toml:26:1: pipeline.reshape: a sample of 'inputs' does not become one sample of "
         "'outputs'\n"
         "    'inputs' is [B, 16, 7, 7]: 784 values for each sample\n"
         "    'outputs' is [B, 1568]: 1568 values for each sample\n"
         "    'classifier' (FeedForwardNetwork) reads it as [B, input_size = 1568]\n"
         "    fix: set pipeline.reshape.output_dims = [-1, 784]"},
        {"a quarter, in several dimensions",
         "output_dims = [-1, 784]\nstreams = { inputs = \"feature_maps\", outputs = \"features\" }",
         "output_dims = [-1, 4, 49]\nstreams = { inputs = \"feature_maps\", outputs = \"rows\" }\n"
         "[pipeline.flat]\ntype = \"Flatten\"\n"
         "streams = { inputs = \"rows\", outputs = \"features\" }",
         "e.toml:26:1: pipeline.reshape: a sample of 'inputs' does not become one sample of "
         "'outputs'\n"
         "    'inputs' is [B, 16, 7, 7]: 784 values for each sample\n"
         "    'outputs' is [B, 4, 49]: 196 values for each sample\n"
         "    fix: choose the sizes of pipeline.reshape.output_dims so that their product is 784"},
    };
    ptp::test::check_all(experiments);
}

TEST_CASE("wrong streams: a reshaping that no reader takes as a batch may split samples") {
    CHECK(problems_of(with("[pipeline.halves]\ntype = \"ReshapeTensor\"\ninput_dims = [-1, 11]\n"
                           "output_dims = [-1, 1]\n"
                           "streams = { inputs = \"questions\", outputs = \"halves\" }\n"
                           "globals = { output_size = \"half_size\" }\n"
                           "[pipeline.again]\ntype = \"ReshapeTensor\"\ninput_dims = [-1, 1]\n"
                           "output_dims = [-1, 11]\n"
                           "streams = { inputs = \"halves\", outputs = \"whole\" }\n"
                           "globals = { output_size = \"whole_size\" }\n")) == "");
}

TEST_CASE(
    "wrong streams: streams that are joined have equal sizes but one, where those are known") {
    const std::string maps =
        "[pipeline.small]\ntype = \"ConvNetEncoder\"\nconv1 = { kernel_size = 9 }\n"
        "streams = { feature_maps = \"small_maps\" }\nglobals = { feature_map_depth = \"d\", "
        "feature_map_height = \"h\", feature_map_width = \"w\" }\n"
        "[pipeline.both]\ntype = \"ConcatenateTensor\"\n"
        "input_streams = [\"feature_maps\", \"small_maps\"]\nstreams = { outputs = \"both\" }\n"
        "globals = { output_size = \"both_size\" }\n";
    CHECK(
        problems_of(with(maps + "output_dims = [-1, 32, -1, -1]\n")) ==
        "e.toml:51:17: pipeline.both.input_streams = [\"feature_maps\", \"small_maps\"]: must "
        "have one size in dimension 2, since dim is another: 'feature_maps' is [B, feature_map_depth = 16, feature_map_height = 7, feature_map_width = 7], 'small_maps' is [B, feature_map_depth = 16, feature_map_height = 6, feature_map_width = 6]");
    const std::string twice =
        "[pipeline.both]\ntype = \"ConcatenateTensor\"\n"
        "input_streams = [\"feature_maps\", \"feature_maps\"]\n"
        "streams = { outputs = \"both\" }\nglobals = { output_size = \"both_size\" }\n";
    CHECK(problems_of(with(twice + "output_dims = [-1, 32, -1, -1]\n")) == "");
    CHECK(
        problems_of(with(twice + "output_dims = [-1, 32, 7, 8]\n")) ==
        "e.toml:49:15: pipeline.both.output_dims = [-1, 32, 7, 8]: must have the streams' size in "
        "dimension 3: 'feature_maps' is [B, feature_map_depth = 16, feature_map_height = 7, feature_map_width = 7], so 7 fits");
    CHECK(
        problems_of(with(twice + "output_dims = [-1, 32]\n")) ==
        "e.toml:49:15: pipeline.both.output_dims = [-1, 32]: must have a size for each dimension "
        "of the streams: 'feature_maps' is [B, feature_map_depth = 16, feature_map_height = 7, feature_map_width = 7], output_dims has 2 items");
}

TEST_CASE("wrong streams: the shape of joined streams follows from them") {
    const std::string both =
        "[pipeline.both]\ntype = \"ConcatenateTensor\"\n"
        "streams = { outputs = \"both\" }\nglobals = { output_size = \"both_size\" }\n";
    const std::string vectors = both + "input_streams = [\"features\", \"questions\"]\n";
    const std::string reader =
        "[pipeline.half]\ntype = \"ReshapeTensor\"\ninput_dims = [-1, 794]\n"
        "output_dims = [-1, 2, 397]\nstreams = { inputs = \"both\", outputs = \"half\" }\n"
        "globals = { output_size = \"half_size\" }\n";
    CHECK(problems_of(with(vectors)) == "");
    CHECK(problems_of(with(vectors + reader)) ==
          "e.toml:49:1: pipeline.half: stream 'both' has another shape than 'inputs' takes\n"
          "    'both' (ConcatenateTensor) writes [*, 795] as 'outputs'\n"
          "    'half' (ReshapeTensor) reads [*, 794] as 'inputs'\n"
          "    795: computed by 'both' (ConcatenateTensor)\n"
          "    794: pipeline.half.input_dims[1]\n"
          "    fix: set pipeline.half.input_dims = [-1, 795]");
    CHECK(
        problems_of(with(both + "input_streams = [\"feature_maps\", \"features\"]\n")) ==
        "e.toml:48:17: pipeline.both.input_streams = [\"feature_maps\", \"features\"]: must have "
        "as many dimensions each: 'feature_maps' is [B, feature_map_depth = 16, feature_map_height = 7, feature_map_width = 7], 'features' is [*, 784]\n"
        "    fix: insert a Flatten between 'feature_maps' and pipeline.both");
    CHECK(
        problems_of(with(vectors + "dim = 2\n")) ==
        "e.toml:48:17: pipeline.both.input_streams = [\"features\", \"questions\"]: must have one "
        "size in dimension 1, since dim is another: dim = 2, 'features' is [*, 784], 'questions' is "
        "[B, question_size = 11]\n"
        "e.toml:49:7: pipeline.both.dim = 2: must be a dimension of the streams: "
        "'features' is [*, 784], 'questions' is [B, question_size = 11], so less than 2 fits");
}

TEST_CASE("wrong streams: a layer of the same beginning is no component that joins streams") {
    const auto joins = [](const std::string& type) {
        return problems_of(with("[pipeline.both]\ntype = \"" + type +
                                "\"\nstreams = { outputs = \"both\" }\n"
                                "input_streams = [\"features\", \"questions\"]\n"));
    };
    CHECK(joins("Concat") ==
          "e.toml:45:8: pipeline.both.type = \"Concat\": has no input_streams; did you mean "
          "'ConcatenateTensor', which has it?\n"
          "    fix: write type = \"ConcatenateTensor\"");
    for (const char* name : {"Concatenate", "cat", "Merge", "hstack"}) {
        CHECK(joins(name) == "e.toml:45:8: pipeline.both.type = \"" + std::string(name) +
                                 "\": no plugin has such a component; did you mean "
                                 "'ConcatenateTensor'?");
    }
}

TEST_CASE("wrong streams: a reshaping may leave the size of a sample to the wiring") {
    const ptp::test::WrongExperiment experiments[] = {
        {"a vector", "input_dims = [-1, 16, 7, 7]\noutput_dims = [-1, 784]",
         "output_dims = [-1, -1]", ""},
        {"rows that do not fit", "output_dims = [-1, 784]", "output_dims = [-1, -1, 5]",
         "e.toml:26:1: pipeline.reshape: the values of 'inputs' do not fit into 'outputs'\n"
         "    'inputs' is [B, 16, 7, 7]: 784 values, times what is not known\n"
         "    'outputs' is [B, *, 5]: 5 values, times what is not known\n"
         "    fix: set pipeline.reshape.output_dims = [-1, -1, 784]\n"
         "e.toml:32:1: pipeline.classifier: takes 2 dimensions as 'inputs', but stream "
         "'features' has 3\n"
         "    'reshape' (ReshapeTensor) writes [B, *, 5] as 'outputs'\n"
         "    'classifier' (FeedForwardNetwork) reads [B, input_size] as 'inputs'"},
    };
    ptp::test::check_all(experiments);
    const std::string vectors =
        "[pipeline.vectors]\ntype = \"ReshapeTensor\"\noutput_dims = [-1, -1]\n"
        "streams = { inputs = \"feature_maps\", outputs = \"vectors\" }\n"
        "globals = { output_size = \"vector_size\" }\n"
        "[pipeline.rows]\ntype = \"ReshapeTensor\"\ninput_dims = [-1, 783]\n"
        "output_dims = [-1, -1, 1]\nstreams = { inputs = \"vectors\", outputs = \"rows\" }\n"
        "globals = { output_size = \"row_size\" }\n";
    CHECK(problems_of(with(vectors)) ==
          "e.toml:49:1: pipeline.rows: stream 'vectors' has another shape than 'inputs' takes\n"
          "    'vectors' (ReshapeTensor) writes [B, 784] as 'outputs'\n"
          "    'rows' (ReshapeTensor) reads [*, 783] as 'inputs'\n"
          "    784: computed by 'vectors' (ReshapeTensor)\n"
          "    783: pipeline.rows.input_dims[1]\n"
          "    fix: set pipeline.rows.input_dims = [-1, 784]");
}

TEST_CASE("wrong streams: a transform of numbers of another type is told how to take them") {
    const std::string reshape =
        "[pipeline.column]\ntype = \"ReshapeTensor\"\noutput_dims = [-1, 1]\n"
        "streams = { inputs = \"targets\", outputs = \"column\" }\n"
        "globals = { output_size = \"column_size\" }\n";
    CHECK(
        problems_of(with(reshape)) ==
        "e.toml:47:22: pipeline.column: input 'inputs' takes floating numbers, but stream "
        "'targets' carries integers (written by the task of [training] (SortOfCLEVR)); streams of "
        "floating numbers: inputs, questions, feature_maps, features, predictions and loss\n"
        "    fix: set pipeline.column.input_type = \"integer\"");
    CHECK(problems_of(with(reshape + "input_type = \"integer\"\n")) == "");
}

TEST_CASE("wrong streams: parts that a dimension does not have are refused") {
    const auto part = [](const std::string& settings) {
        return problems_of(
            with("[pipeline.part]\ntype = \"SliceTensor\"\n"
                 "streams = { inputs = \"features\", outputs = \"part\" }\n" +
                 settings));
    };
    CHECK(part("start = 700\n[pipeline.again]\ntype = \"ReshapeTensor\"\ninput_dims = [-1, 84]\n"
               "output_dims = [-1, 84, 1]\nstreams = { inputs = \"part\", outputs = \"again\" }\n"
               "globals = { output_size = \"again_size\" }\n") == "");
    CHECK(part("index = 784\n") ==
          "e.toml:47:9: pipeline.part.index = 784: must be a place of the dimension: "
          "'features' is [*, 784]");
    CHECK(part("index = -785\n") ==
          "e.toml:47:9: pipeline.part.index = -785: must be a place of the dimension: "
          "'features' is [*, 784]");
    CHECK(part("start = 784\n") ==
          "e.toml:47:9: pipeline.part.start = 784: must be a place of the dimension: "
          "'features' is [*, 784]");
    CHECK(part("end = 785\n") ==
          "e.toml:47:7: pipeline.part.end = 785: must not be beyond the places of the "
          "dimension: 'features' is [*, 784]");
    CHECK(part("start = 3\nend = -781\n") ==
          "e.toml:47:9: pipeline.part.start = 3: must be before end: 'features' is [*, "
          "784], end = -781");
    CHECK(part("dim = 2\n") ==
          "e.toml:47:7: pipeline.part.dim = 2: must be a dimension of inputs: "
          "'features' is [*, 784]");
    CHECK(part("index = 0\nstart = 1\n") ==
          "e.toml:48:9: pipeline.part.start = 1: belongs to a part, but index takes one place");
    CHECK(part("index = 0\nend = 1\n") ==
          "e.toml:48:7: pipeline.part.end = 1: belongs to a part, but index takes one place");
    CHECK(part("index = 0\nstep = 2\n") ==
          "e.toml:48:8: pipeline.part.step = 2: belongs to a part, but index takes one place");
}

TEST_CASE("wrong streams: exporters are refused only where they would write one file") {
    CHECK(problems_of(
              with(exporter("one", kIndices) +
                   exporter("two", std::string(kTargets) + "filename = \"one.jsonl\"\nformat = "
                                                           "\"json_lines\""))) == "");
    CHECK(problems_of(with(exporter("one", std::string(kIndices) + "filename = \"x\"\nformat = "
                                                                   "\"npy\"") +
                           exporter("two", std::string(kTargets) + "filename = \"x\"\nformat = "
                                                                   "\"npy\""))) == "");
    CHECK(problems_of(with(exporter("one", std::string(kIndices) + "format = \"json_lines\"") +
                           exporter("two", std::string(kTargets) + "filename = \"one.csv\""))) ==
          "");
    CHECK(problems_of(with(exporter("one", std::string(kIndices) + "format = \"json_lines\"") +
                           exporter("two", std::string(kTargets) + "filename = \"one.jsonl\""))) ==
          "e.toml:51:12: pipeline.two.filename = \"one.jsonl\": 'one' writes the file 'one.jsonl' "
          "already; choose another name");
    CHECK(problems_of(with(exporter("x", std::string(kTargets) + "format = \"npy\"") +
                           exporter("two", std::string(kTargets) + "filename = \"x\"\nformat = "
                                                                   "\"npy\""))) ==
          "e.toml:51:12: pipeline.two.filename = \"x\": 'x' writes the file 'x.targets.npy' "
          "already; choose another name");
}

TEST_CASE("wrong streams: fewer or more scores than the targets have classes are a warning") {
    const ptp::test::WrongExperiment experiments[] = {
        {"a constant", "prediction_size = \"${classes}\"", "prediction_size = 5",
         "e.toml:5:1: vars.classes: warning: never used\n"
         "e.toml:37:31: pipeline.classifier.globals.prediction_size: warning: 5 is less than the "
         "10 classes of the targets of 'nll_loss' (NLLLoss): num_classes is 10, published by the "
         "task of [training] (SortOfCLEVR)\n"
         "    fix: write globals = { prediction_size = \"num_classes\" } in pipeline.classifier"},
        {"a published constant", "globals = { prediction_size = \"${classes}\" }",
         "globals = { prediction_size = \"scores\" }\n[pipeline.constants]\ntype = "
         "\"GlobalVariablePublisher\"\nkeys = [\"a\", \"scores\"]\nvalues = [1, 9]",
         "e.toml:5:1: vars.classes: warning: never used\n"
         "e.toml:41:14: pipeline.constants.values[1]: warning: 9 is less than the 10 classes of "
         "the targets of 'nll_loss' (NLLLoss): num_classes is 10, published by the task of "
         "[training] (SortOfCLEVR)\n"
         "    fix: set pipeline.constants.values = [1, 10]"},
        {"as many", "prediction_size = \"${classes}\"", "prediction_size = 10",
         "e.toml:5:1: vars.classes: warning: never used"},
        {"more", "prediction_size = \"${classes}\"", "prediction_size = 11",
         "e.toml:5:1: vars.classes: warning: never used\n"
         "e.toml:37:31: pipeline.classifier.globals.prediction_size: warning: 11 is more than the "
         "10 classes of the targets of 'nll_loss' (NLLLoss): num_classes is 10, published by the "
         "task of [training] (SortOfCLEVR)\n"
         "    fix: write globals = { prediction_size = \"num_classes\" } in pipeline.classifier"},
        {"a constant in quotes", "prediction_size = \"${classes}\"", "prediction_size = \"10\"",
         "e.toml:5:1: vars.classes: warning: never used\n"
         "e.toml:32:1: pipeline.classifier: reads global '10', which nothing publishes\n"
         "    fix: remove the quotes for a constant: globals = { prediction_size = 10 }"},
        {"a published constant in quotes", "globals = { prediction_size = \"${classes}\" }",
         "globals = { prediction_size = \"scores\" }\n[pipeline.constants]\ntype = "
         "\"GlobalVariablePublisher\"\nkeys = [\"scores\"]\nvalues = [\"10\"]",
         "e.toml:5:1: vars.classes: warning: never used\n"
         "e.toml:41:11: pipeline.constants.values[0] = \"10\": must be an integer in [1, inf), "
         "because 'classifier' (FeedForwardNetwork) has the global 'scores' as the size "
         "'prediction_size'\n    fix: remove the quotes: 10"},
    };
    ptp::test::check_all(experiments);
}

TEST_CASE("wrong streams: a statistic of other scores than those of the loss is a warning") {
    const std::string calibration =
        "[pipeline.calibration]\ntype = \"CalibrationStatistics\"\n"
        "streams = { predictions = \"features\" }\n";
    CHECK(problems_of(with(calibration)) ==
          "e.toml:44:1: warning: pipeline.calibration: gets 784 scores from 'features' for "
          "'targets', and 'nll_loss' (NLLLoss) gets 10 from 'predictions': what is measured is not "
          "what is trained\n"
          "    fix: leave 'predictions' out of its streams in pipeline.calibration");
    // With a second loss of the same targets either number may be meant.
    CHECK(
        problems_of(with(calibration + "[pipeline.second]\ntype = \"CrossEntropyLoss\"\n"
                                       "streams = { predictions = \"features\", loss = \"more\" }\n"
                                       "statistics = { loss_weight = \"more_weight\" }\n")) == "");
    // The size of vectors that are compared with each other is not a number of classes.
    CHECK(problems_of(with("[pipeline.retrieval]\ntype = \"RetrievalStatistics\"\n"
                           "use_labels = true\nstreams = { image_embeddings = \"features\", "
                           "text_embeddings = \"features\", labels = \"targets\" }\n")) == "");
}

TEST_CASE("wrong streams: a statistic that compares targets with themselves is refused") {
    CHECK(problems_of(with("[pipeline.classes]\ntype = \"PrecisionRecallStatistics\"\n"
                           "use_prediction_distributions = false\n"
                           "streams = { predictions = \"targets\" }\n"
                           "globals = { num_classes = \"num_classes\" }\n")) ==
          "e.toml:47:27: pipeline.classes: input 'predictions' reads stream 'targets', what is "
          "right, which is to be read as 'targets': it is compared with itself\n"
          "    fix: leave streams out of pipeline.classes");
}

TEST_CASE(
    "wrong streams: targets among the inputs are warned of, also where nothing is predicted") {
    const auto problems = [](const std::string& input, const std::string& phases) {
        return problems_of(ptp::test::replaced(
            ptp::test::good_experiment(),
            "[pipeline.classifier]\ntype = \"FeedForwardNetwork\"\nhidden_sizes = [128]\n"
            "dropout_rate = 0.5\nstreams = { inputs = \"features\" }\n",
            "[pipeline.hot]\ntype = \"OneHot\"\nstreams = { inputs = \"" + input +
                "\", outputs = \"hot\" }\n[pipeline.join]\ntype = \"ConcatenateTensor\"\n"
                "input_streams = [\"features\", \"hot\"]\nstreams = { outputs = \"both\" }\n"
                "globals = { output_size = \"both_size\" }\n"
                "[pipeline.classifier]\ntype = \"FeedForwardNetwork\"\n" +
                phases + "streams = { inputs = \"both\" }\n"));
    };
    const std::string leak =
        "e.toml:35:1: warning: pipeline.join: reads 'hot', which is made of 'targets', and what is "
        "computed of it is compared with the same 'targets' by 'nll_loss' (NLLLoss): the model "
        "sees what it is to predict\n"
        "    fix: leave \"hot\" out of pipeline.join.input_streams";
    CHECK(problems("targets", "phases = [\"training\", \"validation\"]\n") == leak);
    CHECK(problems("targets", "").ends_with(leak));
    CHECK(problems("indices", "").find("the model sees") == std::string::npos);
    // Another loss may read what a transform beside the model makes of the targets.
    CHECK(problems_of(with("[pipeline.hot]\ntype = \"OneHot\"\nstreams = { inputs = \"targets\", "
                           "outputs = \"hot\" }\n[pipeline.soft]\ntype = \"SoftCrossEntropyLoss\"\n"
                           "streams = { targets = \"hot\", loss = \"more\" }\n"
                           "statistics = { loss_weight = \"more_weight\" }\n"))
              .find("the model sees") == std::string::npos);
}

TEST_CASE("wrong streams: a loss that leaves out samples may have fewer scores") {
    const std::string masks =
        "[pipeline.vocabulary]\ntype = \"GlobalVariablePublisher\"\nkeys = [\"first\"]\n"
        "values = [{ no = 0 }]\n"
        "[pipeline.mask]\ntype = \"StringToMask\"\nstreams = { strings = \"labels\" }\n"
        "globals = { word_mappings = \"first\" }\n"
        "[pipeline.second]\ntype = \"FeedForwardNetwork\"\nstreams = { inputs = \"features\", "
        "predictions = \"few\" }\nglobals = { prediction_size = 2 }\n"
        "[pipeline.second_loss]\ntype = \"NLLLoss\"\nuse_masking = true\n"
        "streams = { predictions = \"few\", loss = \"second\" }\n"
        "statistics = { loss_weight = \"second_weight\" }\n";
    CHECK(problems_of(with(masks)) == "");
}

TEST_CASE("wrong streams: a probe takes tensors, and no texts or words") {
    const auto problems = [](const std::string& stream) {
        return problems_of(
            "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\n"
            "task = { type = \"TextFolder\", data_folder = \"texts\", batch_size = 2, "
            "vocabulary = true, globals = { word_mappings = \"word_mappings\" } }\n"
            "[records.probe]\nsection = \"training\"\nstreams = [\"" +
                stream + "\"]" + R"(
[pipeline.words]
type = "SentenceTokenizer"
streams = { outputs = "words" }
[pipeline.counts]
type = "SentenceEmbeddings"
embeddings_size = 4
streams = { inputs = "words", outputs = "vectors" }
globals = { word_mappings = "word_mappings" }
[pipeline.lstm]
type = "RecurrentNeuralNetwork"
prediction_mode = "Last"
hidden_size = 4
streams = { inputs = "vectors" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)",
            ptp::pipeline::NeededFiles::kIgnored);
    };
    CHECK(
        problems("inputs") ==
        "e.toml:7:12: records.probe.streams = \"inputs\": must be a tensor; this stream is string");
    CHECK(
        problems("words") ==
        "e.toml:7:12: records.probe.streams = \"words\": must be a tensor; this stream is tokens");
    CHECK(problems("predictions").find("records.probe") == std::string::npos);
}

}  // namespace wrong_streams_test
