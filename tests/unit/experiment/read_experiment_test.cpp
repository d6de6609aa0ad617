// Every mistake that the typed reader can find, in the example with one place changed.

#include "experiment/experiment.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace read_experiment_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

TEST_CASE("experiment: the example is valid") {
    CHECK(problems_of(kExample) == "");
}

TEST_CASE("experiment: wrong top-level keys are refused") {
    check_changes({
        {"seed = 7", "sed = 7", "x.toml:2:1: sed: unknown key; did you mean 'seed'?"},
        {"seed = 7", "includes = 'a'",
         "x.toml:2:1: includes: unknown key; did you mean 'include'?"},
        {"seed = 7", "speed = 7", "x.toml:2:1: speed: unknown key; did you mean 'seed'?"},
        {"seed = 7", "other = 7",
         "x.toml:2:1: other: unknown key; known: name, seed, device, deterministic, interval, plugins, training, "
         "validation, test, process, records, report, checkpoint, swap, distributed, search, pipeline, include, vars"},
        {"seed = 7", "seed = -2", "x.toml:2:8: seed = -2: must be in [-1, inf)"},
        {"seed = 7", "seed = 7.0",
         "x.toml:2:8: seed = 7.0: must be an integer in [-1, inf), not a real\n"
         "    fix: write 7"},
        {"seed = 7", "seed = '7'",
         "x.toml:2:8: seed = \"7\": must be an integer in [-1, inf), not a string\n    fix: remove "
         "the quotes: 7"},
        {"\"cuda:1\"", "'gpu'",
         "x.toml:3:10: device = \"gpu\": must be cpu, cuda or cuda:N\n"
         "    fix: write device = \"cuda\""},
        {"\"cuda:1\"", "'mps'",
         "x.toml:3:10: device = \"mps\": must be cpu, cuda or cuda:N\n"
         "    fix: write device = \"cpu\""},
        {"\"cuda:1\"", "'cuda:'", "x.toml:3:10: device = \"cuda:\": must be cpu, cuda or cuda:N"},
        {"\"cuda:1\"", "'cuda:1000'",
         "x.toml:3:10: device = \"cuda:1000\": must be cpu, cuda or cuda:N"},
        {"\"cuda:1\"", "0", "x.toml:3:10: device = 0: must be cpu, cuda or cuda:N, not an integer"},
        {"name = \"digits\"", "name = ''",
         "x.toml:1:8: name = \"\": names folders: must not be empty, start with '.' or contain "
         "'/'"},
        {"name = \"digits\"", "name = 'a/b'",
         "x.toml:1:8: name = \"a/b\": names folders: must not be empty, start with '.' or contain "
         "'/'"},
        {"name = \"digits\"", "name = '..'",
         "x.toml:1:8: name = \"..\": names folders: must not be empty, start with '.' or contain "
         "'/'"},
        {"path = [\"plugins\", \"/opt/ptp\"]", "paths = []",
         "x.toml:6:1: plugins.paths: unknown key; did you mean 'path'?"},
        {"[\"plugins\", \"/opt/ptp\"]", "'plugins'",
         "x.toml:6:8: plugins.path = \"plugins\": must be a list of paths, not a string\n    fix: "
         "write path = [\"plugins\"]"},
        {"[\"plugins\", \"/opt/ptp\"]", "['a', 1]",
         "x.toml:6:14: plugins.path[1] = 1: must be a path, not an integer"},
        {"\"/opt/ptp\"", "''", "x.toml:6:20: plugins.path[1] = \"\": must not be empty"},
        {"\"/opt/ptp\"", "'~x/p'",
         "x.toml:6:20: plugins.path[1] = \"~x/p\": '~' is not known here: use an absolute path"},
    });
}

TEST_CASE("experiment: what is missing is named") {
    CHECK(problems_of("") ==
          "x.toml: training: required, but missing: a table (what is trained on, and how)\n"
          "x.toml: pipeline: required, but missing: a table (the components, each a table)");
    CHECK(
        problems_of("[training]\n[pipeline]\n[validation]\n") ==
        "x.toml:1:1: training.task: required, but missing: a table (provides the samples; all its other keys are its settings)\n"
        "x.toml:1:1: training.optimizer: required, but missing: a table (how the weights are changed)\n"
        "    fix: write optimizer = { type = \"Adam\", lr = 0.001 }\n"
        "x.toml:2:1: pipeline: has no components; each is a table [pipeline.<name>]\n"
        "x.toml:3:1: validation.task: required, but missing: a table (provides the samples; all its other keys are its settings)");
    check_changes({
        {"type = \"FashionMNIST\"\nbatch_size = 64", "batch_size = 64",
         "x.toml:11:1: training.task.type: required, but missing: the name of a type, as LeNet5 or plugin/LeNet5 (the kind of task)"},
        {"batch_size = 64\n", "",
         "x.toml:11:1: training.task.batch_size: required, but missing: an integer in [1, inf) (samples in a batch)\n    fix: write batch_size = 64"},
        {"type = \"Adam\"", "",
         "x.toml:24:1: training.optimizer.type: required, but missing: a string, one of SGD, Adam, AdamW, RMSprop, Adagrad, LBFGS, Adadelta, Adamax, NAdam, RAdam, Rprop, ASGD (the kind of optimizer)"},
        {"type = \"Adam\"\nlr = 0.002", "type = 'SGD'",
         "x.toml:24:1: training.optimizer.lr: required, but missing: a real in [0, inf) (learning rate)\n    fix: write lr = 0.01"},
        {"type = \"LeNet5\"", "",
         "x.toml:38:1: pipeline.lenet5.type: required, but missing: the name of a type, as LeNet5 or plugin/LeNet5 (the kind of component)"},
        {"indices = [0, 55000]", "",
         "x.toml:20:1: training.sampler.indices: required, but missing: a list of integers, a string of them, or the name of a file (of the samples; two numbers are the range [begin, end))"},
        {"type = \"SubsetRandomSampler\"", "",
         "x.toml:20:1: training.sampler.type: required, but missing: a string, one of RandomSampler, SequentialSampler, SubsetRandomSampler, SubsetSequentialSampler, WeightedRandomSampler, kFoldRandomSampler, kFoldWeightedRandomSampler, kFoldStratifiedSampler, kFoldGroupSampler, ClassBalancedSampler, RandomSplitSampler, StratifiedSplitSampler, LengthGroupedSampler, kFoldLengthGroupedSampler, LengthGroupedSplitSampler (the kind of sampler)"},
    });
}

TEST_CASE("experiment: wrong sections are refused") {
    check_changes({
        {"gradient_clipping = 0.5", "gradient_cliping = 0.5",
         "x.toml:9:1: training.gradient_cliping: unknown key; did you mean 'gradient_clipping'?"},
        {"gradient_clipping = 0.5", "gradient_clipping = 0.0",
         "x.toml:9:21: training.gradient_clipping = 0.0: must be in (0, inf)"},
        {"gradient_clipping = 0.5", "gradient_clipping = inf",
         "x.toml:9:21: training.gradient_clipping = inf: must be in (0, inf)"},
        {"gradient_clipping = 0.5", "curriculum = 1",
         "x.toml:9:1: training.curriculum: unknown key; known: task, dataloader, sampler, "
         "batch_limit, worker, optimizer, scheduler, warm_up, gradient_clipping, accumulate, "
         "precision, weight_average, on_bad_loss, loss_weights, terminal_conditions, judge"},
        {"gradient_clipping = 0.5", "judge = 'accuracy'",
         "x.toml:9:9: training.judge = \"accuracy\": names a validation set, and there is none "
         "with a name\n    fix: to go by a statistic, write judge = { statistic = \"accuracy\", "
         "better = \"larger\" }"},
        {"gradient_clipping = 0.5", "judge = 3",
         "x.toml:9:9: training.judge = 3: must be the name of a validation set, or a table with "
         "statistic and better, or \"none\", not an integer"},
        {"gradient_clipping = 0.5", "judge = { statistic = '', better = 'max' }",
         "x.toml:9:23: training.judge.statistic = \"\": must not be empty\n"
         "x.toml:9:36: training.judge.better = \"max\": must be one of smaller, larger\n"
         "    fix: write better = \"larger\""},
        {"gradient_clipping = 0.5", "judge = 'perplexity'",
         "x.toml:9:9: training.judge = \"perplexity\": names a validation set, and there is none "
         "with a name\n    fix: to go by a statistic, write judge = { statistic = \"perplexity\", "
         "better = \"smaller\" }"},
        {"batch_size = 100", "batch_size = 100\n[validation.optimizer]",
         "x.toml:34:13: validation.optimizer: unknown key; did you mean 'training.optimizer'?\n"
         "    fix: move what is in it to the table training.optimizer at x.toml:24:1"},
        {"[validation.task]\ntype = \"FashionMNIST\"\nbatch_size = 100",
         "[validation]\ntask = 'MNIST'",
         "x.toml:32:8: validation.task = \"MNIST\": must be a table, not a string\n"
         "    fix: write task = { type = \"MNIST\", batch_size = 64 }"},
    });
}

TEST_CASE("experiment: wrong tasks are refused") {
    check_changes({
        {"batch_size = 64", "batch_size = 0",
         "x.toml:13:14: training.task.batch_size = 0: must be in [1, inf)\n"
         "    fix: write batch_size = 64"},
        {"batch_size = 64", "batch_size = 64.0",
         "x.toml:13:14: training.task.batch_size = 64.0: must be an integer in [1, inf), not a real\n"
         "    fix: write 64"},
        {"batch_size = 64", "batch_size = true",
         "x.toml:13:14: training.task.batch_size = true: must be an integer in [1, inf), not a boolean"},
        {"type = \"FashionMNIST\"\nbatch_size = 64", "type = ''\nbatch_size = 64",
         "x.toml:12:8: training.task.type = \"\": must be the name of a type, as LeNet5 or "
         "plugin/LeNet5"},
        {"type = \"FashionMNIST\"\nbatch_size = 64", "type = 'a/b/c'\nbatch_size = 64",
         "x.toml:12:8: training.task.type = \"a/b/c\": must be the name of a type, as LeNet5 or "
         "plugin/LeNet5"},
        {"type = \"FashionMNIST\"\nbatch_size = 64", "type = [1]\nbatch_size = 64",
         "x.toml:12:8: training.task.type = [1]: must be the name of a type, as LeNet5 or plugin/LeNet5, not a list"},
        {"resize_image = [32, 32]", "freeze = true",
         "x.toml:14:1: training.task.freeze: has no meaning for a task"},
        {"streams = { inputs = \"images\" }", "streams = 'images'",
         "x.toml:15:11: training.task.streams = \"images\": must be a table of strings, not a string"},
        {"{ inputs = \"images\" }", "{ inputs = 1 }",
         "x.toml:15:22: training.task.streams.inputs = 1: must be a string, not an integer"},
        {"{ inputs = \"images\" }", "{ inputs = '' }",
         "x.toml:15:22: training.task.streams.inputs = \"\": must not be empty"},
    });
}

TEST_CASE("experiment: wrong data loaders are refused") {
    check_changes({
        {"num_workers = 2", "num_workers = -1",
         "x.toml:18:15: training.dataloader.num_workers = -1: must be in [0, 1024]"},
        {"num_workers = 2", "prefetch = 0",
         "x.toml:18:12: training.dataloader.prefetch = 0: must be in [1, 1024]"},
        {"num_workers = 2", "drop_last = 1",
         "x.toml:18:13: training.dataloader.drop_last = 1: must be a boolean, not an integer\n"
         "    fix: write true"},
        {"num_workers = 2", "pin_memory = true",
         "x.toml:18:1: training.dataloader.pin_memory: unknown key\n"
         "    fix: leave it out: it is so where a GPU is used"},
        {"num_workers = 2", "mode = 'resevoir'",
         "x.toml:18:8: training.dataloader.mode = \"resevoir\": unknown mode; did you mean "
         "'reservoir'?"},
        {"num_workers = 2", "reservoir_size = 8",
         "x.toml:18:1: training.dataloader.reservoir_size: ordered has no option "
         "'reservoir_size' (reservoir has)"},
        {"num_workers = 2", "mode = 'reservoir'\nprefetch = 3\nreservoir_size = 0",
         "x.toml:19:1: training.dataloader.prefetch: reservoir has no option 'prefetch' (ordered has)\n"
         "x.toml:20:18: training.dataloader.reservoir_size = 0: must be in [1, 65536]"},
        {"num_workers = 2", "num_workers = 0\nmode = 'reservoir'\nreservoir_size = 8",
         "x.toml:17:1: training.dataloader.reservoir_exchange = 16: must not be above "
         "reservoir_size, which is 8\n"
         "x.toml:18:15: training.dataloader.num_workers = 0: a reservoir needs a loader thread, 1 "
         "at least"},
        {"[pipeline]", "[validation.dataloader]\nmode = 'reservoir'\n[pipeline]",
         "x.toml:36:8: validation.dataloader.mode = \"reservoir\": only [training] can have a reservoir: it draws other samples in every run"},
        {"num_workers = 2", "shuffle = true",
         "x.toml:18:11: training.dataloader.shuffle = true: must be false beside a sampler, which "
         "decides the order by itself\n"
         "    fix: leave it out: the sampler decides the order; or leave out the sampler"},
        {"num_workers = 2", "shuffle = 'yes'",
         "x.toml:18:11: training.dataloader.shuffle = \"yes\": must be a boolean, and false beside "
         "a sampler, which decides the order by itself\n"
         "    fix: leave it out: the sampler decides the order; or leave out the sampler"},
        {"num_workers = 2", "shuffle = false",
         "x.toml:18:11: training.dataloader.shuffle: warning: false has no effect: "
         "SubsetRandomSampler draws another order in each epoch\n"
         "    fix: write type = \"SubsetSequentialSampler\" in the sampler, or leave shuffle out"},
    });
}

TEST_CASE("experiment: wrong optimizers are refused") {
    check_changes({
        {"\"Adam\"", "'adam'",
         "x.toml:25:8: training.optimizer.type = \"adam\": unknown type; did you mean 'Adam'?\n"
         "    fix: write \"Adam\""},
        {"\"Adam\"", "'Lion'",
         "x.toml:25:8: training.optimizer.type = \"Lion\": unknown type; known: SGD, Adam, AdamW, "
         "RMSprop, Adagrad, LBFGS, Adadelta, Adamax, NAdam, RAdam, Rprop, ASGD"},
        {"\"Adam\"", "1",
         "x.toml:25:8: training.optimizer.type = 1: must be a string, one of SGD, Adam, AdamW, RMSprop, Adagrad, LBFGS, Adadelta, Adamax, NAdam, RAdam, Rprop, ASGD, not an integer"},
        {"lr = 0.002", "lr = -1", "x.toml:26:6: training.optimizer.lr = -1: must be in [0, inf)"},
        {"lr = 0.002", "lr = nan", "x.toml:26:6: training.optimizer.lr = nan: must be in [0, inf)"},
        {"lr = 0.002", "lr = '0.1'",
         "x.toml:26:6: training.optimizer.lr = \"0.1\": must be a real in [0, inf), not a string\n"
         "    fix: remove the quotes: 0.1"},
        {"lr = 0.002", "lrr = 1",
         "x.toml:26:1: training.optimizer.lrr: unknown key; did you mean 'lr'?"},
        {"lr = 0.002", "learning_rate = 1",
         "x.toml:26:1: training.optimizer.learning_rate: unknown key; did you mean 'lr'?\n"
         "    fix: write lr = 1"},
        {"lr = 0.002", "momentum = 0.9",
         "x.toml:26:1: training.optimizer.momentum: "
         "Adam has no option 'momentum' (SGD and RMSprop have)"},
        {"lr = 0.002", "nesterov = true",
         "x.toml:26:1: training.optimizer.nesterov: Adam has no option 'nesterov' (SGD has)"},
        {"lr = 0.002", "betas = 0.9",
         "x.toml:26:9: training.optimizer.betas = 0.9: must be a list of 2 reals in [0, 1), not a real\n"
         "    fix: write betas = [0.9, 0.999]"},
        {"lr = 0.002", "beta_2 = 0.99",
         "x.toml:26:1: training.optimizer.beta_2: unknown key\n"
         "    fix: write betas = [0.9, 0.99]"},
        {"lr = 0.002", "betas = [0.9]",
         "x.toml:26:9: training.optimizer.betas = [0.9]: must have 2 items, has 1"},
        {"lr = 0.002", "betas = [1, 'a']",
         "x.toml:26:10: training.optimizer.betas[0] = 1: must be in [0, 1)\n"
         "x.toml:26:13: training.optimizer.betas[1] = \"a\": must be a real in [0, 1), not a string"},
        {"lr = 0.002", "eps = -1e-8",
         "x.toml:26:7: training.optimizer.eps = -1e-08: must be in [0, inf)"},
        {"lr = 0.002", "weight_decay = -1.0",
         "x.toml:26:16: training.optimizer.weight_decay = -1.0: must be in [0, inf)"},
        {"lr = 0.002", "amsgrad = 1",
         "x.toml:26:11: training.optimizer.amsgrad = 1: must be a boolean, not an integer\n"
         "    fix: write true"},
        {"type = \"Adam\"\nlr = 0.002", "type = 'SGD'\nlr = 1\nmomentum = -1\ndampening = inf",
         "x.toml:27:12: training.optimizer.momentum = -1: must be in [0, 1)\n"
         "x.toml:28:13: training.optimizer.dampening = inf: must be in (-inf, inf)"},
        {"type = \"Adam\"\nlr = 0.002", "type = 'SGD'\nlr = 1\nnesterov = true",
         "x.toml:27:12: training.optimizer.nesterov = true: needs a momentum above 0 and no "
         "dampening"},
        {"type = \"Adam\"\nlr = 0.002",
         "type = 'SGD'\nlr = 1\nmomentum = 0.9\ndampening = 0.1\nnesterov = true",
         "x.toml:29:12: training.optimizer.nesterov = true: needs a momentum above 0 and no "
         "dampening"},
        {"type = \"Adam\"\nlr = 0.002", "type = 'RMSprop'\nalpha = -0.1\ncentered = 0",
         "x.toml:26:9: training.optimizer.alpha = -0.1: must be in [0, inf)\n"
         "x.toml:27:12: training.optimizer.centered = 0: must be a boolean, not an integer\n"
         "    fix: write false"},
    });
}

TEST_CASE("experiment: wrong terminal conditions are refused") {
    check_changes({
        {"epoch_limit = 5", "epoch_limit = 0",
         "x.toml:29:15: training.terminal_conditions.epoch_limit = 0: must be in [1, inf)"
         "\n    fix: write a large number, such as epoch_limit = 1000000: other conditions, such as "
         "wall_time, end the training before"},
        {"epoch_limit = 5", "episode_limit = 0",
         "x.toml:29:17: training.terminal_conditions.episode_limit = 0: must be -1 or in [1, inf)"},
        {"epoch_limit = 5", "episode_limit = -2",
         "x.toml:29:17: training.terminal_conditions.episode_limit = -2: must be -1 or in [1, inf)"},
        {"epoch_limit = 5", "loss_stop_threshold = nan",
         "x.toml:29:23: training.terminal_conditions.loss_stop_threshold = nan: must be finite"},
        {"epoch_limit = 5", "epochs = 5",
         "x.toml:29:1: training.terminal_conditions.epochs: unknown key; did you mean "
         "'epoch_limit'?\n"
         "    fix: write epoch_limit = 5"},
        {"[validation.task]\ntype = \"FashionMNIST\"\nbatch_size = 100",
         "loss_stop_threshold = 0.1\nearly_stop_validations = 3",
         "x.toml:32:26: training.terminal_conditions.early_stop_validations = 3: looks at the "
         "validation loss, but there is no [validation]"},
    });
}

TEST_CASE("experiment: workers need what they judge by") {
    check_changes({
        {"gradient_clipping = 0.5", "worker = \"onlin\"",
         "x.toml:9:10: training.worker = \"onlin\": must be one of offline, online; did you mean 'online'?"},
        {"epoch_limit = 5", "wall_time = \"1h 30m\"",
         "x.toml:29:13: training.terminal_conditions.wall_time = \"1h 30m\": must be a span of "
         "time such as \"90m\" or \"1h30m\" (d, h, m, s)"},
        {"epoch_limit = 5", "epoch_limit = -1",
         "x.toml:29:15: training.terminal_conditions.epoch_limit = -1: no limit is for the online "
         "worker: the offline worker counts its training in epochs\n"
         "    fix: write a large number, such as epoch_limit = 1000000: other conditions, such as "
         "wall_time, end the training before"},
        {"[validation.task]", "[validation]\npartial_validation_interval = 0\n[validation.task]",
         "x.toml:32:31: validation.partial_validation_interval = 0: must be -1 (none) or at least "
         "1"},
    });
    CHECK(problems_of(replaced(kExample, "gradient_clipping = 0.5", "worker = \"online\""),
                      {"validation.partial_validation_interval=-1",
                       "training.terminal_conditions.episode_limit=-1"}) ==
          "--set: validation.partial_validation_interval = -1: must be at least 1 with the online "
          "worker\n"
          "--set: training.terminal_conditions.episode_limit = -1: no limit is for the offline "
          "worker: the online worker counts its training in episodes\n"
          "    fix: write a large number, such as episode_limit = 1000000: other conditions, such "
          "as wall_time, end the training before");
    CHECK(problems_of("[training]\nworker = 'online'\ntask = { type = 'MNIST', batch_size = 8 }\n"
                      "optimizer = { type = 'Adam' }\n[pipeline.net]\ntype = 'LeNet5'\n") ==
          "x.toml:2:10: training.worker = \"online\": judges the model by partial validations, but "
          "there is no [validation]");
}

TEST_CASE("experiment: wrong checkpoint settings are refused") {
    check_changes({
        {"[training]", "[checkpoint]\nevery = 10\nkeep = -1\nevery_epoch = 1\n[training]",
         "x.toml:9:9: checkpoint.every = 10: must be a span of time such as \"90m\" or \"1h30m\" "
         "(d, h, m, s), not an integer\n"
         "    fix: write \"10s\", \"10m\" or \"10h\" for seconds, minutes or hours\n"
         "x.toml:10:8: checkpoint.keep = -1: must be in [0, inf)\n"
         "x.toml:11:1: checkpoint.every_epoch: unknown key; did you mean 'every_epochs'?"},
    });
}

TEST_CASE("experiment: wrong settings of explanations are refused, with what is meant") {
    check_changes({
        {"[training]",
         "[report.explanations]\nmethods = ['gradcam', 'saliency']\npreset = 'capture'\n"
         "section = 'validatin'\nat_onc = 2\nsamples = 0\n[training]",
         "x.toml:9:12: report.explanations.methods[0] = \"gradcam\": must be one of saliency, "
         "input_x_gradient, integrated_gradients, smooth_grad, grad_cam, guided_backpropagation, "
         "guided_grad_cam, occlusion, meaningful_perturbation, attention, all; did you mean 'grad_cam'?\n"
         "x.toml:10:10: report.explanations.preset = \"capture\": must be one of paper, captum; "
         "did you mean 'captum'?\n"
         "x.toml:11:11: report.explanations.section = \"validatin\": unknown section; did you mean "
         "'validation'?\n"
         "x.toml:12:1: report.explanations.at_onc: unknown key; did you mean 'at_once'?\n"
         "x.toml:13:11: report.explanations.samples = 0: must be in [1, inf)"},
        {"[training]", "[report]\nmax_share = 0\n[training]",
         "x.toml:9:13: report.max_share = 0: must be in (0, 1]"},
    });
}

TEST_CASE("experiment: methods of explanations are in the order of the documents, each once") {
    const auto methods_of = [](const std::string& methods) {
        return Loader(replaced(kExample, "[training]",
                               "[report.explanations]\nmethods = " + methods + "\n[training]"))
            .read()
            .report->explanations->methods;
    };
    CHECK(methods_of("['grad_cam', 'saliency', 'grad_cam']") ==
          std::vector<std::string>{"saliency", "grad_cam"});
    CHECK(methods_of("['attention', 'saliency']") ==
          std::vector<std::string>{"saliency", "attention"});
    CHECK(methods_of("['saliency', 'all']") == std::vector<std::string>{"all"});
    CHECK(methods_of("['attention', 'all']") == std::vector<std::string>{"all", "attention"});
}

TEST_CASE("experiment: all mistakes are reported at once, in the order of the file") {
    std::string text = replaced(kExample, "seed = 7", "seed = 'x'");
    text = replaced(text, "batch_size = 64", "batch_size = '${bs}'");
    text = replaced(text, "lr = 0.002", "lr = -1");
    text = replaced(text, "priority = 1", "priority = true");
    CHECK(
        problems_of(text, {"validation.task.batch_size=0", "typo=1"}) ==
        "--set: validation.task.batch_size = 0: must be in [1, inf)\n"
        "    fix: --set validation.task.batch_size=64\n"
        "--set: typo: unknown key; known: name, seed, device, deterministic, interval, plugins, training, validation, test, "
        "process, records, report, checkpoint, swap, distributed, search, pipeline, include, vars\n"
        "x.toml:2:8: seed = \"x\": must be an integer in [-1, inf), not a string\n"
        "x.toml:13:14: training.task.batch_size = \"${bs}\": unknown variable 'bs'\n"
        "x.toml:26:6: training.optimizer.lr = -1: must be in [0, inf)\n"
        "x.toml:40:12: pipeline.lenet5.priority = true: must be a real, not a boolean");
}

}  // namespace read_experiment_test
