// Fixes of what other programs and languages write, typed to the letter.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace typed_words_test {

using namespace ptp::test;

TEST_CASE("typed words: what other languages write is reported with all else that is wrong") {
    const std::string text = replaced(
        replaced(good_experiment(), "conv1 = { kernel_size = 5 }",
                 "conv1 = { kernel = (5, 5) } // wide"),
        "hidden_sizes = [128]", "hidden_sizes = (8, 8)\ndropout = 0.1\nuse_logsoftmax = False");
    CHECK(
        problems_of(text) ==
        "e.toml:24:11: pipeline.encoder.conv1.kernel: unknown setting; known: out_channels, "
        "kernel_size, stride, padding\n"
        "e.toml:24:20: not valid TOML: a list is in [ ], not in ( )\n"
        "    fix: write [5, 5]\n"
        "e.toml:24:29: not valid TOML: a comment begins with #\n"
        "    fix: write # in place of //\n"
        "e.toml:34:16: not valid TOML: a list is in [ ], not in ( )\n"
        "    fix: write [8, 8]\n"
        "e.toml:35:1: pipeline.classifier.dropout: unknown setting; did you mean 'dropout_rate'?\n"
        "    fix: remove it, and write pipeline.classifier.dropout_rate = 0.1 at e.toml:37:16\n"
        "e.toml:36:18: not valid TOML: not a TOML value; a string needs quotes, booleans are true "
        "and false\n"
        "    fix: write false");
}

TEST_CASE("typed words: what Python, JSON5 and C write has the form of TOML") {
    const Mistake mistakes[] = {
        {"a tuple of Python", "hidden_sizes = [128]", "hidden_sizes = (8, 8)",
         "e.toml:34:16: not valid TOML: a list is in [ ], not in ( )\n"
         "    fix: write [8, 8]",
         "(8, 8)", "[8, 8]"},
        {"a table in braces on several lines", "conv1 = { kernel_size = 5 }",
         "conv1 = {\n"
         "  kernel_size = 5,  # wide\n"
         "  stride = 1,\n"
         "}",
         "e.toml:24:10: not valid TOML: a table in braces is on one line\n"
         "    fix: write conv1 = { kernel_size = 5, stride = 1 }",
         "conv1 = {\n"
         "  kernel_size = 5,  # wide\n"
         "  stride = 1,\n"
         "}",
         "conv1 = { kernel_size = 5, stride = 1 }"},
        {"a comment of C", "seed = 1", "seed = 1 // as always",
         "e.toml:2:10: not valid TOML: a comment begins with #\n"
         "    fix: write # in place of //",
         "//", "#"},
        {"a line that is a comment of C", "seed = 1",
         "// as always\n"
         "seed = 1",
         "e.toml:2:1: not valid TOML: a comment begins with #\n"
         "    fix: write # in place of //",
         "//", "#"},
        {"a line that is a comment of INI", "seed = 1",
         "; as always\n"
         "seed = 1",
         "e.toml:2:1: not valid TOML: a comment begins with #\n"
         "    fix: write # in place of ;",
         "; as", "# as"},
        {"a semicolon", "seed = 1", "seed = 1;",
         "e.toml:2:9: not valid TOML: a value ends with its line\n"
         "    fix: remove the ;",
         "1;", "1"},
    };
    for (const Mistake& mistake : mistakes) {
        check_typed(mistake);
    }
    // A table too long for one line.
    CHECK(problems_of("[a]\nb = {\n  c = \"" + std::string(100, 'x') + "\"\n}\n") ==
          "e.toml:2:6: not valid TOML: a table in braces is on one line\n"
          "    fix: write it on one line, or its keys below a line [TABLE]");
    CHECK(problems_of("/* one\ntwo */\n") ==
          "e.toml:1:1: not valid TOML: a comment begins with #\n"
          "    fix: write # before each line of it, without /* and */");
}

TEST_CASE("typed words: a list of equal numbers is one where a setting takes a single one") {
    const std::string pair = replaced(good_experiment(), "kernel_size = 5", "kernel_size = [5, 5]");
    CHECK(problems_of(pair) ==
          "e.toml:24:25: pipeline.encoder.conv1.kernel_size = [5, 5]: must be an integer in "
          "[1, inf), not a list\n    fix: write 5");
    CHECK(problems_of(replaced(pair, "[5, 5]", "5")) == "");
}

TEST_CASE("typed words: keys of other programs go where they are here, with their values") {
    const Mistake mistakes[] = {
        {"a callback", "[training.task]",
         "[callbacks]\n"
         "early_stopping = 3\n"
         "[training.task]",
         "e.toml:12:2: callbacks: unknown key; did you mean 'training.terminal_conditions'?\n"
         "    fix: remove [callbacks]; write terminal_conditions = { epoch_limit = 2, early_stop_validations = 3 }, at e.toml:9:1",
         "terminal_conditions = { epoch_limit = 2 }\n"
         "dataloader = { num_workers = 2 }\n"
         "\n"
         "[callbacks]\n"
         "early_stopping = 3\n",
         "terminal_conditions = { epoch_limit = 2, early_stop_validations = 3 }\n"
         "dataloader = { num_workers = 2 }\n"
         "\n"},
        {"a callback with options", "dataloader = { num_workers = 2 }",
         "[callbacks.early_stopping]\n"
         "monitor = \"val_loss\"\n"
         "patience = 3",
         "e.toml:10:2: callbacks: unknown key; did you mean 'training.terminal_conditions'?\n"
         "    fix: remove [callbacks]; write judge = { statistic = \"loss\", better = \"smaller\" } in the table training, at e.toml:7:1; write terminal_conditions = { epoch_limit = 2, early_stop_validations = 3 }, at e.toml:9:1",
         "terminal_conditions = { epoch_limit = 2 }\n"
         "[callbacks.early_stopping]\n"
         "monitor = \"val_loss\"\n"
         "patience = 3",
         "judge = { statistic = \"loss\", better = \"smaller\" }\n"
         "terminal_conditions = { epoch_limit = 2, early_stop_validations = 3 }"},
        {"a switch", "terminal_conditions",
         "early_stopping = true\n"
         "terminal_conditions",
         "e.toml:9:1: training.early_stopping: unknown key\n"
         "    fix: write terminal_conditions = { epoch_limit = 2, early_stop_validations = 5 }, at e.toml:10:1",
         "early_stopping = true\n"
         "terminal_conditions = { epoch_limit = 2 }",
         "terminal_conditions = { epoch_limit = 2, early_stop_validations = 5 }"},
        {"a table of the data",
         "batch_size = 64\n"
         "size = 1000",
         "size = 1000\n"
         "[data]\n"
         "batch_size = 64",
         "e.toml:12:1: training.task.batch_size: required, but missing: an integer in [1, inf) (samples in a batch)\n"
         "    fix: write batch_size = 64\n"
         "e.toml:15:2: data: unknown key; did you mean 'training.task'?\n"
         "    fix: remove [data]; write batch_size = 64 in the table training.task, at e.toml:12:1",
         "size = 1000\n"
         "[data]\n"
         "batch_size = 64",
         "batch_size = 64\n"
         "size = 1000"},
        {"a table of the data beside the right one", "[training.task]",
         "[data]\n"
         "batch_size = 64\n"
         "[training.task]",
         "e.toml:12:2: data: unknown key; did you mean 'training.task'?\n"
         "    fix: remove [data]; training.task.batch_size is at e.toml:16:14",
         "[data]\n"
         "batch_size = 64\n",
         ""},
        {"loader threads of a task",
         "dataloader = { num_workers = 2 }\n"
         "\n"
         "[training.task]",
         "\n"
         "[training.task]\n"
         "num_workers = 2",
         "e.toml:12:1: training.task.num_workers: unknown setting; did you mean 'training.dataloader.num_workers'?\n"
         "    fix: write dataloader.num_workers = 2 in the table training, at e.toml:7:1",
         "[training]\n"
         "optimizer = { type = \"Adam\", lr = 0.001 }\n"
         "terminal_conditions = { epoch_limit = 2 }\n"
         "\n"
         "[training.task]\n"
         "num_workers = 2",
         "[training]\n"
         "dataloader.num_workers = 2\n"
         "optimizer = { type = \"Adam\", lr = 0.001 }\n"
         "terminal_conditions = { epoch_limit = 2 }\n"
         "\n"
         "[training.task]"},
        {"what a scheduler monitors", "terminal_conditions",
         "scheduler = { type = \"ReduceLROnPlateau\", monitor = \"val_loss\" }\n"
         "terminal_conditions",
         "e.toml:9:43: training.scheduler.monitor: unknown key\n"
         "    fix: write judge = { statistic = \"loss\", better = \"smaller\" } in the table training, at e.toml:7:1",
         "scheduler = { type = \"ReduceLROnPlateau\", monitor = \"val_loss\" }",
         "judge = { statistic = \"loss\", better = \"smaller\" }\n"
         "scheduler = { type = \"ReduceLROnPlateau\" }"},
        {"the direction of a scheduler", "terminal_conditions",
         "scheduler = { type = \"ReduceLROnPlateau\", mode = \"min\" }\n"
         "terminal_conditions",
         "e.toml:9:43: training.scheduler.mode: ReduceLROnPlateau has no option 'mode' (CyclicLR has)\n"
         "    fix: leave it out: training.judge decides it",
         ", mode = \"min\"", ""},
        {"the direction of a judge", "terminal_conditions",
         "judge = { statistic = \"loss\", mode = \"min\" }\n"
         "terminal_conditions",
         "e.toml:9:31: training.judge.mode: unknown key\n"
         "    fix: write better = \"smaller\"",
         "mode = \"min\"", "better = \"smaller\""},
        {"a judge with a metric", "terminal_conditions",
         "judge = { metric = \"val_loss\", better = \"smaller\" }\n"
         "terminal_conditions",
         "e.toml:9:11: training.judge.metric: unknown key\n"
         "    fix: write statistic = \"loss\"",
         "metric = \"val_loss\"", "statistic = \"loss\""},
        {"a scheduler of Lightning", "terminal_conditions",
         "lr_scheduler = { type = \"StepLR\", step_size = 1 }\n"
         "terminal_conditions",
         "e.toml:9:1: training.lr_scheduler: unknown key; did you mean 'scheduler'?\n"
         "    fix: write scheduler in place of lr_scheduler",
         "lr_scheduler", "scheduler"},
        {"a scheduler among the options of an optimizer", "lr = 0.001 }",
         "lr = 0.001, lr_scheduler = \"cosine\" }",
         "e.toml:8:42: training.optimizer.lr_scheduler: unknown key\n"
         "    fix: write scheduler = { type = \"CosineAnnealingLR\" } in the table training, at e.toml:7:1",
         ", lr_scheduler = \"cosine\" }",
         " }\n"
         "scheduler = { type = \"CosineAnnealingLR\" }"},
        {"a scheduler of another name with the options of PyTorch's", "terminal_conditions",
         "scheduler = { type = \"cosine\", T_max = 2, eta_min = 1e-4 }\n"
         "terminal_conditions",
         "e.toml:9:22: training.scheduler.type = \"cosine\": unknown type\n"
         "    fix: write scheduler = { type = \"CosineAnnealingLR\", T_max = 2, eta_min = 0.0001 }",
         "scheduler = { type = \"cosine\", T_max = 2, eta_min = 1e-4 }",
         "scheduler = { type = \"CosineAnnealingLR\", T_max = 2, eta_min = 0.0001 }"},
        {"the same on lines of its own", "[training.task]",
         "[training.scheduler]\n"
         "type = \"cosine\"\n"
         "T_max = 2\n"
         "[training.task]",
         "e.toml:13:8: training.scheduler.type = \"cosine\": unknown type\n"
         "    fix: write type = \"CosineAnnealingLR\"",
         "\"cosine\"", "\"CosineAnnealingLR\""},
        {"a length of another schedule", "terminal_conditions",
         "scheduler = { type = \"CosineAnnealingWarmRestarts\", T_0 = 5, T_max = 5 }\n"
         "terminal_conditions",
         "e.toml:9:62: training.scheduler.T_max: CosineAnnealingWarmRestarts has no option 'T_max' (CosineAnnealingLR has)",
         ", T_max = 5", ""},
        {"a hidden size", "hidden_sizes = [128]", "hidden_dim = 128",
         "e.toml:34:1: pipeline.classifier.hidden_dim: unknown setting; did you mean 'hidden_sizes'?\n"
         "    fix: write hidden_sizes = 128",
         "hidden_dim = 128", "hidden_sizes = 128"},
        {"a hidden size beside the list of them", "dropout_rate = 0.5", "hidden_dim = 128",
         "e.toml:35:1: pipeline.classifier.hidden_dim: unknown setting; did you mean 'hidden_sizes'?\n"
         "    fix: remove it: pipeline.classifier.hidden_sizes is at e.toml:34:16",
         "hidden_dim = 128\n", ""},
        {"a number of outputs beside the global", "hidden_sizes = [128]", "output_size = 10",
         "e.toml:34:1: pipeline.classifier.output_size: unknown setting; did you mean the global 'prediction_size'?\n"
         "    fix: remove it: pipeline.classifier.globals.prediction_size is at e.toml:37:31",
         "output_size = 10\n", ""},
    };
    for (const Mistake& mistake : mistakes) {
        check_typed(mistake);
    }
}

TEST_CASE("typed words: balanced weights of classes are a sampler") {
    for (const std::string name : {"class_weight", "class_weights"}) {
        const std::string line = name + " = \"balanced\"\n";
        const std::string text =
            replaced(good_experiment(), "type = \"NLLLoss\"\n", "type = \"NLLLoss\"\n" + line);
        const std::string sampler = "sampler = { type = \"ClassBalancedSampler\" }";
        const std::string said = problems_of(text);
        CHECK(
            said.ends_with("\"balanced\" is no value here; there is 'training.sampler'\n"
                           "    fix: leave it out, and write " +
                           sampler + " in the table training, at e.toml:7:1"));
        const std::string drawn = replaced(text, "[training]\n", "[training]\n" + sampler + "\n");
        CHECK(problems_of(replaced(drawn, line, "")) == "");
        CHECK(
            problems_of(drawn).ends_with("\n    fix: remove it: training.sampler is at "
                                         "e.toml:8:11"));
    }
}

TEST_CASE("typed words: a size that is a global here is written as one, beside the others") {
    const std::string text = replaced(good_experiment(), "dropout_rate = 0.5", "input_size = 784");
    CHECK(problems_of(text) ==
          "e.toml:35:1: pipeline.classifier.input_size: is a global, not a setting\n"
          "    fix: write globals = { prediction_size = \"num_classes\", input_size = 784 }, at "
          "e.toml:37:1");
    const std::string classes = "globals = { prediction_size = \"${classes}\" }";
    const std::string number = replaced(good_experiment(), classes, "num_classes = 10");
    CHECK(problems_of(number).ends_with(
        "pipeline.classifier.num_classes: unknown setting; did you mean the global "
        "'prediction_size'?\n    fix: write globals.prediction_size = 10"));
    // The variable that nothing uses then.
    CHECK(problems_of(replaced(number, "num_classes =", "globals.prediction_size =")) ==
          "e.toml:5:1: vars.classes: warning: never used");
}

TEST_CASE("typed words: a component of another framework is found by what it is for") {
    struct Case {
        const char* foreign;
        const char* here;
    };
    const Case cases[] = {{"Accuracy", "AccuracyStatistics"},
                          {"MulticlassAccuracy", "AccuracyStatistics"},
                          {"F1Score", "MultiLabelStatistics' or 'PrecisionRecallStatistics"},
                          {"ConfusionMatrix", "PrecisionRecallStatistics"},
                          {"AUROC", "ROCStatistics"},
                          {"MeanSquaredError", "MSELoss' or 'RegressionStatistics"},
                          {"BagOfWords", "BOWEncoder"},
                          {"KLDivLoss", "SoftCrossEntropyLoss"},
                          {"RNN", "GRU', 'LSTM' or 'RecurrentNeuralNetwork"},
                          {"SparseCategoricalCrossentropy",
                           "CrossEntropyLoss', 'BCEWithLogitsLoss' or 'SoftCrossEntropyLoss"}};
    for (const Case& c : cases) {
        const std::string foreign = c.foreign;
        CAPTURE(foreign);
        const std::string text =
            replaced(good_experiment(), "\"AccuracyStatistics\"", "\"" + foreign + "\"");
        CHECK(problems_of(text) == "e.toml:43:8: pipeline.accuracy.type = \"" + foreign +
                                       "\": no plugin has such a component; did you mean '" +
                                       c.here + "'?");
    }
    CHECK(problems_of(replaced(good_experiment(), "\"SortOfCLEVR\"", "\"TabularDataset\""))
              .find("no plugin has such a task; did you mean 'Table'?") != std::string::npos);
    const char* const heads = "layers = [{ type = \"MultiheadAttention\", nhead = 2 }]";
    CHECK(problems_of(ptp::test::experiment_of_layers(heads))
              .find("fix: write num_heads = 2 in place of nhead") != std::string::npos);
    // MSELoss has fewer letters that differ.
    CHECK(
        problems_of(replaced(good_experiment(), "\"NLLLoss\"", "\"BCELoss\"")) ==
        "e.toml:40:8: pipeline.nll_loss.type = \"BCELoss\": no plugin has such a component; did you "
        "mean 'BCEWithLogitsLoss'?");
    for (const std::string foreign : {"Accuracy", "F1Score", "ConfusionMatrix"}) {
        const std::string here = foreign == "Accuracy" ? "Accuracy" : "PrecisionRecall";
        CHECK(problems_of(replaced(good_experiment(), "\"AccuracyStatistics\"",
                                   "\"" + here + "Statistics\"")) == "");
    }
}

TEST_CASE("typed words: a name with one word of another is no slip of that") {
    const WrongExperiment hinge[] = {
        {"a loss that is not here", "\"NLLLoss\"", "\"HingeLoss\"",
         "e.toml:40:8: pipeline.nll_loss.type = \"HingeLoss\": no plugin has such a component; "
         "most alike: DiceLoss, MSELoss, L1Loss\n    searched: $PLUGINS\n"
         "    fix: $FIND_PLUGINS"}};
    check_all(hinge);
}

TEST_CASE("typed words: names of pandas and scikit-learn in the task of a table") {
    const std::string task =
        "type = \"Table\"\nbatch_size = 64\nfile = \"t.csv\"\nfeatures = \"a\"\nlabel = \"k\"\n";
    const auto said = [&](const std::string& line) {
        return problems_of(
            replaced(good_experiment(), "type = \"SortOfCLEVR\"\nbatch_size = 64\nsize = 1000\n",
                     task + line + "\n"),
            ptp::pipeline::NeededFiles::kIgnored);
    };
    const std::string split = "split = { shares = [0.8, 0.2], ";
    CHECK(said("sep = \";\"") ==
          "e.toml:18:1: training.task.sep: unknown setting; did you mean 'separator'?\n"
          "    fix: write separator = \"semicolon\"");
    CHECK(said(split + "random_state = 1 }") ==
          "e.toml:18:32: training.task.split.random_state: unknown setting; did you mean 'seed'?\n"
          "    fix: write seed = 1");
    CHECK(said(split + "stratify = true }") ==
          "e.toml:18:43: training.task.split.stratify = true: must be a string, not a boolean "
          "(Column whose values have the same shares in each part)");
    CHECK(said("missing = \"median\"") ==
          "e.toml:18:11: training.task.missing = \"median\": must be one of error, mean, zero, "
          "most_frequent, drop");
}

TEST_CASE("typed words: callbacks in a list are keys of terminal_conditions") {
    CHECK(problems_of(
              replaced(good_experiment(), "seed = 1",
                       "seed = 1\ncallbacks = [{ type = \"EarlyStopping\", patience = 3 }]")) ==
          "e.toml:3:1: callbacks: unknown key\n"
          "    fix: remove callbacks; write terminal_conditions = { epoch_limit = 2, "
          "early_stop_validations = 3 }, at e.toml:10:1");
}

TEST_CASE("typed words: a global is written without the signs of a variable") {
    const std::string text = replaced(good_experiment(), "\"${classes}\"", "\"${num_classes}\"");
    CHECK(problems_of(text).find(
              "e.toml:37:31: pipeline.classifier.globals.prediction_size = \"${num_classes}\": "
              "unknown variable 'num_classes'; known: classes\n"
              "    fix: write \"num_classes\", without ${}, if a global is meant") !=
          std::string::npos);
}

TEST_CASE("typed words: the highest rate of OneCycleLR is that of the optimizer") {
    CHECK(problems_of(replaced(good_experiment(), "terminal_conditions",
                               "scheduler = { type = \"OneCycleLR\", max_lr = 0.1 }\n"
                               "terminal_conditions")) ==
          "e.toml:9:45: training.scheduler.max_lr = 0.1: unknown key: the rate rises to the "
          "optimizer's lr, which is 0.001\n"
          "    fix: write lr = 0.1 in training.optimizer, and leave out max_lr");
}

}  // namespace typed_words_test
