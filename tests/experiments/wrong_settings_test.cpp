#include "experiments/support.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace wrong_settings_test {

TEST_CASE("wrong settings: settings and types: each mistake is reported to the letter") {
    const ptp::test::WrongExperiment experiments[] = {
        {"a setting with a slip", "dropout_rate", "dropuot_rate",
         "e.toml:35:1: pipeline.classifier.dropuot_rate: unknown setting; did you mean "
         "'dropout_rate'?"},
        {"a slip, with a value of another form", "dropout_rate = 0.5", "dropuot_rate = [0.5]",
         "e.toml:35:1: pipeline.classifier.dropuot_rate: unknown setting; there is 'dropout_rate', "
         "which must be a real in [0, 1)\n    fix: write dropout_rate = 0.5"},
        {"a reserved key with a slip", "streams = { inputs = \"features\" }",
         "steams = { inputs = \"features\" }",
         "e.toml:36:1: pipeline.classifier.steams: unknown setting; did you mean 'streams'?"},
        {"a setting that resembles nothing", "hidden_sizes = [128]", "color = 3",
         "e.toml:34:1: pipeline.classifier.color: unknown setting; known: hidden_sizes, "
         "dropout_rate, use_logsoftmax, dimensions"},
        {"a number that is text", "dropout_rate = 0.5", "dropout_rate = \"0.5\"",
         "e.toml:35:16: pipeline.classifier.dropout_rate = \"0.5\": must be a real in [0, 1), "
         "not a string\n    fix: remove the quotes: 0.5"},
        {"a number out of its range", "dropout_rate = 0.5", "dropout_rate = 1.0",
         "e.toml:35:16: pipeline.classifier.dropout_rate = 1.0: must be in [0, 1)"},
        {"nan", "dropout_rate = 0.5", "dropout_rate = nan",
         "e.toml:35:16: pipeline.classifier.dropout_rate = nan: must be in [0, 1)"},
        {"infinity", "dropout_rate = 0.5", "dropout_rate = inf",
         "e.toml:35:16: pipeline.classifier.dropout_rate = inf: must be in [0, 1)"},
        {"a real for an integer", "hidden_sizes = [128]", "hidden_sizes = [128.5]",
         "e.toml:34:17: pipeline.classifier.hidden_sizes[0] = 128.5: must be an integer in "
         "[1, inf), not a real"},
        {"an element out of its range", "hidden_sizes = [128]", "hidden_sizes = [128, 0]",
         "e.toml:34:22: pipeline.classifier.hidden_sizes[1] = 0: must be in [1, inf)"},
        {"a list for a boolean", "hidden_sizes = [128]", "use_logsoftmax = [true]",
         "e.toml:34:18: pipeline.classifier.use_logsoftmax = [true]: must be a boolean, not a "
         "list\n    fix: write true"},
        {"a word that is not a choice", "size = 1000", "question_kind = \"relative\"",
         "e.toml:15:17: training.task.question_kind = \"relative\": must be one of all, "
         "relational, non_relational"},
        {"a required setting that is missing", "output_dims = [-1, 784]\n", "",
         "e.toml:26:1: pipeline.reshape.output_dims: required, but missing: a list of integers "
         "in [-1, inf) (Shape of the output; -1 follows from the other sizes)"},
        {"a list that is too short", "output_dims = [-1, 784]", "output_dims = []",
         "e.toml:29:15: pipeline.reshape.output_dims = []: must have at least 1 item, has 0"},
        {"a key of a table with a slip", "kernel_size = 5", "kernel_siz = 5",
         "e.toml:24:11: pipeline.encoder.conv1.kernel_siz: unknown setting; did you mean "
         "'kernel_size'?"},
        {"a table's number out of its range", "kernel_size = 5", "kernel_size = 0",
         "e.toml:24:25: pipeline.encoder.conv1.kernel_size = 0: must be in [1, inf)"},
        {"a number for a table", "conv1 = { kernel_size = 5 }", "conv1 = 5",
         "e.toml:24:9: pipeline.encoder.conv1 = 5: must be a table, not an integer"},
        {"somebody else's home", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[test.task]\ntype = \"MNIST\"\nbatch_size = 1\ndata_folder = "
         "\"~bob/data\"",
         "e.toml:44:15: test.task.data_folder = \"~bob/data\": '~' is not known here: use an "
         "absolute path"},
        {"a name in place of the mean and the deviation of pixels", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[test.task]\ntype = \"ImageFolder\"\nbatch_size = 1\ndata_folder = "
         "\"/\"\nresize_image = [75, 75]\nnormalize = { by = \"imagenet\" }",
         "e.toml:46:13: test.task.normalize = { by = \"imagenet\" }: has no 'by' here, but mean and "
         "std\n    fix: write normalize = { mean = [0.485, 0.456, 0.406], std = [0.229, 0.224, "
         "0.225] }"},
        {"the mean and the deviation of pixels from 0 to 255", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[test.task]\ntype = \"MNIST\"\nbatch_size = 1\n"
         "normalize = { mean = 33.3, std = 78.6 }\ndata_folder = \"/\"",
         "e.toml:44:13: test.task.normalize = { mean = 33.3, std = 78.6 }: has numbers of pixels "
         "from 0 to 255, and pixels are from 0 to 1 here\n"
         "    fix: write normalize = { mean = 0.1306, std = 0.3082 }"},
        {"a deviation that no pixel has", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[test.task]\ntype = \"MNIST\"\nbatch_size = 1\n"
         "normalize = { mean = 0.13, std = 78.6 }\ndata_folder = \"/\"",
         "e.toml:44:13: test.task.normalize = { mean = 0.13, std = 78.6 }: has numbers of pixels "
         "from 0 to 255, and pixels are from 0 to 1 here\n"
         "    fix: write normalize = { mean = 0.13, std = 0.3082 }"},
        {"values of three channels for grey images", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[test.task]\ntype = \"ImageFolder\"\nbatch_size = 1\ndata_folder = "
         "\"/\"\nresize_image = [75, 75]\nimage_depth = 1\n"
         "normalize = { mean = [0.4, 0.5, 0.4], std = 0.2 }",
         "e.toml:41:1: test.task: publishes other sizes than another section:\n"
         "    image_depth = 1, but it is 3 (published by the task of [training] (SortOfCLEVR))\n"
         "    fix: set test.task.image_depth = 3\n"
         "e.toml:47:13: test.task.normalize = { mean = [0.4, 0.5, 0.4], std = [0.2] }: must have "
         "one number for all channels, or as many as image_depth: normalize.mean has 3 items, "
         "normalize.std has 1 item, image_depth = 1"},
        {"values of ImageNet beside others", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.colors]\ntype = \"Normalize\"\nby = \"imagenet\"\n"
         "mean = 0.5\nstreams = { outputs = \"colors\" }",
         "e.toml:43:6: pipeline.colors.by = \"imagenet\": has its own mean and std: leave these "
         "two out, or leave out by: mean has 1 item, std has 0 items"},
        {"a mean without a deviation", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.colors]\ntype = \"Normalize\"\nmean = 0.5\n"
         "streams = { outputs = \"colors\" }",
         "e.toml:41:1: pipeline.colors.std = [] (by default): is needed, one number for each "
         "channel or one for all, where by does not say otherwise"},
        {"a group of parameters of a component that has none",
         "optimizer = { type = \"Adam\", lr = 0.001 }",
         "optimizer = { type = \"Adam\", lr = 0.001, groups.nll_loss.lr = 1 }",
         "e.toml:8:49: training.optimizer.groups.nll_loss: NLLLoss is a loss and has no "
         "parameters: only models do"},
        {"a momentum that never falls", "terminal_conditions = { epoch_limit = 2 }",
         "terminal_conditions = { epoch_limit = 2 }\n"
         "scheduler = { type = \"OneCycleLR\", base_momentum = 0.99 }",
         "e.toml:10:52: training.scheduler.base_momentum = 0.99: must be at most max_momentum, "
         "which is 0.95"},
        {"a weight of a loss with a slip", "terminal_conditions = { epoch_limit = 2 }",
         "terminal_conditions = { epoch_limit = 2 }\nloss_weights = { los = 1 }",
         "e.toml:10:18: training.loss_weights.los: unknown loss; did you mean 'loss'?"},
        {"losses that all weigh nothing", "terminal_conditions = { epoch_limit = 2 }",
         "terminal_conditions = { epoch_limit = 2 }\nloss_weights = { loss = 0 }",
         "e.toml:10:18: training.loss_weights: no loss weighs more than 0, so there is nothing to "
         "minimize"},
        {"a section in which no loss weighs anything", "[pipeline.encoder]",
         "[training.loss_weights]\nloss = 0\n[pipeline.second]\ntype = \"NLLLoss\"\n"
         "streams = { loss = \"second_loss\" }\nstatistics = { loss_weight = \"second_weight\" }\n"
         "phases = [\"training\"]\n[pipeline.encoder]",
         "e.toml:24:1: pipeline: no loss that weighs more than 0 runs in [validation], so nothing "
         "determines which weights are best"},
        {"models that are all frozen", "[pipeline.encoder]",
         "[pipeline]\nfreeze = true\n[pipeline.encoder]",
         "e.toml:22:1: pipeline: there is nothing to train: no model has a parameter that is not "
         "frozen\n    fix: set pipeline.classifier.freeze = false, or that of another model; { "
         "except = [LAYERS] } in its place trains some layers, which ptprun summary FILE --set "
         "pipeline.classifier.freeze=false lists"},
        {"a key of the loader in the task", "size = 1000", "size = 1000\nshuffle = false",
         "e.toml:16:1: training.task.shuffle: unknown setting; did you mean "
         "'training.dataloader.shuffle'?\n"
         "    fix: write dataloader = { num_workers = 2, shuffle = false }, at e.toml:10:1"},
        {"a key of the loader in the task of another section", "size = 100\n",
         "size = 100\nworkers = 4\n",
         "e.toml:21:1: validation.task.workers: unknown setting; did you mean "
         "'validation.dataloader.num_workers'?\n"
         "    fix: write num_workers = 4 below a new line [validation.dataloader]"},
        {"a key of the optimizer in a model", "hidden_sizes = [128]", "learning_rate = 0.1",
         "e.toml:34:1: pipeline.classifier.learning_rate: unknown setting; did you mean "
         "'training.optimizer.lr'?\n"
         "    fix: remove it, and write training.optimizer.lr = 0.1 at e.toml:8:35"},
        {"a model that PyTorch freezes", "hidden_sizes = [128]", "requires_grad = false",
         "e.toml:34:1: pipeline.classifier.requires_grad: unknown setting; here it is 'freeze'\n"
         "    fix: write freeze = true"},
        {"a model that Keras trains", "hidden_sizes = [128]", "trainable = true",
         "e.toml:34:1: pipeline.classifier.trainable: unknown setting; here it is 'freeze'\n"
         "    fix: leave it out: what is not frozen is trained"},
        {"a layer to train", "hidden_sizes = [128]", "unfreeze = \"layers.3\"",
         "e.toml:34:1: pipeline.classifier.unfreeze: unknown setting; here it is 'freeze'\n"
         "    fix: write freeze = { except = [\"layers.3\"] }"},
        {"a class with its module", "\"NLLLoss\"", "\"torch.nn.NLLLoss\"",
         "e.toml:40:8: pipeline.nll_loss.type = \"torch.nn.NLLLoss\": must be the name of a type, "
         "as LeNet5 or plugin/LeNet5\n    fix: write \"NLLLoss\""},
        {"a class by what describes it", "\"FeedForwardNetwork\"", "\"MLP\"",
         "e.toml:33:8: pipeline.classifier.type = \"MLP\": no plugin has such a component; did you "
         "mean 'FeedForwardNetwork'?"},
        {"a model by its size", "\"ConvNetEncoder\"", "\"resnet18\"",
         "e.toml:23:8: pipeline.encoder.type = \"resnet18\": no plugin has such a component; did "
         "you mean 'GenericImageEncoder'?"},
        {"a type under another key", "type = \"NLLLoss\"", "tpye = \"NLLLoss\"",
         "e.toml:40:1: pipeline.nll_loss.tpye: unknown key; did you mean 'type'?\n"
         "    fix: write type = \"NLLLoss\""},
        {"settings of all kinds at once", "hidden_sizes = [128]\ndropout_rate = 0.5",
         "hidden_sizes = \"128\"\ndropout = 0.5\ndimensions = 1",
         "e.toml:34:16: pipeline.classifier.hidden_sizes = \"128\": must be an integer or a list "
         "of integers in [1, inf), not a string\n    fix: remove the quotes: 128\ne.toml:35:1: "
         "pipeline.classifier.dropout: unknown setting; did you mean 'dropout_rate'?\n    fix: "
         "write dropout_rate = 0.5\ne.toml:36:14: pipeline.classifier.dimensions = 1: must be in "
         "[2, inf)"},
        {"a component that does not exist", "\"NLLLoss\"", "\"NLLLos\"",
         "e.toml:40:8: pipeline.nll_loss.type = \"NLLLos\": no plugin has such a component; "
         "did you mean 'NLLLoss'?"},
        {"a component of another framework", "\"NLLLoss\"", "\"XGBoost\"",
         "e.toml:40:8: pipeline.nll_loss.type = \"XGBoost\": no plugin has such a component\n"
         "    searched: $PLUGINS\n"
         "    fix: $FIND_PLUGINS"},
        {"a task that does not exist", "size = 1000",
         "size = 1000\n[test.task]\ntype = \"Fashion\"\nbatch_size = 1",
         "e.toml:17:8: test.task.type = \"Fashion\": no plugin has such a task; most alike: "
         "FashionMNIST\n"
         "    searched: $PLUGINS\n"
         "    fix: $FIND_PLUGINS"},
        {"a plugin that does not exist", "\"NLLLoss\"", "\"looses/NLLLoss\"",
         "e.toml:40:8: pipeline.nll_loss.type = \"looses/NLLLoss\": unknown plugin "
         "'looses'; did you mean 'losses'?"},
        {"a plugin without the component", "\"NLLLoss\"", "\"statistics/NLLLoss\"",
         "e.toml:40:8: pipeline.nll_loss.type = \"statistics/NLLLoss\": no plugin has such a "
         "component; did you mean 'NLLLoss'?"},
        {"a component of two plugins", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[pipeline.lenet5]\ntype = \"LeNet5\"",
         "e.toml:42:8: pipeline.lenet5.type = \"LeNet5\": the plugins 'vision_models' and "
         "'rival_models' have a component of this name: write \"vision_models/LeNet5\" or "
         "\"rival_models/LeNet5\""},
        {"a task in the pipeline", "type = \"NLLLoss\"", "type = \"MNIST\"",
         "e.toml:40:8: pipeline.nll_loss.type = \"MNIST\": is a task, which belongs in "
         "[training.task], [validation.task] or [test.task]"},
        {"a model for a task", "size = 1000",
         "size = 1000\n[test.task]\ntype = \"ConvNetEncoder\"\nbatch_size = 1",
         "e.toml:17:8: test.task.type = \"ConvNetEncoder\": is a model, not a task"},
        {"a swap of what is not there, which is not compared", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[swap]\ncomponents = [\"training\", \"clasifier\", \"test\"]\n"
         "numbers = \"same\"\nrehearse = \"off\"",
         "e.toml:42:27: swap.components[1] = \"clasifier\": unknown component or section; did you "
         "mean 'classifier'?\n"
         "e.toml:42:40: swap.components[2] = \"test\": unknown component or section; known: "
         "encoder, reshape, classifier, nll_loss, accuracy, training, validation\n"
         "e.toml:43:11: swap.numbers = \"same\": numbers are compared in the rehearsal, which is "
         "\"off\": must be \"may_change\", or rehearse must be \"thread\" or \"process\""},
        {"a swap that is tried in another way", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\n[swap]\nrehearse = \"thred\"\ntime_limit = \"0s\"\nnumber = \"may_change\"",
         "e.toml:42:12: swap.rehearse = \"thred\": must be one of off, thread, process; did you "
         "mean 'thread'?\n"
         "e.toml:43:14: swap.time_limit = \"0s\": must be a span of time such as \"90m\" or "
         "\"1h30m\" (d, h, m, s)\n"
         "e.toml:44:1: swap.number: unknown key; did you mean 'numbers'?"},
        {"freezing a loss", "type = \"NLLLoss\"", "type = \"NLLLoss\"\nfreeze = true",
         "e.toml:41:10: pipeline.nll_loss.freeze: NLLLoss is a loss and has nothing to "
         "freeze: only models do"},
    };
    ptp::test::check_all(experiments);
}

TEST_CASE("wrong settings: a network that is not known is refused, with those that are") {
    const std::string text = ptp::test::good_experiment() +
                             "[pipeline.network]\ntype = \"GenericImageEncoder\"\n"
                             "streams = { feature_maps = \"others\" }\n"
                             "globals = { feature_map_depth = \"d\", feature_map_height = "
                             "\"h\", feature_map_width = \"w\" }\n";
    const auto problems = [&](const char* settings) {
        const std::string said = ptp::test::problems_of(text + settings);
        return said.substr(said.find("pipeline.network"));
    };
    CHECK(problems("return_feature_maps = true\nmodel_type = \"resnet51\"") ==
          "pipeline.network.model_type = \"resnet51\": must be one of vgg16, resnet18, resnet34, "
          "resnet50, resnet101, resnet152, resnext50_32x4d, wide_resnet50_2, densenet121, "
          "mobilenet_v3_large, mobilenet_v3_small, efficientnet_b0, convnext_tiny; did you mean "
          "'resnet50'?");
    CHECK(
        problems("return_feature_maps = true") ==
        "pipeline.network.model_type: required, but missing: a string, one of vgg16, resnet18, "
        "resnet34, resnet50, resnet101, resnet152, resnext50_32x4d, wide_resnet50_2, densenet121, "
        "mobilenet_v3_large, mobilenet_v3_small, efficientnet_b0, convnext_tiny (The network)");
    CHECK(problems("return_feature_maps = true\npretrained = true\nmodel_type = \"vgg16\"")
              .starts_with("pipeline.network.pretrained: unknown setting; load = \"FILE\" takes "));
}

TEST_CASE("wrong settings: what is set from the command line counts, in each form of a layer") {
    const ptp::test::TempFolder folder;
    const auto file = folder.write("e.toml", R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Shapes", batch_size = 4 }
[pipeline.net]
type = "LayerStack"
streams = { outputs = "predictions" }
layers = [{ type = "Conv2d", out = "num_classes", kernel = 3, padding = "same" }, "Flatten",
          { type = "Linear", out = 2 }, "LogSoftmax"]
[pipeline.loss]
type = "NLLLoss"
)");
    const auto explained = [&](const std::string& key, const std::string& set) {
        return ptp::test::ptprun("check " + file.string() + " --set 'pipeline.net.layers" + key +
                                 "=" + set + "'")
            .err;
    };
    CHECK(explained("[2].out_features", "\"num_classes\"") == "");
    CHECK(explained("[0].out_channels", "4").find("layers[2].out_features: 2 is less") !=
          std::string::npos);
    CHECK(explained("[0].padding_same", "false").find("given twice") == std::string::npos);
    CHECK(explained("[0].padding_same", "false").find("means true") == std::string::npos);
}

TEST_CASE("wrong settings: sections that divide the rows of one table in two ways are warned of") {
    const ptp::test::TempFolder folder;
    folder.write("t.csv", "x,y\n1,2\n3,4\n5,6\n7,8\n");
    const auto warning = [&](const std::string& division) {
        const auto file = folder.write("e.toml", R"([training]
optimizer = { type = "SGD", lr = 0.1 }
[training.task]
type = "Table"
batch_size = 2
file = "t.csv"
features = ["x"]
values = "y"
split = { shares = [0.5, 0.5], seed = 1 }
part = "training"
[validation.task]
type = "Table"
batch_size = 2
file = "t.csv"
features = ["x"]
values = "y"
)" + division + R"([pipeline.net]
type = "FeedForwardNetwork"
hidden_sizes = []
use_logsoftmax = false
globals = { prediction_size = 1 }
[pipeline.loss]
type = "MSELoss"
streams = { targets = "values" }
)");
        const std::string said = ptp::test::ptprun("check " + file.string()).err;
        const std::size_t at = said.find("warning: ");
        return at == std::string::npos ? "" : said.substr(at, said.find("\n\n", at) - at);
    };
    CHECK(warning("split = { shares = [0.5, 0.5], seed = 1 }\npart = \"validation\"\n") == "");
    CHECK(
        warning("split = { shares = [0.5, 0.5], seed = 2 }\npart = \"validation\"\n") ==
        "warning: validation.task: its split = { shares = [0.5, 0.5], seed = 2 } divides the rows "
        "otherwise than that of [training], so that it may have rows that are trained on\n"
        "   11 | [validation.task]\n"
        "      | ^~~~~~~~~~~~~~~~~\n"
        "    fix: write split = { shares = [0.5, 0.5], seed = 1 } in validation.task\n");
    CHECK(
        warning("") ==
        "warning: validation.task: has all rows of the file, also those that [training] trains on\n"
        "   11 | [validation.task]\n"
        "      | ^~~~~~~~~~~~~~~~~\n"
        "    fix: write split = { shares = [0.5, 0.5], seed = 1 } and part = \"validation\" in validation.task\n");
}

TEST_CASE("wrong settings: trained weights under the names of other programs are the key load") {
    const auto with = [](const std::string& line) {
        return ptp::test::problems_of(ptp::test::replaced(
            ptp::test::good_experiment(), "hidden_sizes = [128]", "hidden_sizes = [128]\n" + line));
    };
    CHECK(with("pretrained = \"net.pt\"") ==
          "e.toml:35:1: pipeline.classifier.pretrained: unknown setting; did you mean 'load'?\n"
          "    fix: write load = \"net.pt\"");
    CHECK(with("load = { from = \"weights.pt\", exclude = [\"8\"] }")
              .find("pipeline.classifier.load.exclude: unknown key; did you mean 'except'?\n"
                    "    fix: write except = [\"8\"]") != std::string::npos);
    const std::string fix =
        "\n    fix: leave it out, and write load = \"FILE\": "
        "docs/pretrained-weights.md names published files, and `ptprun fetch "
        "EXPERIMENT` downloads the one that is written";
    CHECK(with("pretrained = false") ==
          "e.toml:35:1: pipeline.classifier.pretrained: unknown setting; load = \"FILE\" takes "
          "trained weights, of a run, a bundle or PyTorch\n    fix: leave it out");
    for (const char* name : {"DEFAULT", "imagenet", "IMAGENET1K_V1", "ResNet18_Weights.DEFAULT"}) {
        CHECK(with(std::string("weights = \"") + name + "\"") ==
              "e.toml:35:1: pipeline.classifier.weights: unknown setting; load = \"FILE\" takes "
              "trained weights, of a run, a bundle or PyTorch" +
                  fix);
    }
}

TEST_CASE("wrong settings: a setting of the type that --set has replaced is to be removed") {
    const ptp::test::TempFolder folder;
    const auto checked = [&](const std::string& more) {
        const auto file = folder.write(
            "e.toml", ptp::test::replaced(ptp::test::good_experiment(), "type = \"NLLLoss\"",
                                          "type = \"CrossEntropyLoss\"" + more));
        return ptp::test::run_program(
            "ptprun", {"check", file.string(), "--set", "pipeline.nll_loss.type=NLLLoss"});
    };
    const std::string file = (folder.path() / "e.toml").string();
    const auto wrong = checked("\nlabel_smoothing = 0.1");
    CHECK(
        wrong.errors ==
        file +
            ":41:1: error: pipeline.nll_loss.label_smoothing: unknown setting of NLLLoss; it is of "
            "the type that --set replaces\n"
            "   41 | label_smoothing = 0.1\n"
            "      | ^~~~~~~~~~~~~~~\n"
            "    fix: remove label_smoothing = 0.1 at " +
            file + ":41:1\n");
    CHECK(wrong.status == 2);
    CHECK(checked("").status == 0);
}

TEST_CASE("wrong settings: a setting that no type has is unknown, also where a type was replaced") {
    const ptp::test::TempFolder folder;
    const std::string text =
        ptp::test::replaced(ptp::test::good_experiment(), "hidden_sizes = [128]", "");
    const auto base = folder.write("base.toml", text);
    const auto wrong = folder.write(
        "e.toml", ptp::test::replaced(text, "type = \"NLLLoss\"", "type = \"NLLLoss\"\nzzqq = 1"));
    const auto over = folder.write("over.toml", "[pipeline.nll_loss]\nzzqq = 1\n");
    const auto top =
        folder.write("top.toml", "include = \"base.toml\"\n[pipeline.nll_loss]\nzzqq = 1\n");
    const auto said = [&](const std::vector<std::string>& words) {
        std::vector<std::string> arguments = {"check"};
        arguments.insert(arguments.end(), words.begin(), words.end());
        const auto result = ptp::test::run_program("ptprun", arguments);
        CHECK(result.status == 2);
        const std::string key = "pipeline.nll_loss.zzqq: ";
        const std::size_t begin = result.errors.find(key) + key.size();
        return result.errors.substr(begin, result.errors.find('\n', begin) - begin);
    };
    const std::string known =
        "unknown setting; known: num_targets_dims, num_masks_dims, classes_first, class_weights, "
        "use_masking, use_sample_weights";
    CHECK(said({top.string()}) == known);
    CHECK(said({base.string(), "--over", over.string()}) == known);
    CHECK(said({wrong.string(), "--set", "pipeline.nll_loss.type=NLLLoss"}) == known);
}

}  // namespace wrong_settings_test
