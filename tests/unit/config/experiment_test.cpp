// What a valid experiment becomes, and its record.

#include "config/experiment.hpp"

#include "config/write.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>

using namespace ptp::config;
using namespace ptp::config::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kSmallest =
    "[training.task]\ntype = 'MNIST'\nbatch_size = 8\n"
    "[training.optimizer]\ntype = 'Adam'\n[pipeline.net]\ntype = 'LeNet5'\n";

Experiment read(const std::string& text) {
    Loader loader(text);
    Experiment experiment = loader.read();
    REQUIRE(loader.problems() == "");
    return experiment;
}

Indices indices(const std::string& toml, const std::string& file = "") {
    Loader loader(replaced(kExample, "[0, 55000]", toml));
    loader.write("sets/a.txt", file);
    const Experiment experiment = loader.read();
    REQUIRE(loader.problems() == "");
    REQUIRE(experiment.training.sampler->indices);
    return *experiment.training.sampler->indices;
}

}  // namespace

TEST_CASE("experiment: everything that is written arrives") {
    Loader loader(kExample);
    const Experiment experiment = loader.read();
    REQUIRE(loader.problems() == "");
    CHECK(experiment.name == "digits");
    CHECK(experiment.seed == 7);
    CHECK(experiment.device == "cuda:1");
    CHECK(experiment.plugin_path ==
          std::vector<fs::path>{fs::path(loader.folder()) / "plugins", "/opt/ptp"});
    const Training& training = experiment.training;
    CHECK(training.name == "training");
    REQUIRE(training.gradient_clipping);
    CHECK(training.gradient_clipping->limit == 0.5);
    CHECK_FALSE(training.gradient_clipping->is_by_norm);
    CHECK(training.task.path == "training.task");
    CHECK(training.task.type == "FashionMNIST");
    CHECK(training.task.type_place.line() == 12);
    CHECK(training.task.batch_size == 64);
    CHECK(training.task.settings == Value::table({{"resize_image", Value::list({32, 32})}}));
    CHECK(training.task.settings.members()[0].key_place.line() == 14);
    CHECK(renamed(training.task.names.streams, "inputs") == "images");
    CHECK(renamed(training.task.names.streams, "labels") == "labels");
    CHECK(training.dataloader.num_workers == 2);
    CHECK(training.optimizer.type == "Adam");
    CHECK(training.optimizer.lr == 0.002);
    CHECK(training.terminal_conditions.epoch_limit == 5);
    CHECK(experiment.validation->task.batch_size == 100);
    CHECK_FALSE(experiment.test);
}

TEST_CASE("experiment: components arrive in their order") {
    const Pipeline pipeline = read(kExample).pipeline;
    CHECK(pipeline.name == "digits");
    REQUIRE(pipeline.components.size() == 2);
    const ComponentEntry& net = pipeline.components[0];
    CHECK(net.name == "lenet5");
    CHECK(net.path == "pipeline.lenet5");
    CHECK(net.type == "LeNet5");
    CHECK(net.place.line() == 38);
    CHECK(net.priority == 1.0);
    CHECK(net.priority_place.line() == 40);
    CHECK_FALSE(net.is_frozen);
    CHECK(net.freeze_place.line() == 42);
    CHECK(net.is_enabled);
    CHECK(net.settings == Value());
    CHECK(renamed(net.names.globals, "prediction_size") == "num_classes");
    const ComponentEntry& loss = pipeline.components[1];
    CHECK(loss.type == "basic/NLLLoss");
    CHECK_FALSE(loss.priority);
    CHECK(loss.freeze_place == Place());
    CHECK(loss.names.streams[1].from == "predictions");
    CHECK(loss.names.streams[1].to == "scores");
    CHECK(loss.names.streams[1].to_place.line() == 46);
}

TEST_CASE("experiment: what is not written has its default") {
    const Experiment experiment = read(kSmallest);
    CHECK(experiment.name == "x");
    CHECK(experiment.pipeline.name == "x");
    CHECK_FALSE(experiment.seed);
    CHECK(experiment.device == "cpu");
    CHECK(experiment.plugin_path.empty());
    CHECK_FALSE(experiment.validation);
    const Training& training = experiment.training;
    CHECK_FALSE(training.gradient_clipping);
    CHECK_FALSE(training.sampler);
    CHECK(training.dataloader.num_workers == 1);
    CHECK(training.dataloader.shuffle);
    CHECK_FALSE(training.dataloader.drop_last);
    CHECK(training.dataloader.prefetch == 2);
    CHECK(training.terminal_conditions.epoch_limit == 10);
    CHECK(training.terminal_conditions.episode_limit == -1);
}

TEST_CASE("experiment: a loss ends a training that has no validation only where it is asked to") {
    const TerminalConditions none = read(kSmallest).training.terminal_conditions;
    CHECK_FALSE(none.loss_stop_threshold);
    CHECK(none.early_stop_validations == 0);

    const std::string validated =
        std::string(kSmallest) + "[validation.task]\ntype = 'MNIST'\nbatch_size = 8\n";
    const TerminalConditions defaults = read(validated).training.terminal_conditions;
    CHECK(defaults.loss_stop_threshold == 1e-5);
    CHECK(defaults.early_stop_validations == 10);

    const Experiment asked = read(std::string(kSmallest) +
                                  "[training.terminal_conditions]\nloss_stop_threshold = 0.1\n");
    CHECK(asked.training.terminal_conditions.loss_stop_threshold == 0.1);
    const Value record = resolved_tree(asked);
    CHECK(record.find_path("training.terminal_conditions.loss_stop_threshold")->as_real() == 0.1);
}

TEST_CASE("experiment: only training without a sampler shuffles by itself") {
    const Experiment experiment = read(kExample);
    CHECK_FALSE(experiment.training.dataloader.shuffle);
    CHECK_FALSE(experiment.validation->dataloader.shuffle);
    const Experiment shuffled =
        read(std::string(kExample) + "[validation.dataloader]\nshuffle = true");
    CHECK(shuffled.validation->dataloader.shuffle);
}

TEST_CASE("experiment: a seed of -1 is drawn by the program") {
    CHECK_FALSE(read(replaced(kExample, "seed = 7", "seed = -1")).seed);
    CHECK(read(replaced(kExample, "seed = 7", "seed = 0")).seed == 0);
}

TEST_CASE("experiment: optimizers have torch's defaults") {
    const auto optimizer = [](const std::string& text) {
        return read(replaced(kSmallest, "type = 'Adam'", text)).training.optimizer;
    };
    const Optimizer adam = optimizer("type = 'Adam'");
    CHECK(adam.lr == 1e-3);
    CHECK(adam.betas[0] == 0.9);
    CHECK(adam.betas[1] == 0.999);
    CHECK(adam.eps == 1e-8);
    CHECK(adam.weight_decay == 0);
    CHECK_FALSE(adam.amsgrad);
    CHECK(optimizer("type = 'AdamW'").lr == 1e-3);
    CHECK(optimizer("type = 'AdamW'").weight_decay == 1e-2);
    const Optimizer rmsprop = optimizer("type = 'RMSprop'");
    CHECK(rmsprop.lr == 1e-2);
    CHECK(rmsprop.alpha == 0.99);
    CHECK(rmsprop.momentum == 0);
    CHECK_FALSE(rmsprop.centered);
    const Optimizer sgd = optimizer("type = 'SGD'\nlr = 1\nmomentum = 0.9\nnesterov = true");
    CHECK(sgd.lr == 1.0);
    CHECK(sgd.momentum == 0.9);
    CHECK(sgd.dampening == 0);
    CHECK(sgd.nesterov);
}

TEST_CASE("experiment: indices come from a list, a text or a file, and two numbers are a range") {
    CHECK(indices("[0, 55000]").is_range);
    CHECK(indices("[0, 55000]").size() == 55000);
    CHECK(indices("[0, 55000]").largest() == 54999);
    CHECK(indices("[3, 6]").expanded() == std::vector<std::int64_t>{3, 4, 5});
    CHECK_FALSE(indices("[7, 1, 4]").is_range);
    CHECK(indices("[7, 1, 4]").expanded() == std::vector<std::int64_t>{7, 1, 4});
    CHECK(indices("[7, 1, 4]").largest() == 7);
    CHECK(indices("[7]").expanded() == std::vector<std::int64_t>{7});
    CHECK(indices("'7, 1,4'").expanded() == std::vector<std::int64_t>{7, 1, 4});
    CHECK(indices("'2,4'").expanded() == std::vector<std::int64_t>{2, 3});
    CHECK(indices("'sets/a.txt'", "5, 6,9\r\n\n7,\n8").expanded() ==
          std::vector<std::int64_t>{5, 6, 9, 7, 8});
    CHECK(indices("'sets/a.txt'", "2,4").expanded() == std::vector<std::int64_t>{2, 3});
}

TEST_CASE("experiment: a component is disabled by its own key or by the pipeline's list") {
    const Pipeline by_list =
        read(replaced(kExample, "disable = []", "disable = ['lenet5']")).pipeline;
    CHECK_FALSE(by_list.components[0].is_enabled);
    CHECK(by_list.components[1].is_enabled);
    const Pipeline by_key = read(replaced(kExample, "freeze = false", "enabled = false")).pipeline;
    CHECK_FALSE(by_key.components[0].is_enabled);
}

TEST_CASE("experiment: a disabled component's priority is free for another") {
    std::string text = replaced(kExample, "freeze = false", "enabled = false");
    text = replaced(text, "type = \"basic/NLLLoss\"", "type = 'NLLLoss'\npriority = 1");
    CHECK(problems_of(text) == "");
}

TEST_CASE("experiment: weights are loaded from a file, under the own name or another") {
    struct Case {
        const char* toml;
        const char* file;
        const char* component;
    };
    const Case cases[] = {
        {"load = 'a/b.ckpt'", "a/b.ckpt", "lenet5"},
        {"load = { from = 'b' }", "b", "lenet5"},
        {"load = { from = '~/b', component = 'net' }", "home/b", "net"},
        {"load = { from = 'b', component = '' }", "b", ""},
    };
    for (const Case& c : cases) {
        CAPTURE(c.toml);
        Loader loader(replaced(kExample, "freeze = false", c.toml));
        const Experiment experiment = loader.read();
        REQUIRE(loader.problems() == "");
        const Load& load = *experiment.pipeline.components[0].load;
        CHECK(load.from == fs::path(loader.folder()) / c.file);
        CHECK(load.component == c.component);
        CHECK(load.is_strict);
    }
}

TEST_CASE("experiment: a load may leave out layers") {
    const auto read_load = [](const std::string& text) {
        return *read(replaced(kExample, "freeze = false", text)).pipeline.components[0].load;
    };
    CHECK(read_load("load = 'b'").except.empty());
    CHECK(read_load("load = { from = 'b', except = ['fc', 'a.b'] }").except ==
          std::vector<std::string>{"fc", "a.b"});
}

TEST_CASE("experiment: a whole pipeline is loaded and frozen") {
    const Pipeline plain = read(kExample).pipeline;
    CHECK_FALSE(plain.load);
    CHECK_FALSE(plain.is_frozen);
    Loader loader(replaced(kExample, "disable = []",
                           "load = { from = 'runs/x', strict = false }\nfreeze = true"));
    const Pipeline pipeline = loader.read().pipeline;
    REQUIRE(loader.problems() == "");
    CHECK(pipeline.load->from == fs::path(loader.folder()) / "runs/x");
    CHECK_FALSE(pipeline.load->is_strict);
    CHECK_FALSE(pipeline.load->component);
    CHECK(pipeline.is_frozen);
}

TEST_CASE("experiment: a component runs in all phases or in those that it names") {
    const auto component = [](const char* text) {
        return read(replaced(kExample, "freeze = false", text)).pipeline.components[0];
    };
    const ComponentEntry everywhere = component("");
    const ComponentEntry some = component("phases = ['training', 'process']");
    for (const std::string_view phase : kPhases) {
        CHECK(everywhere.runs_in(phase));
        CHECK(some.runs_in(phase) == (phase == "training" || phase == "process"));
    }
    CHECK_FALSE(everywhere.skip_if_missing);
    CHECK(component("skip_if_missing = true").skip_if_missing);
}

TEST_CASE("experiment: a reservoir has a size and an exchange") {
    const DataLoader loader = read(replaced(kExample, "num_workers = 2",
                                            "mode = 'reservoir'\nreservoir_size = 9\n"
                                            "reservoir_exchange = 3"))
                                  .training.dataloader;
    CHECK(loader.is_reservoir());
    CHECK(loader.reservoir_size == 9);
    CHECK(loader.reservoir_exchange == 3);
    CHECK_FALSE(read(kExample).training.dataloader.is_reservoir());
}

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
num_workers = 1
shuffle = true
drop_last = false
prefetch = 2
mode = "ordered"

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
    for (const std::string& text : {full, std::string(kExample), std::string(kSmallest)}) {
        const Value record = resolved_tree(read(text));
        const Value again = resolved_tree(read(to_toml(record)));
        CAPTURE(to_toml(record));
        CHECK(again == record);
        CHECK(to_toml(again) == to_toml(record));
    }
}
