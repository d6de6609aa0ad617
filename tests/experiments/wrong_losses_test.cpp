#include "experiments/support.hpp"

#include <doctest/doctest.h>

namespace wrong_losses_test {

TEST_CASE("wrong losses: settings out of their ranges are reported to the letter") {
    const ptp::test::WrongExperiment experiments[] = {
        {"a weight of a class", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\nclass_weights = [1.0, -1.0]",
         "e.toml:41:23: pipeline.nll_loss.class_weights[1] = -1.0: must be in [0, inf)"},
        {"no dimensions", "type = \"NLLLoss\"", "type = \"NLLLoss\"\nnum_masks_dims = 0",
         "e.toml:41:18: pipeline.nll_loss.num_masks_dims = 0: must be in [1, inf)"},
        {"a share above 1", "type = \"NLLLoss\"",
         "type = \"CrossEntropyLoss\"\nlabel_smoothing = 1.5",
         "e.toml:41:19: pipeline.nll_loss.label_smoothing = 1.5: must be in [0, 1]"},
        {"a power below 0", "type = \"NLLLoss\"", "type = \"FocalLoss\"\ngamma = -0.5",
         "e.toml:41:9: pipeline.nll_loss.gamma = -0.5: must be in [0, inf)"},
        {"no margin", "type = \"NLLLoss\"",
         "type = \"TripletLoss\"\nmargin = 0.0\nstreams = { anchors = \"features\", positives = "
         "\"features\", negatives = \"features\" }",
         "e.toml:41:10: pipeline.nll_loss.margin = 0.0: must be in (0, inf)"},
        {"no norm", "type = \"NLLLoss\"",
         "type = \"TripletLoss\"\np = 0.5\nstreams = { anchors = \"features\", positives = "
         "\"features\", negatives = \"features\" }",
         "e.toml:41:5: pipeline.nll_loss.p = 0.5: must be in [1, inf)"},
        {"no delta", "type = \"NLLLoss\"",
         "type = \"HuberLoss\"\ndelta = 0.0\nstreams = { targets = \"features\", predictions = "
         "\"features\" }",
         "e.toml:41:9: pipeline.nll_loss.delta = 0.0: must be in (0, inf)"},
        {"no weight of positives", "type = \"NLLLoss\"",
         "type = \"BCEWithLogitsLoss\"\npositive_weights = 0.0\nstreams = { targets = "
         "\"features\", predictions = \"features\" }",
         "e.toml:41:20: pipeline.nll_loss.positive_weights = 0.0: must be in (0, inf)"},
        {"a share of positives", "type = \"NLLLoss\"",
         "type = \"SigmoidFocalLoss\"\nalpha = 1.5\nstreams = { targets = \"features\", "
         "predictions = \"features\" }",
         "e.toml:41:9: pipeline.nll_loss.alpha = 1.5: must be in [0, 1]"},
        {"a negative smoothing", "type = \"NLLLoss\"",
         "type = \"DiceLoss\"\nmode = \"multilabel\"\nsmooth = -1.0\nstreams = { targets = "
         "\"inputs\", predictions = \"inputs\" }",
         "e.toml:42:10: pipeline.nll_loss.smooth = -1.0: must be in [0, inf)"},
        {"an unknown mode", "type = \"NLLLoss\"",
         "type = \"DiceLoss\"\nmode = \"multi\"\nstreams = { predictions = \"inputs\" }",
         "e.toml:41:8: pipeline.nll_loss.mode = \"multi\": must be one of multiclass, multilabel"},
        {"nothing at the top", "type = \"AccuracyStatistics\"",
         "type = \"AccuracyStatistics\"\ntop_k = 0",
         "e.toml:44:9: pipeline.accuracy.top_k = 0: must be in [1, inf)"},
        {"an unknown average", "type = \"AccuracyStatistics\"",
         "type = \"PrecisionRecallStatistics\"\naverage = \"none\"",
         "e.toml:44:11: pipeline.accuracy.average = \"none\": must be one of weighted, macro, "
         "micro, all"},
    };
    ptp::test::check_all(experiments);
}

TEST_CASE("wrong losses: streams of other types and shapes are reported to the letter") {
    const ptp::test::WrongExperiment experiments[] = {
        {"classes for numbers", "type = \"NLLLoss\"", "type = \"MSELoss\"",
         "e.toml:39:1: pipeline.nll_loss: input 'targets' takes floating numbers, but stream "
         "'targets' carries integers (written by the task of [training] (SortOfCLEVR)); streams of "
         "floating numbers: inputs, questions, feature_maps, features and predictions\n"
         "    fix: to compare classes, set pipeline.nll_loss.type = \"CrossEntropyLoss\" (or "
         "FocalLoss or NLLLoss)"},
        {"images for rows", "type = \"NLLLoss\"",
         "type = \"MSELoss\"\nstreams = { targets = \"inputs\", predictions = \"features\" }",
         "e.toml:39:1: pipeline.nll_loss: takes 2 dimensions as 'targets', but stream "
         "'inputs' has 4\n"
         "    the task of [training] (SortOfCLEVR) writes [B, 3, image_height = 75, image_width = "
         "75] as 'inputs'\n"
         "    'nll_loss' (MSELoss) reads [B, n.1 = 784] as 'targets'"},
        {"vectors of two sizes", "type = \"NLLLoss\"",
         "type = \"TripletLoss\"\nstreams = { anchors = \"features\", positives = "
         "\"predictions\", negatives = \"features\" }",
         "e.toml:39:1: pipeline.nll_loss: stream 'predictions' has another shape than 'positives' "
         "takes\n"
         "    'classifier' (FeedForwardNetwork) writes [B, prediction_size = 10] as 'predictions'\n"
         "    'nll_loss' (TripletLoss) reads [B, size = 784] as 'positives'\n"
         "    prediction_size = 10: published by the task of [training] (SortOfCLEVR)\n"
         "    size = 784: pipeline.reshape.output_dims[1]\n"
         "    fix: stream 'features' has this shape: write streams = { positives = \"features\" } "
         "in pipeline.nll_loss"},
        {"a vocabulary that nobody has", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.join]\ntype = \"JoinMaskedPredictions\"\n"
         "input_prediction_streams = [\"predictions\"]\ninput_mask_streams = "
         "[\"relational_masks\"]\ninput_word_mappings = [\"words\"]\nglobals = { "
         "output_word_mappings = \"label_word_mappings\" }",
         "e.toml:41:1: pipeline.join: reads global 'words', which nothing publishes; published are "
         "feature_map_depth, feature_map_height, feature_map_width, image_depth, image_height, "
         "image_width, label_word_mappings, num_classes, output_size and question_size; write "
         "globals = { words = \"...\" }, or add a GlobalVariablePublisher"},
        {"no streams to join", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.join]\ntype = \"JoinMaskedPredictions\"\n"
         "input_prediction_streams = []\ninput_mask_streams = "
         "[\"relational_masks\"]\ninput_word_mappings = [\"label_word_mappings\"]\nglobals = { "
         "output_word_mappings = \"label_word_mappings\" }",
         "e.toml:43:28: pipeline.join.input_prediction_streams = []: must have at least 1 item, "
         "has 0"},
    };
    ptp::test::check_all(experiments);
}

// The classes as rows of 0 and 1, and this loss over them.
std::string with_loss(const std::string& type) {
    std::string text = ptp::test::good_experiment();
    const std::string from = "[pipeline.nll_loss]\ntype = \"NLLLoss\"\n";
    text.replace(text.find(from), from.size(),
                 "[pipeline.rows]\ntype = \"OneHot\"\nstreams = { inputs = \"targets\", outputs = "
                 "\"rows\" }\n[pipeline.loss]\ntype = \"" +
                     type + "\"\nstreams = { targets = \"rows\" }\n");
    return text;
}

TEST_CASE("wrong losses: log-probabilities are refused where numbers or logits are taken") {
    const struct {
        const char* type;
        const char* takes;
    } losses[] = {{"MSELoss", "raw scores, probabilities or numbers of any range"},
                  {"L1Loss", "raw scores, probabilities or numbers of any range"},
                  {"HuberLoss", "raw scores, probabilities or numbers of any range"},
                  {"BCEWithLogitsLoss", "raw scores or numbers of any range"},
                  {"SigmoidFocalLoss", "raw scores or numbers of any range"}};
    for (const auto& loss : losses) {
        CAPTURE(loss.type);
        const std::string text = with_loss(loss.type);
        const std::string type = loss.type;
        CHECK(ptp::test::problems_of(text) ==
              "e.toml:42:1: pipeline.loss: stream 'predictions' carries log-probabilities, which " +
                  type +
                  " does not take\n"
                  "    'classifier' (FeedForwardNetwork) writes log-probabilities as "
                  "'predictions'\n"
                  "    'loss' (" +
                  type + ") takes " + loss.takes +
                  " as 'predictions'\n"
                  "    fix: set pipeline.classifier.use_logsoftmax = false");
        std::string repaired = text;
        const std::string rate = "dropout_rate = 0.5\n";
        repaired.insert(repaired.find(rate), "use_logsoftmax = false\n");
        CHECK(ptp::test::problems_of(repaired) == "");
    }
}

TEST_CASE("wrong losses: raw scores, and a log-softmax of one prediction, are refused") {
    const ptp::test::WrongExperiment experiments[] = {
        {"raw scores", "dropout_rate = 0.5", "use_logsoftmax = false",
         "e.toml:39:1: pipeline.nll_loss: stream 'predictions' carries raw scores, which NLLLoss "
         "does not take\n"
         "    'classifier' (FeedForwardNetwork) writes raw scores as 'predictions'\n"
         "    'nll_loss' (NLLLoss) takes log-probabilities as 'predictions'\n"
         "    fix: set pipeline.classifier.use_logsoftmax = true"},
        {"raw scores for a loss over them", "type = \"NLLLoss\"", "type = \"CrossEntropyLoss\"",
         ""},
        {"a single prediction", "prediction_size = \"${classes}\"", "prediction_size = 1",
         "e.toml:5:1: vars.classes: warning: never used\n"
         "e.toml:39:1: pipeline.nll_loss: compares the scores of classes: with a single one the "
         "loss is always 0: classes is 1\n"
         "    fix: for a score of each class, write globals = { prediction_size = \"num_classes\" } in "
         "pipeline.classifier"},
    };
    ptp::test::check_all(experiments);
}

}  // namespace wrong_losses_test
