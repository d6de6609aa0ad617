#include "experiments/support.hpp"

#include <doctest/doctest.h>

namespace wrong_files_test {

TEST_CASE(
    "wrong files: what can be known without plugins: each mistake is reported to the letter") {
    const ptp::test::WrongExperiment experiments[] = {
        {"a key with a slip", "terminal_conditions =", "terminal_condition =",
         "e.toml:9:1: training.terminal_condition: unknown key; did you mean "
         "'terminal_conditions'?"},
        {"a nested key with a slip", "epoch_limit", "epoch_limits",
         "e.toml:9:25: training.terminal_conditions.epoch_limits: unknown key; did you mean "
         "'epoch_limit'?"},
        {"a section that does not exist", "[validation.task]", "[validate.task]",
         "e.toml:17:2: validate: unknown key; did you mean 'validation'?\n"
         "    fix: write [validation.task] in place of [validate.task]"},
        {"a name that is not a text", "name = \"wrong\"", "name = 7",
         "e.toml:1:8: name = 7: must be a string, not an integer"},
        {"a seed that is not a number", "seed = 1", "seed = \"one\"",
         "e.toml:2:8: seed = \"one\": must be an integer in [-1, inf), not a string"},
        {"a device that does not exist", "seed = 1", "seed = 1\ndevice = \"gpu\"",
         "e.toml:3:10: device = \"gpu\": must be cpu, cuda or cuda:N\n"
         "    fix: write device = \"cuda\""},
        {"a batch that is text", "size = 1000",
         "size = 1000\n[test.task]\ntype = \"SortOfCLEVR\"\nbatch_size = \"64\"",
         "e.toml:18:14: test.task.batch_size = \"64\": must be an integer in [1, inf), not a string\n    fix: "
         "remove the quotes: 64"},
        {"a batch of nothing", "size = 1000",
         "size = 1000\n[test.task]\ntype = \"SortOfCLEVR\"\nbatch_size = 0",
         "e.toml:18:14: test.task.batch_size = 0: must be in [1, inf)\n    fix: write batch_size = 64"},
        {"a task without a type", "size = 1000", "size = 1000\n[test.task]\nbatch_size = 64",
         "e.toml:16:1: test.task.type: required, but missing: the name of a type, as LeNet5 or plugin/LeNet5 (the kind of task)"},
        {"a learning rate below zero", "lr = 0.001", "lr = -0.001",
         "e.toml:8:35: training.optimizer.lr = -0.001: must be in [0, inf)"},
        {"an optimizer that does not exist", "\"Adam\"", "\"Adamm\"",
         "e.toml:8:22: training.optimizer.type = \"Adamm\": unknown type; did you mean 'Adam'?"},
        {"training without an optimizer", "optimizer = { type = \"Adam\", lr = 0.001 }\n", "",
         "e.toml:7:1: training.optimizer: required, but missing: a table (how the weights are changed)\n"
         "    fix: write optimizer = { type = \"Adam\", lr = 0.001 }"},
        {"a setting of another optimizer", "lr = 0.001", "lr = 0.001, momentum = 0.9",
         "e.toml:8:42: training.optimizer.momentum: "
         "Adam has no option 'momentum' (SGD and RMSprop have)"},
        {"half a thread", "num_workers = 2", "num_workers = 2.5",
         "e.toml:10:30: training.dataloader.num_workers = 2.5: must be an integer in [0, 1024], not a real"},
        {"a limit of no epochs", "epoch_limit = 2", "epoch_limit = 0",
         "e.toml:9:39: training.terminal_conditions.epoch_limit = 0: must be in [1, inf)"
         "\n    fix: write a large number, such as epoch_limit = 1000000: other conditions, such as "
         "wall_time, end the training before"},
        {"a sampler that does not exist", "dataloader = { num_workers = 2 }",
         "sampler = { type = \"Random\" }",
         "e.toml:10:20: training.sampler.type = \"Random\": unknown type\n"
         "    fix: write sampler = { type = \"RandomSampler\" }"},
        {"a sampler without its samples", "dataloader = { num_workers = 2 }",
         "sampler = { type = \"SubsetRandomSampler\" }",
         "e.toml:10:11: training.sampler.indices: required, but missing: a list of integers, a string of them, or the name of a file (of the samples; two numbers are the range [begin, end))"},
        {"an included file that is missing", "name = \"wrong\"",
         "include = \"missing.toml\"\nname = \"wrong\"",
         "e.toml:1:11: include = \"missing.toml\": missing.toml: no such file"},
        {"a file that includes itself", "name = \"wrong\"",
         "include = \"e.toml\"\nname = \"wrong\"",
         "e.toml:1:11: include = \"e.toml\": includes go in a circle: e.toml -> e.toml"},
        {"a variable that does not exist", "\"${classes}\"", "\"${clases}\"",
         "e.toml:5:1: vars.classes: warning: never used\ne.toml:37:31: "
         "pipeline.classifier.globals.prediction_size = \"${clases}\": unknown variable "
         "'clases'; did you mean 'classes'?"},
        {"a key given twice", "seed = 1", "seed = 1\nseed = 2",
         "e.toml:3:8: not valid TOML: 'seed' was already given above\n"
         "    fix: remove one of the two"},
        {"text that is no TOML", "seed = 1",
         "seed = ", "e.toml:2:8: not valid TOML: in a key-value pair: expected value, saw '\\n'"},
        {"freezing with a word", "hidden_sizes = [128]", "freeze = \"yes\"",
         "e.toml:34:10: pipeline.classifier.freeze = \"yes\": must be true, false, a list of "
         "names of parameters or layers, such as [\"layers.0\", \"*.bias\"], or a table with "
         "until_epoch or except, not a string\n    fix: write true"},
        {"a priority that is not a number", "hidden_sizes = [128]", "priority = \"first\"",
         "e.toml:34:12: pipeline.classifier.priority = \"first\": must be a real, not a string"},
        {"a priority given twice", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\npriority = 3\n[pipeline.batches]\ntype = "
         "\"BatchSizeStatistics\"\npriority = 3.0",
         "e.toml:44:12: pipeline.batches.priority = 3.0: must be unique; pipeline.nll_loss at "
         "e.toml:41:12 has it too"},
        {"a component without a type", "type = \"NLLLoss\"", "",
         "e.toml:39:1: pipeline.nll_loss.type: required, but missing: the name of a type, as LeNet5 or plugin/LeNet5 (the kind of component)"},
        {"streams that are a list", "streams = { inputs = \"features\" }",
         "streams = [\"features\"]",
         "e.toml:36:11: pipeline.classifier.streams = [\"features\"]: must be a table of strings, not a "
         "list"},
        {"a stream that is a number", "streams = { inputs = \"features\" }",
         "streams = { inputs = 1 }",
         "e.toml:36:22: pipeline.classifier.streams.inputs = 1: must be a string, not an integer"},
        {"no [training]", "", "[pipeline.nll_loss]\ntype = \"NLLLoss\"\n",
         "e.toml: training: required, but missing: a table (what is trained on, and how)"},
        {"no [pipeline]", "",
         "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\ntask = { type = \"SortOfCLEVR\", "
         "batch_size = 1 }\n",
         "e.toml: pipeline: required, but missing: a table (the components, each a table)"},
        {"three things at once", "seed = 1\n\n[vars]",
         "sead = 1\ndevice = \"gpu\"\nname2 = \"\"\n\n[vars]",
         "e.toml:2:1: sead: unknown key; did you mean 'seed'?\ne.toml:3:10: device = \"gpu\": "
         "must be cpu, cuda or cuda:N\n    fix: write device = \"cuda\"\ne.toml:4:1: name2: unknown key; did you mean 'name'?"},
    };
    ptp::test::check_all(experiments);
}

}  // namespace wrong_files_test
