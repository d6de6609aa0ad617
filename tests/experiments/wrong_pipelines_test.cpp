#include "experiments/support.hpp"

#include <doctest/doctest.h>

namespace wrong_pipelines_test {

TEST_CASE(
    "wrong pipelines: streams, order, globals and shapes: each mistake is reported to the letter") {
    const ptp::test::WrongExperiment experiments[] = {
        {"a stream with a slip", "streams = { inputs = \"features\" }",
         "streams = { inputs = \"feature\" }",
         "e.toml:36:22: pipeline.classifier: input 'inputs' reads stream 'feature', which nothing "
         "writes; did you mean 'features'? Then write streams = { inputs = \"features\" }"},
        {"a stream that resembles nothing", "streams = { inputs = \"features\" }",
         "streams = { inputs = \"pictures\" }",
         "e.toml:36:22: pipeline.classifier: input 'inputs' reads stream 'pictures', which nothing "
         "writes; streams of floating numbers: inputs, questions, feature_maps, features "
         "and loss; to read one of them write streams = { inputs = \"...\" }"},
        {"a port with a slip", "streams = { inputs = \"features\" }",
         "streams = { input = \"features\" }",
         "e.toml:36:13: pipeline.classifier.streams.input: FeedForwardNetwork has no port of "
         "this name; did you mean 'inputs'?"},
        {"a stream that a setting names", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.viewer]\ntype = \"StreamViewer\"\ninput_streams = "
         "[\"labels\", \"prediction\"]",
         "e.toml:43:28: pipeline.viewer: input 'input_streams[1]' reads stream 'prediction', "
         "which nothing writes; did you mean 'predictions'? Then name it \"predictions\" in "
         "input_streams"},
        {"a port that the settings call for", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\nuse_masking = true",
         "e.toml:39:1: pipeline.nll_loss: input 'masks' reads stream 'masks', which nothing "
         "writes; streams of booleans: relational_masks and non_relational_masks; to read one "
         "of them write streams = { masks = \"...\" }"},
        {"masks that would be smoothed", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.resize]\ntype = \"Resize\"\nsize = [4, 4]\nelement = "
         "\"integer\"\nstreams = { inputs = \"targets\", outputs = \"small\" }",
         "e.toml:41:1: pipeline.resize: takes 4 dimensions as 'inputs', but stream 'targets' "
         "has 1\n    the task of [training] (SortOfCLEVR) writes [B] as 'targets'\n    "
         "'resize' (Resize) reads [B, channels, *, *] as 'inputs'\n"
         "e.toml:45:22: pipeline.resize: input 'inputs' takes floating numbers, but stream "
         "'targets' carries integers (written by the task of [training] (SortOfCLEVR)); streams of "
         "floating numbers: inputs, questions, feature_maps, features, predictions and "
         "loss\n    fix: set pipeline.resize.mode = \"nearest\""},
        {"two writers of a stream", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.second]\ntype = \"FeedForwardNetwork\"\nstreams = { inputs "
         "= \"features\" }\nglobals = { prediction_size = \"num_classes\" }",
         "e.toml:41:1: pipeline.second: output 'predictions' writes stream 'predictions', "
         "which 'classifier' (FeedForwardNetwork) writes already; write streams = { inputs = "
         "\"features\", predictions = \"second_predictions\" }"},
        {"a second loss of the same name", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.second]\ntype = \"NLLLoss\"",
         "e.toml:41:1: pipeline.second: output 'loss' writes stream 'loss', which 'nll_loss' "
         "(NLLLoss) writes already; write streams = { loss = \"second_loss\" }"},
        {"a component that overwrites the task", "streams = { inputs = \"features\" }",
         "streams = { inputs = \"features\", predictions = \"targets\" }",
         "e.toml:36:48: pipeline.classifier: output 'predictions' writes stream 'targets', "
         "which the task of [training] (SortOfCLEVR) writes already; write streams = { "
         "inputs = \"features\", predictions = \"classifier_predictions\" }"},
        {"a cycle", "streams = { inputs = \"feature_maps\", outputs = \"features\" }",
         "streams = { inputs = \"predictions\", outputs = \"features\" }",
         "e.toml:26:1: pipeline.reshape: cycle in the pipeline: reshape -> classifier -> reshape "
         "(stream 'features', stream 'predictions'); rename one of these"},
        {"a component that waits for itself", "streams = { inputs = \"features\" }",
         "streams = { inputs = \"features\", predictions = \"features\" }",
         "e.toml:36:48: pipeline.classifier: output 'predictions' writes stream 'features', "
         "which 'reshape' (ReshapeTensor) writes already; write streams = { inputs = "
         "\"features\", predictions = \"classifier_predictions\" }"},
        {"words for numbers", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\nstreams = { targets = \"labels\" }",
         "e.toml:41:23: pipeline.nll_loss: input 'targets' takes integers, but stream "
         "'labels' carries strings (written by the task of [training] (SortOfCLEVR)); streams "
         "of integers: targets and question_types"},
        {"a priority against the streams", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.second]\ntype = \"FeedForwardNetwork\"\npriority = "
         "2\nstreams = { inputs = \"features\", predictions = \"scores\" }\nglobals = { "
         "prediction_size = \"num_classes\" }\n[pipeline.second_loss]\ntype = "
         "\"NLLLoss\"\npriority = 1\nstreams = { predictions = \"scores\", loss = \"second_loss\" "
         "}",
         "e.toml:48:12: pipeline.second_loss: priority 1 puts it before 'second' with "
         "priority 2, but stream 'scores' comes from 'second'; leave the priorities out, or "
         "give it a higher one"},
        {"a global with a slip", "\"${classes}\"", "\"num_class\"",
         "e.toml:5:1: vars.classes: warning: never used\ne.toml:32:1: pipeline.classifier: "
         "reads global 'num_class', which nothing publishes; did you mean 'num_classes'? Then "
         "write globals = { prediction_size = \"num_classes\" }"},
        {"a global that resembles nothing", "\"${classes}\"", "\"answers\"",
         "e.toml:5:1: vars.classes: warning: never used\ne.toml:32:1: pipeline.classifier: "
         "reads global 'answers', which nothing publishes; published are feature_map_depth, "
         "feature_map_height, feature_map_width, image_depth, image_height, image_width, "
         "label_word_mappings, num_classes, output_size and question_size; write globals = { "
         "prediction_size = \"...\" }, or add a GlobalVariablePublisher"},
        {"the size of predictions, which is not given",
         "globals = { prediction_size = \"${classes}\" }", "",
         "e.toml:5:1: vars.classes: warning: never used\ne.toml:32:1: pipeline.classifier: "
         "reads global 'prediction_size', which nothing publishes; did you mean 'num_classes'? "
         "Then write globals = { prediction_size = \"num_classes\" }"},
        {"a component without that global", "globals = { prediction_size = \"${classes}\" }",
         "globals = { predictions_size = \"${classes}\" }",
         "e.toml:37:13: pipeline.classifier.globals.predictions_size: FeedForwardNetwork has "
         "no global of this name; did you mean 'prediction_size'?"},
        {"two publishers of a global", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.constants]\ntype = \"GlobalVariablePublisher\"\nkeys = "
         "[\"num_classes\"]\nvalues = [10]",
         "e.toml:41:1: pipeline.constants: publishes global 'num_classes', which the task of "
         "[training] (SortOfCLEVR) publishes already; write globals = { num_classes = "
         "\"constants_num_classes\" }"},
        {"a statistic named like ptp's own", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\nstatistics = { loss = \"learning_rate\" }",
         "e.toml:39:1: pipeline.nll_loss: statistic 'learning_rate' has the name of a column "
         "of ptp's own; write statistics = { loss = \"nll_loss_loss\" }"},
        {"two statistics of one name", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.again]\ntype = \"AccuracyStatistics\"",
         "e.toml:44:1: pipeline.accuracy: statistic 'accuracy' has the name of one of 'again' "
         "(AccuracyStatistics); write statistics = { accuracy = \"accuracy_accuracy\" }"},
        {"a statistic with a slip", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\nstatistics = { los = \"nll\" }",
         "e.toml:41:16: pipeline.nll_loss.statistics.los: NLLLoss has no statistic of this "
         "name; did you mean 'loss'?"},
        {"a shape that a setting says wrongly", "inputs = \"feature_maps\"", "inputs = \"inputs\"",
         "e.toml:26:1: pipeline.reshape: stream 'inputs' has another shape than 'inputs' "
         "takes\n    the task of [training] (SortOfCLEVR) writes [B, 3, image_height = 75, "
         "image_width = 75] as 'inputs'\n    'reshape' (ReshapeTensor) reads [*, 16, 7, 7] as "
         "'inputs'\n    16: pipeline.reshape.input_dims[1]\n    image_height = 75: published "
         "by the task of [training] (SortOfCLEVR)\n    7: pipeline.reshape.input_dims[2]\n    "
         "image_width = 75: published by the task of [training] (SortOfCLEVR)\n    7: "
         "pipeline.reshape.input_dims[3]\n    fix: set pipeline.reshape.input_dims = [-1, 3, "
         "75, 75] and pipeline.reshape.output_dims = [-1, 16875]"},
        {"images that are too small for the next component", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.lenet5]\ntype = \"vision_models/LeNet5\"\nglobals = { "
         "prediction_size = \"num_classes\" }\nstreams = { predictions = \"digits\" }",
         "e.toml:41:1: pipeline.lenet5: stream 'inputs' has another shape than 'inputs' takes\n    "
         "the task of [training] (SortOfCLEVR) writes [B, 3, image_height = 75, image_width = 75] "
         "as 'inputs'\n    'lenet5' (LeNet5) reads [B, 1, 32, 32] as 'inputs'\n    image_height = "
         "75: published by the task of [training] (SortOfCLEVR)\n    image_width = 75: published "
         "by the task of [training] (SortOfCLEVR)"},
        {"feature maps for a network of vectors", "streams = { inputs = \"features\" }",
         "streams = { inputs = \"feature_maps\" }",
         "e.toml:32:1: pipeline.classifier: takes 2 dimensions as 'inputs', but stream "
         "'feature_maps' has 4\n    'encoder' (ConvNetEncoder) writes [B, feature_map_depth = 16, "
         "feature_map_height = 7, feature_map_width = 7] as 'feature_maps'\n    'classifier' "
         "(FeedForwardNetwork) reads [B, input_size] as 'inputs'\n    fix: read what 'reshape' "
         "(ReshapeTensor) writes: streams = { inputs = \"features\" } in pipeline.classifier"},
        {"a size taken from the wrong global", "prediction_size = \"${classes}\"",
         "prediction_size = \"num_classes\", input_size = \"question_size\"",
         "e.toml:5:1: vars.classes: warning: never used\ne.toml:32:1: pipeline.classifier: "
         "stream 'features' has another shape than 'inputs' takes\n    'reshape' "
         "(ReshapeTensor) writes [*, 784] as 'outputs'\n    'classifier' (FeedForwardNetwork) "
         "reads [B, input_size = 11] as 'inputs'\n    784: pipeline.reshape.output_dims[1]\n  "
         "  input_size = 11: published by the task of [training] (SortOfCLEVR)\n    fix: "
         "write globals = { input_size = \"output_size\" } in pipeline.classifier"},
        {"sections of different sizes", "size = 1000", "image_size = 128",
         "e.toml:17:1: validation.task: publishes other sizes than another section:\n    "
         "image_height = 75, but it is 128 (published by the task of [training] "
         "(SortOfCLEVR))\n    image_width = 75, but it is 128 (published by the task of "
         "[training] (SortOfCLEVR))\n    fix: set validation.task.image_size = 128\n"
         "e.toml:26:1: pipeline.reshape: stream 'feature_maps' has another shape than 'inputs' "
         "takes\n    'encoder' (ConvNetEncoder) writes [B, feature_map_depth = 16, "
         "feature_map_height = 14, feature_map_width = 14] as 'feature_maps'\n    'reshape' "
         "(ReshapeTensor) reads [*, 16, 7, 7] as 'inputs'\n    feature_map_height = 14: published "
         "by 'encoder' (ConvNetEncoder)\n    7: pipeline.reshape.input_dims[2]\n    "
         "feature_map_width = 14: published by 'encoder' (ConvNetEncoder)\n    7: "
         "pipeline.reshape.input_dims[3]\n    fix: set pipeline.reshape.input_dims = [-1, 16, 14, "
         "14] and pipeline.reshape.output_dims = [-1, 3136]"},
        {"a reshaping of the wrong size", "output_dims = [-1, 784]", "output_dims = [-1, 28, 28]",
         "e.toml:32:1: pipeline.classifier: takes 2 dimensions as 'inputs', but stream "
         "'features' has 3\n    'reshape' (ReshapeTensor) writes [*, 28, 28] as "
         "'outputs'\n    'classifier' (FeedForwardNetwork) reads [B, input_size] as "
         "'inputs'\n    fix: insert a Flatten before pipeline.classifier"},
        {"a stream of labels that the task does not write", "[training.task]",
         "[training.sampler]\ntype = \"ClassBalancedSampler\"\nlabel_stream = "
         "\"target\"\n[training.task]",
         "e.toml:12:1: training.sampler.label_stream = \"target\": neither the task of [training] "
         "(SortOfCLEVR) nor a transform behind it that treats each sample by itself has a stream of this name with an "
         "integer or a string for each sample; did you mean 'targets'?\n    fix: set training.sampler.label_stream = \"targets\""},
        {"a judge that is not measured", "[training.task]",
         "[training.judge]\nstatistic = \"acuracy\"\nbetter = \"larger\"\n[training.task]",
         "e.toml:13:13: training.judge.statistic = \"acuracy\": [validation] has no statistic of "
         "this name; did you mean 'accuracy'?\n    fix: write statistic = \"accuracy\""},
        {"a judge by an abbreviation", "[training.task]",
         "[training.judge]\nstatistic = \"acc\"\n[training.task]",
         "e.toml:13:13: training.judge.statistic = \"acc\": [validation] has no statistic of this "
         "name; did you mean 'accuracy'?\n"
         "    fix: write statistic = \"accuracy\" and better = \"larger\""},
        {"a judge by the beginning of a name", "[training.task]",
         "[training.judge]\nstatistic = \"accu\"\nbetter = \"larger\"\n[training.task]",
         "e.toml:13:13: training.judge.statistic = \"accu\": [validation] has no statistic of this "
         "name; did you mean 'accuracy'?\n    fix: write statistic = \"accuracy\""},
        {"a judge with two mistakes", "[training.task]",
         "[training.judge]\nstatistic = \"acuracy\"\nbetter = \"bigger\"\n[training.task]",
         "e.toml:13:13: training.judge.statistic = \"acuracy\": [validation] has no statistic of "
         "this name; did you mean 'accuracy'?\n    fix: write statistic = \"accuracy\" and better "
         "= \"larger\"\n"
         "e.toml:14:10: training.judge.better = \"bigger\": must be one of smaller, larger"},
        {"weights that the task does not state", "[training.task]",
         "[training.sampler]\ntype = \"WeightedRandomSampler\"\nweights = "
         "\"task\"\n[training.task]",
         "e.toml:14:11: training.sampler.weights = \"task\": the task of [training] (SortOfCLEVR) "
         "states neither weights nor classes of its samples"},
        {"labels that the task does not state", "[training.task]",
         "[training.sampler]\ntype = \"ClassBalancedSampler\"\nlabels = \"task\"\n[training.task]",
         "e.toml:14:10: training.sampler.labels = \"task\": the task of [training] (SortOfCLEVR) "
         "states neither weights nor classes of its samples"},
        {"labels that are images", "[training.task]",
         "[training.sampler]\ntype = \"ClassBalancedSampler\"\nlabel_stream = "
         "\"inputs\"\n[training.task]",
         "e.toml:12:1: training.sampler.label_stream = \"inputs\": neither the task of [training] "
         "(SortOfCLEVR) nor a transform behind it that treats each sample by itself has a stream of this name with an "
         "integer or a string for each sample; known: targets, labels, question_types\n    fix: set "
         "training.sampler.label_stream = \"targets\""},
        {"lengths of a component that is not a transform of samples", "[training.task]",
         "[training.sampler]\ntype = \"LengthGroupedSampler\"\nlength_stream = "
         "\"feature_maps\"\n[training.task]",
         "e.toml:12:1: training.sampler.length_stream = \"feature_maps\": is written by 'encoder' "
         "(ConvNetEncoder), which is not a transform that treats each sample by itself; known: "
         "targets, question_types"},
        {"lengths that nothing writes", "[training.task]",
         "[training.sampler]\ntype = \"LengthGroupedSampler\"\n[training.task]",
         "e.toml:12:1: training.sampler.length_stream = \"lengths\": neither the task of "
         "[training] (SortOfCLEVR) nor a transform behind it that treats each sample by itself has a stream of this name "
         "with an integer for each sample; known: targets, question_types"},
        {"a reshaping that loses values", "output_dims = [-1, 784]", "output_dims = [-1, 100]",
         "e.toml:26:1: pipeline.reshape: the values of 'inputs' do not fit into 'outputs'\n    "
         "'inputs' is [B, 16, 7, 7]: 784 values, times what is not known\n    'outputs' is [*, "
         "100]: 100 values, times what is not known\n    fix: set pipeline.reshape.output_dims = "
         "[-1, 784]"},
        {"a value for several globals", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.sizes]\ntype = \"GlobalVariablePublisher\"\nkeys = "
         "[\"a\", \"b\"]\nvalues = 7",
         "e.toml:44:10: pipeline.sizes.values = 7: must be a list of 2, one value for each of "
         "keys, not of 1"},
        {"images of another shape in a list of streams", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.crop]\ntype = \"RandomCrop\"\npadding = 2\nmore_streams = "
         "[\"questions\"]\nmore_outputs = [\"more_crops\"]\nstreams = { outputs = \"crops\" }",
         "e.toml:41:1: pipeline.crop: takes 4 dimensions as 'more_streams[0]', but stream "
         "'questions' has 2\n    the task of [training] (SortOfCLEVR) writes [B, "
         "question_size = 11] as 'questions'\n    'crop' (RandomCrop) reads [B, *, height = 75, "
         "width = 75] as 'more_streams[0]'\n    fix: stream 'inputs' has this shape: name it "
         "\"inputs\" in pipeline.crop.more_streams"},
        {"a global whose name is listed twice, and one without", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.sizes]\ntype = \"GlobalVariablePublisher\"\nkeys = "
         "[\"a\", \"a\", \"\"]\nvalues = [7, 8, 9]",
         "e.toml:43:14: pipeline.sizes.keys[1] = \"a\": is listed twice\ne.toml:43:19: "
         "pipeline.sizes.keys[2] = \"\": must not be empty"},
        {"a size that is a text", "globals = { prediction_size = \"${classes}\" }",
         "globals = { prediction_size = \"answers\" }\n[pipeline.sizes]\ntype = "
         "\"GlobalVariablePublisher\"\nkeys = [\"answers\"]\nvalues = [\"ten\"]",
         "e.toml:5:1: vars.classes: warning: never used\ne.toml:41:11: pipeline.sizes.values[0] = "
         "\"ten\": must be an integer in [1, inf), because 'classifier' (FeedForwardNetwork) has "
         "the global 'answers' as the size 'prediction_size'"},
        {"a size that is 0", "globals = { prediction_size = \"${classes}\" }",
         "globals = { prediction_size = \"answers\" }\n[pipeline.sizes]\ntype = "
         "\"GlobalVariablePublisher\"\nkeys = \"answers\"\nvalues = 0",
         "e.toml:5:1: vars.classes: warning: never used\ne.toml:41:10: pipeline.sizes.values = 0: "
         "must be an integer in [1, inf), because 'classifier' (FeedForwardNetwork) has the "
         "global 'answers' as the size 'prediction_size'"},
        {"a missing stream beside a wrong setting",
         "dropout_rate = 0.5\nstreams = { inputs = \"features\" }",
         "dropout_rate = 5\nstreams = { inputs = \"feature\" }",
         "e.toml:35:16: pipeline.classifier.dropout_rate = 5: must be in [0, 1)\ne.toml:36:22: "
         "pipeline.classifier: input 'inputs' reads stream 'feature', which nothing writes; did "
         "you mean 'features'? Then write streams = { inputs = \"features\" }"},
        {"a missing stream beside another component's wrong setting", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\nstreams = { targets = \"target\" }\n[pipeline.size]\ntype = "
         "\"GlobalVariablePublisher\"\nkeys = 3\nvalues = 7",
         "e.toml:41:23: pipeline.nll_loss: input 'targets' reads stream 'target', which nothing "
         "writes; did you mean 'targets'? Then leave 'targets' out of its streams\ne.toml:44:8: "
         "pipeline.size.keys = 3: must be a string or a list of strings, not an integer"},
        {"nothing to minimize", "type = \"NLLLoss\"", "type = \"BatchSizeStatistics\"",
         "e.toml:22:1: pipeline: has no loss, so there is nothing to train; add one, such as "
         "CrossEntropyLoss"},
        {"nothing to minimize but what is disabled", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\nenabled = false",
         "e.toml:39:1: pipeline.nll_loss: is disabled, and there is no other loss, so there is "
         "nothing to train\n    fix: write enabled = true"},
        {"nothing to minimize but what a list disables", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline]\ndisable = [\"nll_loss\"]",
         "e.toml:39:1: pipeline.nll_loss: is disabled, and there is no other loss, so there is "
         "nothing to train\n    fix: remove \"nll_loss\" from pipeline.disable"},
        {"metrics among the settings of a loss", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\nmetrics = [\"accuracy\", \"precision\", \"recall\"]",
         "e.toml:41:1: pipeline.nll_loss.metrics: unknown setting; a statistic is a component of "
         "its own\n"
         "    fix: leave it out: pipeline.accuracy is of the type AccuracyStatistics\n"
         "         remove it, and write precision = { type = \"PrecisionRecallStatistics\" } below a "
         "new line [pipeline]"},
        {"two independent mistakes", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\nstreams = { targets = \"target\", predictions = \"features\" "
         "}\n[pipeline.viewer]\ntype = \"StreamViewer\"\ninput_streams = \"label\"",
         "e.toml:41:23: pipeline.nll_loss: input 'targets' reads stream 'target', which nothing "
         "writes; did you mean 'targets'? Then leave 'targets' out of its streams\ne.toml:44:17: "
         "pipeline.viewer: input 'input_streams[0]' reads stream 'label', which nothing writes; "
         "did you mean 'labels'? Then name it \"labels\" in input_streams"},
    };
    ptp::test::check_all(experiments);
}

TEST_CASE("wrong pipelines: what is to be recorded as images must be a stream of images") {
    const ptp::test::WrongExperiment experiments[] = {
        {"a stream with a slip", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[records.tensorboard]\nimages = [\"input\"]",
         "e.toml:42:11: records.tensorboard.images = \"input\": unknown stream; did you "
         "mean 'inputs'?"},
        {"a stream of numbers", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[records.tensorboard]\nimages = [\"inputs\", \"targets\"]",
         "e.toml:42:21: records.tensorboard.images = \"targets\": images are [B, 1 or 3, height, "
         "width], float or byte; this stream is [B], integer"},
        {"maps of many channels", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[records.tensorboard]\nimages = [\"feature_maps\"]",
         "e.toml:42:11: records.tensorboard.images = \"feature_maps\": images are [B, 1 or 3, "
         "height, width], float or byte; this stream is [B, feature_map_depth = 16, "
         "feature_map_height = 7, feature_map_width = 7], float"},
    };
    ptp::test::check_all(experiments);
}

}  // namespace wrong_pipelines_test
