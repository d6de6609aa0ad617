// What a valid experiment becomes.

#include "experiment/experiment.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace experiment_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;
namespace fs = std::filesystem;

namespace {

Subset indices(const std::string& toml, const std::string& file = "") {
    Loader loader(replaced(kExample, "[0, 55000]", toml));
    loader.write("sets/a.txt", file);
    const Experiment experiment = loader.read();
    REQUIRE(loader.problems() == "");
    REQUIRE(experiment.training.sampler->get<Subset>() != nullptr);
    return *experiment.training.sampler->get<Subset>();
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
    CHECK(name_of(training.optimizer) == "Adam");
    CHECK(optimizer::lr_of(training.optimizer) == 0.002);
    CHECK(training.terminal_conditions.epoch_limit == 5);
    CHECK(experiment.validation->task.batch_size == 100);
    CHECK_FALSE(experiment.test);
}

TEST_CASE("experiment: components arrive in their order") {
    const Pipeline pipeline = read_valid(kExample).pipeline;
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
    CHECK(loss.freeze_place == SourceLocation());
    CHECK(loss.names.streams[1].from == "predictions");
    CHECK(loss.names.streams[1].to == "scores");
    CHECK(loss.names.streams[1].to_place.line() == 46);
}

TEST_CASE("experiment: what is not written has its default") {
    const Experiment experiment = read_valid(kSmallest);
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
    const TerminalConditions none = read_valid(kSmallest).training.terminal_conditions;
    CHECK_FALSE(none.loss_stop_threshold);
    CHECK(none.early_stop_validations == 0);

    const std::string validated =
        std::string(kSmallest) + "[validation.task]\ntype = 'MNIST'\nbatch_size = 8\n";
    const TerminalConditions defaults = read_valid(validated).training.terminal_conditions;
    CHECK(defaults.loss_stop_threshold == 1e-5);
    CHECK(defaults.early_stop_validations == 0);

    const Experiment asked = read_valid(
        std::string(kSmallest) + "[training.terminal_conditions]\nloss_stop_threshold = 0.1\n");
    CHECK(asked.training.terminal_conditions.loss_stop_threshold == 0.1);
    const Value record = resolved_tree(asked);
    CHECK(record.find_path("training.terminal_conditions.loss_stop_threshold")->as_real() == 0.1);
}

TEST_CASE("experiment: only training without a sampler shuffles by itself") {
    const Experiment experiment = read_valid(kExample);
    CHECK_FALSE(experiment.training.dataloader.shuffle);
    CHECK_FALSE(experiment.validation->dataloader.shuffle);
    const Experiment shuffled =
        read_valid(std::string(kExample) + "[validation.dataloader]\nshuffle = true");
    CHECK(shuffled.validation->dataloader.shuffle);
}

TEST_CASE("experiment: a seed of -1 is drawn by the program") {
    CHECK_FALSE(read_valid(replaced(kExample, "seed = 7", "seed = -1")).seed);
    CHECK(read_valid(replaced(kExample, "seed = 7", "seed = 0")).seed == 0);
}

TEST_CASE("experiment: indices come from a list, a text or a file, and two numbers are a range") {
    CHECK(indices("[0, 55000]").expanded().size() == 55000);
    CHECK(indices("[0, 55000]").largest() == 54999);
    CHECK(indices("[3, 6]").expanded() == std::vector<std::int64_t>{3, 4, 5});
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
        read_valid(replaced(kExample, "disable = []", "disable = ['lenet5']")).pipeline;
    CHECK_FALSE(by_list.components[0].is_enabled);
    CHECK(by_list.components[1].is_enabled);
    const Pipeline by_key =
        read_valid(replaced(kExample, "freeze = false", "enabled = false")).pipeline;
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
        return *read_valid(replaced(kExample, "freeze = false", text)).pipeline.components[0].load;
    };
    CHECK(read_load("load = 'b'").except.empty());
    CHECK(read_load("load = { from = 'b', except = ['fc', 'a.b'] }").except ==
          std::vector<std::string>{"fc", "a.b"});
}

TEST_CASE("experiment: a whole pipeline is loaded and frozen") {
    const Pipeline plain = read_valid(kExample).pipeline;
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
        return read_valid(replaced(kExample, "freeze = false", text)).pipeline.components[0];
    };
    CHECK(component("").phases.empty());
    CHECK(component("phases = ['training', 'predict']").phases ==
          std::vector<std::string>{"training", "predict"});
    CHECK_FALSE(component("").skip_if_missing);
    CHECK(component("skip_if_missing = true").skip_if_missing);
}

TEST_CASE("experiment: a reservoir has a size and an exchange") {
    const DataLoader loader = read_valid(replaced(kExample, "num_workers = 2",
                                                  "mode = 'reservoir'\nreservoir_size = 9\n"
                                                  "reservoir_exchange = 3"))
                                  .training.dataloader;
    CHECK(loader.is_reservoir());
    CHECK(loader.reservoir_size == 9);
    CHECK(loader.reservoir_exchange == 3);
    CHECK_FALSE(read_valid(kExample).training.dataloader.is_reservoir());
}

}  // namespace experiment_test
