// The record of an experiment, with all its defaults.

#include "base/toml_writer.hpp"
#include "experiment/experiment.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>

namespace resolved_tree_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;
namespace fs = std::filesystem;

namespace {

Experiment read(const std::string& text) {
    Loader loader(text);
    Experiment experiment = loader.read();
    REQUIRE(loader.problems() == "");
    return experiment;
}

}  // namespace

TEST_CASE("record: the complete experiment with its defaults") {
    const Experiment experiment = read(kSmallest);
    CHECK(to_toml(resolved_tree(experiment)) == R"(name = "x"
device = "cpu"

[training]
worker = "offline"
accumulate = 1
precision = "float32"

[training.task]
type = "MNIST"
batch_size = 8

[training.dataloader]
mode = "ordered"
num_workers = 1
shuffle = true
drop_last = false
prefetch = 2

[training.optimizer]
type = "Adam"
lr = 0.001
weight_decay = 0.0
betas = [0.9, 0.999]
eps = 1e-08
amsgrad = false

[training.terminal_conditions]
epoch_limit = 10
episode_limit = -1
divergence_factor = 1000.0

[checkpoint]
every_episodes = 0
every = "10m"
keep = 2

[swap]
numbers = "may_change"
rehearse = "thread"
time_limit = "30s"

[distributed]
buffers = "first"
compression = "none"
sharded_optimizer = false
timeout = "1m"

[pipeline]
name = "x"

[pipeline.net]
type = "LeNet5"
)");
}

TEST_CASE("record: a component with everything, its paths absolute") {
    Loader loader(
        replaced(kExample, "freeze = false",
                 "freeze = true\nenabled = false\nload = { from = 'w', component = 'm' }\n"
                 "phases = ['test']\nskip_if_missing = true\nhidden = [{ a = 1.0, b = [] "
                 "}]\nstatistics = { a = 'b' }"));
    const Value record = resolved_tree(loader.read());
    CHECK(*record.find_path("pipeline.lenet5") ==
          Value::table(
              {{"type", "LeNet5"},
               {"priority", 1.0},
               {"load", Value::table({{"from", loader.folder() + "/w"}, {"component", "m"}})},
               {"freeze", true},
               {"enabled", false},
               {"phases", Value::list({"test"})},
               {"skip_if_missing", true},
               {"hidden", Value::list({Value::table({{"a", 1.0}, {"b", Value::list({})}})})},
               {"globals", Value::table({{"prediction_size", "num_classes"}})},
               {"statistics", Value::table({{"a", "b"}})}}));
    CHECK(*record.find_path("plugins.path") ==
          Value::list({loader.folder() + "/plugins", "/opt/ptp"}));
    CHECK(*record.find_path("training.sampler.indices") == Value::list({0, 55000}));
    CHECK(*record.find_path("training.task.streams") == Value::table({{"inputs", "images"}}));
    CHECK(*record.find("seed") == Value(7));
    CHECK(*record.find_path("training.gradient_clipping") == Value(0.5));
}

TEST_CASE("record: what shares a frozen model says no more than that, and is read again") {
    for (const char* freeze : {"true", "false", "{ until_epoch = 2 }", "['fc']"}) {
        const std::string text =
            replaced(replaced(kExample, "type = \"basic/NLLLoss\"", "share = 'lenet5'"),
                     "freeze = false", std::string("freeze = ") + freeze);
        const Value record = resolved_tree(read(text));
        CHECK(*record.find_path("pipeline.loss.share") == Value("lenet5"));
        for (const char* key : {"type", "freeze", "load", "globals"}) {
            CHECK(record.find_path(std::string("pipeline.loss.") + key) == nullptr);
        }
        CHECK(resolved_tree(read(to_toml(record))) == record);
    }
}

TEST_CASE("record: a load says what it means, the name of its component too") {
    const auto recorded = [](const std::string& load) {
        return *resolved_tree(read(replaced(kExample, "freeze = false", load)))
                    .find_path("pipeline.lenet5.load");
    };
    CHECK(*recorded("load = '/w'").find("component") == Value("lenet5"));
    const Value table = recorded("load = { from = '/w', component = '', except = ['fc'] }");
    CHECK(table ==
          Value::table({{"from", "/w"}, {"component", ""}, {"except", Value::list({"fc"})}}));
}

TEST_CASE("record: a constant in the place of a global's name is recorded as it is") {
    const std::string text = replaced(kExample, "{ prediction_size = \"num_classes\" }",
                                      "{ prediction_size = 10, a = [1, 2.5], b = { c = true } }");
    const Value record = resolved_tree(read(text));
    const Value expected = Value::table({{"prediction_size", 10},
                                         {"a", Value::list({1, 2.5})},
                                         {"b", Value::table({{"c", true}})}});
    CHECK(*record.find_path("pipeline.lenet5.globals") == expected);
    CHECK(resolved_tree(read(to_toml(record))) == record);
}

TEST_CASE("record: it reads back to the same record, from any folder") {
    std::string full = replaced(kExample, "freeze = false",
                                "freeze = ['a.*']\nenabled = false\nload = { from = 'w', component "
                                "= '', except = ['x'], only "
                                "= ['y'], rename = { '0.' = 'a.', b = '' } }\n"
                                "hidden = [{ a = 1.0, b = [] }]\nstatistics = { a = 'b' }");
    full = replaced(full, "[0, 55000]", "'1,2,5'");
    full = replaced(full, "num_workers = 2", "mode = 'reservoir'\nreservoir_size = 20");
    full =
        replaced(full, "disable = []", "load = { from = 'runs/x', strict = false }\nfreeze = true");
    full = replaced(full, "type = \"basic/NLLLoss\"",
                    "type = 'NLLLoss'\nphases = ['training', 'validation']\n"
                    "skip_if_missing = true");
    full +=
        "[validation.sampler]\ntype = 'kFoldWeightedRandomSampler'\nfolds = 3\nfold = 2\n"
        "weights = [0.1, 2]\nsamples = 7\n";
    full +=
        "[test.task]\ntype = 'T'\nbatch_size = 1\n[test.sampler]\ntype = "
        "'StratifiedSplitSampler'\nshare = [0, 0.1]\nseed = 4\nlabels = [0, 1]\n";
    full = replaced(full, "type = \"Adam\"", "type = \"RMSprop\"");
    const std::string layers_until =
        replaced(full, "freeze = ['a.*']", "freeze = { until_epoch = 3, layers = ['a.*'] }");
    const std::string all_until =
        replaced(full, "freeze = ['a.*']", "freeze = { until_epoch = 3 }");
    const std::string judged =
        replaced(full, "gradient_clipping = 0.5",
                 "gradient_clipping = 0.5\njudge = { statistic = 'a', better = 'larger' }");
    const std::string drawn = replaced(full, "weights = [0.1, 2]", "weights = 'task'");
    CHECK(to_toml(resolved_tree(read(layers_until))).find("until_epoch = 3") != std::string::npos);
    CHECK(to_toml(resolved_tree(read(drawn))).find("weights = \"task\"") != std::string::npos);
    for (const std::string& text : {full, layers_until, all_until, judged, drawn,
                                    std::string(kExample), std::string(kSmallest)}) {
        const Value record = resolved_tree(read(text));
        const Value again = resolved_tree(read(to_toml(record)));
        CAPTURE(to_toml(record));
        CHECK(again == record);
        CHECK(to_toml(again) == to_toml(record));
    }
}

}  // namespace resolved_tree_test
