// Mistakes of [pipeline] and its components, in the example with one place changed.

#include "experiment/experiment.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

namespace read_components_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

TEST_CASE("experiment: wrong pipelines are refused") {
    check_changes({
        {"disable = []", "disable = ['lenet', 'other']",
         "x.toml:36:12: pipeline.disable[0] = \"lenet\": unknown component; did you mean "
         "'lenet5'?\n"
         "x.toml:36:21: pipeline.disable[1] = \"other\": unknown component; known: lenet5, loss"},
        {"disable = []", "disable = 'loss'",
         "x.toml:36:11: pipeline.disable = \"loss\": must be a list of names of components, not a "
         "string\n    fix: write disable = [\"loss\"]"},
        {"disable = []", "disable = ['loss', 'lenet5']",
         "x.toml:35:1: pipeline: all components are disabled"},
        {"disable = []", "disabel = []",
         "x.toml:36:11: pipeline.disabel = []: unknown key; did you mean 'disable'?"},
        {"disable = []", "lenet = 'LeNet5'",
         "x.toml:36:9: pipeline.lenet = \"LeNet5\": a component must be a table, not a string\n"
         "    fix: write lenet = { type = \"LeNet5\" }"},
        {"[pipeline.lenet5]", "[[pipeline.lenet5]]",
         "x.toml:38:1: pipeline.lenet5 = [{ type = \"LeNet5\", priority = 1, globals = { "
         "prediction_siz...: a component must be a table, not a list\n"
         "    fix: write [pipeline.lenet5] in place of [[pipeline.lenet5]]"},
        {"disable = []", "name = 5",
         "x.toml:36:8: pipeline.name = 5: must be a string, not an integer"},
        {"[pipeline.lenet5]", "[pipeline.freeze]",
         "x.toml:38:1: pipeline.freeze = { type = \"LeNet5\", priority = 1, globals = { "
         "prediction_size...: must be a boolean, not a table"},
        {"[pipeline.lenet5]", "[pipeline.LeNet5]",
         "x.toml:38:11: pipeline.LeNet5: the name of a component must be in snake_case, as "
         "image_encoder"},
        {"[pipeline.lenet5]", "[pipeline.'le net']",
         "x.toml:38:11: pipeline.\"le net\": the name of a component must be in snake_case, as "
         "image_encoder"},
        {"[pipeline.lenet5]", "[pipeline.5lenet]",
         "x.toml:38:11: pipeline.5lenet: the name of a component must be in snake_case, as "
         "image_encoder"},
    });
}

TEST_CASE("experiment: what shares a model has no parameters of its own") {
    CHECK(
        problems_of(replaced(kExample, "type = \"basic/NLLLoss\"", "share = 'lenet5'") +
                        "\n[training.optimizer.groups.loss]\nlr = 0.1\n",
                    {}) ==
        "x.toml:48:28: training.optimizer.groups.loss: its parameters are those of 'lenet5'; write training.optimizer.groups.lenet5");
}

TEST_CASE("experiment: wrong components are refused") {
    check_changes({
        {"type = \"LeNet5\"", "type = 5",
         "x.toml:39:8: pipeline.lenet5.type = 5: must be the name of a type, as LeNet5 or plugin/LeNet5, not an integer"},
        {"priority = 1", "priority = 'first'",
         "x.toml:40:12: pipeline.lenet5.priority = \"first\": must be a real, not a string"},
        {"priority = 1", "priority = inf",
         "x.toml:40:12: pipeline.lenet5.priority = inf: must be finite"},
        {"type = \"basic/NLLLoss\"", "type = \"basic/NLLLoss\"\npriority = 1.0",
         "x.toml:46:12: pipeline.loss.priority = 1.0: must be unique; pipeline.lenet5 at "
         "x.toml:40:12 has it too"},
        {"priority = 1", "batch_size = 1",
         "x.toml:40:1: pipeline.lenet5.batch_size: has no meaning for a component"},
        {"{ prediction_size = \"num_classes\" }", "{ prediction_size = \"\" }",
         "x.toml:41:31: pipeline.lenet5.globals.prediction_size = \"\": must not be empty"},
        {"type = \"basic/NLLLoss\"", "share = 'lenet'",
         "x.toml:45:9: pipeline.loss.share = \"lenet\": unknown component; did you mean 'lenet5'?"},
        {"type = \"basic/NLLLoss\"", "share = 'loss'",
         "x.toml:45:9: pipeline.loss.share = \"loss\": 'loss' shares another one itself; name the "
         "model that has the type"},
        {"type = \"basic/NLLLoss\"", "share = 'lenet5'\ntype = 'NLLLoss'\nfreeze = true\nwidth = 3",
         "x.toml:46:1: pipeline.loss.type: has no meaning beside share: it is written where the "
         "shared model is\n"
         "x.toml:47:1: pipeline.loss.freeze: has no meaning beside share: it is written where the "
         "shared model is\n"
         "x.toml:48:1: pipeline.loss.width: has no meaning beside share: it is written where the "
         "shared model is"},
        {"freeze = false", "freeze = 'no'",
         "x.toml:42:10: pipeline.lenet5.freeze = \"no\": must be true, false, a list of names of "
         "parameters or layers, such as [\"layers.0\", \"*.bias\"], or a table with until_epoch or "
         "except, not a string\n    fix: write false"},
        {"freeze = false", "freeze = { until_epoch = 0, layer = ['a'] }",
         "x.toml:42:26: pipeline.lenet5.freeze.until_epoch = 0: must be in [1, inf)\n"
         "x.toml:42:29: pipeline.lenet5.freeze.layer: unknown key; did you mean 'layers'?"},
        {"freeze = false", "freeze = { layers = [] }",
         "x.toml:42:21: pipeline.lenet5.freeze.layers = []: must have at least 1 item, has 0"},
        {"freeze = false", "freeze = { layers = ['a'], except = ['b'] }",
         "x.toml:42:37: pipeline.lenet5.freeze.except = [\"b\"]: has no meaning beside layers"},
        {"freeze = false", "enabled = 0",
         "x.toml:42:11: pipeline.lenet5.enabled = 0: must be a boolean, not an integer\n"
         "    fix: write false"},
        {"freeze = false", "load = 5",
         "x.toml:42:8: pipeline.lenet5.load = 5: must be the name of a run, a checkpoint or a file, or a table with it, not an integer"},
        {"freeze = false", "load = ''",
         "x.toml:42:8: pipeline.lenet5.load = \"\": must be the name of a run, a checkpoint or a "
         "file, or a table with it, not empty"},
        {"freeze = false", "load = '~you/a'",
         "x.toml:42:8: pipeline.lenet5.load = \"~you/a\": '~' is not known here: use an absolute path"},
        {"freeze = false", "load = { component = 'a' }",
         "x.toml:42:8: pipeline.lenet5.load.from: required, but missing: the name of a run, a checkpoint or a file (the folder of a run or a checkpoint, or a file)"},
        {"freeze = false", "load = { from = 'a', strict = 'no' }",
         "x.toml:42:31: pipeline.lenet5.load.strict = \"no\": must be a boolean, not a string\n"
         "    fix: write false"},
        {"freeze = false", "load = { form = 'a' }",
         "x.toml:42:8: pipeline.lenet5.load.from: required, but missing: the name of a run, a checkpoint or a file (the folder of a run or a checkpoint, or a file)\n"
         "x.toml:42:10: pipeline.lenet5.load.form: unknown key; did you mean 'from'?"},
        {"disable = []", "load = { from = 'a', component = 'b' }",
         "x.toml:36:22: pipeline.load.component: unknown key; known: from, strict, rename"},
        {"disable = []", "freeze = 1",
         "x.toml:36:10: pipeline.freeze = 1: must be a boolean, not an integer\n"
         "    fix: write true"},
        {"freeze = false", "phases = 'training'",
         "x.toml:42:10: pipeline.lenet5.phases = \"training\": must be a list of strings, one of "
         "training, validation, test, process, predict, not a string\n"
         "    fix: write phases = [\"training\"]"},
        {"freeze = false", "phases = []",
         "x.toml:42:10: pipeline.lenet5.phases = []: must have at least 1 item, has 0"},
        {"freeze = false", "phases = ['train', 1]",
         "x.toml:42:11: pipeline.lenet5.phases[0] = \"train\": must be one of training, validation, test, process, predict; did you mean 'training'?\n"
         "x.toml:42:20: pipeline.lenet5.phases[1] = 1: must be a string, one of training, validation, test, process, predict, not an integer"},
        {"freeze = false", "skip_if_missing = 1",
         "x.toml:42:19: pipeline.lenet5.skip_if_missing = 1: must be a boolean, not an integer\n"
         "    fix: write true"},
    });
}

}  // namespace read_components_test
