// The record of an experiment, with all its defaults.

#include "base/toml_writer.hpp"
#include "experiment/experiment.hpp"
#include "experiment/resumable.hpp"
#include "schema/key_path.hpp"
#include "schema/key_record.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <regex>
#include <set>
#include <string>

namespace resolved_tree_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

namespace {

// Keys of each section, with values that are not their defaults.
constexpr const char* kSection = R"(batch_limit = 9
task.type = "T"
task.batch_size = 3
task.streams = { a = "b" }
task.globals = { c = "d" }
task.statistics = { e = "f" }
task.size = 4
dataloader = { mode = "ordered", num_workers = 2, shuffle = false, drop_last = true, prefetch = 5 }
sampler = { type = "SubsetRandomSampler", indices = [1, 2, 5] }
)";

// An experiment with all keys that are declared, in the form of the record.
std::string every_key() {
    const std::string section = kSection;
    return R"(name = "x"
seed = 3
device = "cuda:1"
deterministic = false
interval = 5
plugins = { path = ["/p"] }
checkpoint = { every_epochs = 2, every_episodes = 3, every = "20s", keep = 4 }
swap = { components = ["net"], numbers = "same", rehearse = "thread", time_limit = "10s" }
distributed = { buffers = "mean", compression = "bf16", sharded_optimizer = true, timeout = "2m" }

[records]
json_lines = { every_episodes = 2 }
layer_values = { every_episodes = 5, operations = false }
probe = { every_epochs = 4, samples = [7, 3], section = "test", streams = ["a"] }
sample_values = { every_epochs = 3, max_classes = 4, examples = 5, streams = ["a"] }
tensorboard = { every_episodes = 3, histograms_every_episodes = 4, image_count = 5, images = ["a"] }

[report]
every_epochs = 2
max_share = 0.5
options = ["--max-size", "1"]
time_limit = "5s"

[report.explanations]
section = "test"
methods = ["saliency", "occlusion"]
preset = "captum"
target = "2"
against = "cat"
samples = 3
steps = 4
noisy_copies = 5
noise = 0.5
window = 6
stride = 7
layer = "net.1.conv2d"
baseline = 0.25
at_once = 9
seed = 10
check = false
classes = "names"

[search]
trials = 5
halving = 2
min_budget = 3
space = { "training.optimizer.lr" = { log_uniform = [0.5, 1.5] } }

[training]
worker = "online"
accumulate = 2
precision = "bf16"
gradient_clipping = { norm = 0.5 }
loss_weights = { loss = 0.5 }
on_bad_loss = { action = "rollback", limit = 4, lr_factor = 0.5 }
weight_average = { decay = 0.5, start_episode = 2 }
warm_up = { episodes = 3, start_factor = 0.25 }
scheduler = { type = "StepLR", step_size = 2, gamma = 0.5 }
judge = { statistic = "accuracy", better = "larger" }
)" + section +
           R"(
[training.terminal_conditions]
loss_stop_threshold = 0.5
early_stop_validations = 2
epoch_limit = 3
episode_limit = 4
wall_time = "1h"
divergence_factor = 2.5

[training.optimizer]
type = "Adam"
lr = 0.5
weight_decay = 0.25
betas = [0.5, 0.75]
eps = 0.125
amsgrad = true
fused = false
groups.head.lr = 0.25
groups.head.weight_decay = 0.5
groups.head.betas = [0.25, 0.5]
groups.head.eps = 0.25
groups.head.amsgrad = false
groups.head.fused = false
groups.head.frozen = true

[validation]
partial_validation_interval = 7
)" + section +
           "\n[test]\n" + section + "\n[process.easy]\n" + section + R"(
[pipeline]
name = "p"
load = { from = "/w", strict = false, rename = { a = "b" } }
freeze = true
disable = ["off"]

[pipeline.net]
type = "Net"
priority = 1.5
load.from = "/v"
load.component = "c"
load.strict = false
load.except = ["d"]
load.only = ["e"]
load.rename = { f = "g" }
freeze = { until_epoch = 2, layers = ["fc"] }
phases = ["training"]
skip_if_missing = true
pass_through = true
stage = "post"
streams = { a = "b" }
globals = { c = "d" }
statistics = { e = "f" }
size = 4

[pipeline.head]
type = "Head"
freeze = { except = ["fc"] }

[pipeline.twin]
share = "net"

[pipeline.either]
try = ["one", "two"]
phases = ["training"]
streams = { a = "b" }

[pipeline.one]
type = "One"

[pipeline.two]
type = "Two"

[pipeline.off]
type = "Off"
enabled = false
)";
}

const Value* table_at(const Value& tree, const std::string& path) {
    return path.empty() ? &tree : value_at(tree, path);
}

// Returns a path with "*" for a name that the experiment chooses.
std::string general(const std::string& path) {
    static const std::regex kNames(
        R"(^(pipeline|process|search\.space|training\.optimizer\.groups)\.("[^"]*"|[^.]+))");
    return std::regex_replace(path, kNames, "$1.*");
}

}  // namespace

TEST_CASE("record: every key that is declared is recorded, with its value") {
    Loader loader(every_key());
    const std::optional<Value> tree = loader.load();
    REQUIRE_MESSAGE(tree, loader.problems());
    schema::KeyRecord declared;
    Diagnostics problems;
    const Experiment experiment =
        read_experiment(*tree, {.default_name = "x", .keys = &declared}, problems);
    REQUIRE(problems.text() == "");
    std::set<std::string> wanted;
    std::set<std::string> written;
    for (const auto& [path, table] : declared.tables()) {
        for (const schema::Key& key : table.keys) {
            const std::string name = schema::below(general(path), key.name);
            const Value* const place = table_at(*tree, path);
            if (place != nullptr && place->find(key.name) != nullptr) {
                written.insert(name);
            } else if (!key.is_alternative) {
                wanted.insert(name);
            }
        }
    }
    for (const std::string& key : wanted) {
        CHECK_MESSAGE(written.contains(key), key << ": every_key() has to set it");
    }
    const Value record = resolved_tree(experiment);
    for (const auto& [key, value] : schema::flat(*tree)) {
        if (key == "pipeline.disable") {  // recorded as `enabled`
            continue;
        }
        CAPTURE(key);
        const Value* const recorded = value_at(record, key);
        CHECK((recorded != nullptr && *recorded == value));
    }
}

TEST_CASE("record: the complete experiment with its defaults") {
    const Experiment experiment = read_valid(kSmallest);
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
    Loader loader(replaced(
        kExample, "freeze = false",
        "freeze = true\nenabled = false\nload = { from = 'w', component = 'm' }\n"
        "phases = ['test']\nskip_if_missing = true\nstage = 'post'\nhidden = [{ a = 1.0, b = [] "
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
               {"stage", "post"},
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
        const Value record = resolved_tree(read_valid(text));
        CHECK(*record.find_path("pipeline.loss.share") == Value("lenet5"));
        for (const char* key : {"type", "freeze", "load", "globals"}) {
            CHECK(record.find_path(std::string("pipeline.loss.") + key) == nullptr);
        }
        CHECK(resolved_tree(read_valid(to_toml(record))) == record);
    }
}

TEST_CASE("record: a load says what it means, the name of its component too") {
    const auto recorded = [](const std::string& load) {
        return *resolved_tree(read_valid(replaced(kExample, "freeze = false", load)))
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
    const Value record = resolved_tree(read_valid(text));
    const Value expected = Value::table({{"prediction_size", 10},
                                         {"a", Value::list({1, 2.5})},
                                         {"b", Value::table({{"c", true}})}});
    CHECK(*record.find_path("pipeline.lenet5.globals") == expected);
    CHECK(resolved_tree(read_valid(to_toml(record))) == record);
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
    CHECK(to_toml(resolved_tree(read_valid(layers_until))).find("until_epoch = 3") !=
          std::string::npos);
    CHECK(to_toml(resolved_tree(read_valid(drawn))).find("weights = \"task\"") !=
          std::string::npos);
    for (const std::string& text : {full, layers_until, all_until, judged, drawn,
                                    std::string(kExample), std::string(kSmallest)}) {
        const Value record = resolved_tree(read_valid(text));
        const Value again = resolved_tree(read_valid(to_toml(record)));
        CAPTURE(to_toml(record));
        CHECK(again == record);
        CHECK(to_toml(again) == to_toml(record));
    }
}

}  // namespace resolved_tree_test
