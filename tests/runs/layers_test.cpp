// Layers by their names: frozen, loaded alone, and called otherwise in a file.

#include "runs/support.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <map>

namespace layers_test {

using namespace ptp::test;

namespace {

using Tensors = std::map<std::string, std::string>;  // the bytes of each
using Json = nlohmann::ordered_json;

constexpr const char* kNoRate = "is 0, so that no weight changes";
constexpr const char* kRandom = "which are usually random";  // of what is frozen
constexpr const char* kLast = "checkpoints/last/weights.safetensors";

struct File {
    Json header;
    std::string data;
};

File read_file(const std::string& bytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof(length));
    return {Json::parse(bytes.substr(sizeof(length), length)),
            bytes.substr(sizeof(length) + length)};
}

Tensors tensors_in(const std::string& bytes) {
    const File file = read_file(bytes);
    Tensors tensors;
    for (const auto& [name, info] : file.header.items()) {
        if (name != "__metadata__") {
            const auto begin = info["data_offsets"][0].get<std::size_t>();
            const auto end = info["data_offsets"][1].get<std::size_t>();
            tensors[name] = file.data.substr(begin, end - begin);
        }
    }
    return tensors;
}

// The same tensors under other names.
std::string renamed(const std::string& bytes, const std::map<std::string, std::string>& names) {
    const File file = read_file(bytes);
    Json header;
    for (const auto& [name, info] : file.header.items()) {
        header[names.contains(name) ? names.at(name) : name] = info;
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = text.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + text + file.data;
}

// Writes the tensors of the run `first` into a file of the other folder, where the layers have the
// names "0" and `last`; returns its path.
std::string renamed_first(const ExperimentFolder& folder, const ptp::test::TempFolder& other,
                          const std::string& last) {
    const std::string bytes = renamed(folder.read(std::string("first/") + kLast),
                                      {{"net.layers.0.weight", "0.weight"},
                                       {"net.layers.0.bias", "0.bias"},
                                       {"net.layers.3.weight", last + ".weight"},
                                       {"net.layers.3.bias", last + ".bias"}});
    return other.write("net.safetensors", bytes).string();
}

ProcessResult run(const ExperimentFolder& folder, const std::string& name,
                  const std::vector<std::string>& settings, bool is_trained = true) {
    std::vector<std::string> arguments = {"--set", "training.terminal_conditions.epoch_limit=1"};
    if (!is_trained) {
        arguments.insert(arguments.end(), {"--set", "training.optimizer.lr=0.0"});
    }
    for (const std::string& setting : settings) {
        arguments.insert(arguments.end(), {"--set", setting});
    }
    ProcessResult result = folder.run(name, arguments);
    result.errors = without_warnings(result.errors, kRandom);
    return result;
}

// After one epoch; without training those that the components began with.
Tensors trained(const ExperimentFolder& folder, const std::string& name,
                const std::vector<std::string>& settings, bool is_trained = true) {
    const ProcessResult result = run(folder, name, settings, is_trained);
    const std::string& errors =
        is_trained ? result.errors : without_warnings(result.errors, kNoRate);
    CHECK(without_excerpts(errors) == "");
    REQUIRE(result.status == 0);
    return tensors_in(folder.read(name + "/" + kLast));
}

}  // namespace

TEST_CASE("freeze: layers by name keep every bit, and the others are trained") {
    const ExperimentFolder folder;
    const Tensors first = trained(folder, "first", {}, false);
    const Tensors layer = trained(folder, "layer", {"pipeline.net.freeze=[\"layers.0\"]"});
    CHECK(layer.at("net.layers.0.weight") == first.at("net.layers.0.weight"));
    CHECK(layer.at("net.layers.0.bias") == first.at("net.layers.0.bias"));
    CHECK(layer.at("net.layers.3.weight") != first.at("net.layers.3.weight"));
    CHECK(layer.at("net.layers.3.bias") != first.at("net.layers.3.bias"));
    const Tensors biases = trained(folder, "biases", {"pipeline.net.freeze=[\"*.bias\"]"});
    CHECK(biases.at("net.layers.0.bias") == first.at("net.layers.0.bias"));
    CHECK(biases.at("net.layers.3.bias") == first.at("net.layers.3.bias"));
    CHECK(biases.at("net.layers.0.weight") != first.at("net.layers.0.weight"));
}

TEST_CASE("freeze: until an epoch keeps every bit up to it and trains from it on, resumed or not") {
    const ExperimentFolder folder({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"});
    const auto weights_after = [&](const std::string& name, const std::string& freeze, int epochs) {
        const ProcessResult result = folder.run(
            name, {"--set", "pipeline.net.freeze=" + freeze, "--set",
                   "training.terminal_conditions.epoch_limit=" + std::to_string(epochs)});
        CHECK(without_warnings(without_excerpts(result.errors), "pipeline.net.freeze") == "");
        REQUIRE(result.status == 0);
        return tensors_in(folder.read(name + "/" + kLast));
    };
    const Tensors first = trained(folder, "first", {}, false);
    const std::string freeze = "{ until_epoch = 2, layers = [\"layers.0\"] }";
    const Tensors frozen = weights_after("frozen", freeze, 2);
    CHECK(frozen.at("net.layers.0.weight") == first.at("net.layers.0.weight"));
    CHECK(frozen == weights_after("always", "[\"layers.0\"]", 2));
    const Tensors thawed = weights_after("thawed", freeze, 4);
    CHECK(thawed.at("net.layers.0.weight") != first.at("net.layers.0.weight"));
    CHECK(thawed.at("net.layers.0.bias") != first.at("net.layers.0.bias"));

    // Once before and once after that epoch.
    for (const int epochs : {3, 4}) {
        const ProcessResult resumed = ptp::test::run_program(
            "ptprun", {"resume", folder.run_folder("frozen"), "--set",
                       "training.terminal_conditions.epoch_limit=" + std::to_string(epochs)});
        CHECK(without_excerpts(resumed.errors) == "");
        REQUIRE(resumed.status == 0);
    }
    CHECK(tensors_in(folder.read(std::string("frozen/") + kLast)) == thawed);
}

TEST_CASE("freeze: with all models frozen until an epoch there is nothing to train before it") {
    const ExperimentFolder folder;
    const ProcessResult result = run(folder, "run", {"pipeline.net.freeze={ until_epoch = 1 }"});
    CHECK(result.status == 2);
    CHECK(
        without_folder(without_excerpts(result.errors), folder.path()) ==
        "--set: error: pipeline.net.freeze: there is nothing to train before epoch 1: no model "
        "has a parameter that is not frozen until then\n"
        "    fix: set pipeline.net.freeze = false, or that of another model; { except = [LAYERS] "
        "} in its place trains some layers, which ptprun summary FILE --set pipeline.net.freeze=false "
        "lists\n");
    // The fix names the new layers if they are known.
    const ProcessResult loaded =
        run(folder, "loaded",
            {"pipeline.net.freeze=true", "pipeline.net.load={ from = \"" +
                                             folder.run_folder("experiment.toml") +
                                             "\", except = [\"layers.3\"] }"});
    CHECK(
        loaded.errors.find("    fix: set pipeline.net.freeze = { except = [\"layers.3\"] }, which "
                           "trains what is not loaded\n") != std::string::npos);
}

TEST_CASE("freeze: layers that it names and `load` leaves out are warned of, and no others") {
    const ExperimentFolder folder;
    trained(folder, "first", {});
    const std::string load = "pipeline.net.load={ from = \"" + folder.run_folder("first") +
                             "\", except = [\"layers.3\"] }";
    CHECK(
        run(folder, "random", {load, "pipeline.net.freeze=[\"layers.3\"]"}).errors ==
        "warning: --set: pipeline.net.freeze: load leaves out layers.3 of 'net', which is frozen with the "
        "weights of its creation, usually random ones\n"
        "    fix: leave layers.3 out of pipeline.net.freeze, which trains what is not loaded\n");
    trained(folder, "loaded", {load, "pipeline.net.freeze=[\"layers.0\"]"});
}

TEST_CASE("freeze: all except some layers keeps the others' bits") {
    const ExperimentFolder folder;
    const Tensors named = trained(folder, "named", {"pipeline.net.freeze=[\"layers.0\"]"});
    CHECK(trained(folder, "others", {"pipeline.net.freeze={ except = [\"layers.3\"] }"}) == named);
    const ProcessResult wrong =
        run(folder, "wrong", {"pipeline.net.freeze={ except = [\"layers.1\"] }"});
    CHECK(without_excerpts(wrong.errors) ==
          "--set: error: pipeline.net.freeze: 'net' (FeedForwardNetwork) has no parameter or layer "
          "'layers.1'; known: layers.0, layers.3\n");
    const ProcessResult none =
        run(folder, "none", {"pipeline.net.freeze={ except = [\"layers.0\", \"layers.3\"] }"});
    CHECK(without_excerpts(none.errors) ==
          "--set: error: pipeline.net.freeze: `except` names all layers of 'net' "
          "(FeedForwardNetwork), so that nothing is frozen\n"
          "    fix: leave freeze out, or name fewer layers\n");
}

TEST_CASE("freeze: with all layers frozen until an epoch the error names what freezes them") {
    const ExperimentFolder folder;
    const ProcessResult result = run(folder, "run",
                                     {"pipeline.net.freeze={ until_epoch = 2, layers = [\"*\"] }",
                                      "training.terminal_conditions.epoch_limit=3"});
    CHECK(result.status == 5);
    CHECK(without_excerpts(result.errors) ==
          "ptprun: error: the loss does not depend on any parameter that is trained in epoch 1: "
          "look at pipeline.net.freeze, with until_epoch\n"
          "    fix: freeze only some layers, or train another component in these epochs\n");
}

TEST_CASE("freeze: the summary states for how long a parameter is frozen") {
    const ExperimentFolder folder;
    const std::string experiment = folder.write().string();
    const auto summary = [&](const std::string& epochs) {
        const ProcessResult result = ptp::test::run_program(
            "ptprun",
            {"summary", experiment, "--set",
             "pipeline.net.freeze={ until_epoch = " + epochs + ", layers = [\"*.0.bias\"] }"});
        const std::size_t line = result.output.find("    layers.0.bias");
        REQUIRE(line != std::string::npos);
        const std::string rest = result.output.substr(line);
        return rest.substr(rest.find("  frozen"), rest.find('\n') - rest.find("  frozen"));
    };
    CHECK(summary("1") == "  frozen in the first epoch");
    CHECK(summary("2") == "  frozen in the first 2 epochs");
    // The layers are 4 x 16 + 16 and 16 x 10 + 10.
    CHECK(ptp::test::run_program(
              "ptprun", {"summary", experiment, "--set",
                         "pipeline.net.freeze={ until_epoch = 2, layers = [\"*.0.bias\"] }"})
              .output.find("  all: 250 parameters, 234 of them trained, 16 more after 2 epochs; 0 "
                           "numbers in buffers; ") != std::string::npos);
}

TEST_CASE("freeze: an epoch after the end of the training is warned of, when it is known") {
    const ExperimentFolder folder;
    const std::string experiment = folder.write().string();  // three epochs of six episodes
    const std::string freeze = "pipeline.net.freeze={ until_epoch = 3, layers = [\"layers.0\"] }";
    const std::string warning =
        "pipeline.net.freeze: until_epoch = 3, and the training has at most ";
    const std::string end =
        ": what is frozen stays so to the end\n"
        "    fix: take a smaller until_epoch, or a longer training\n";
    CHECK(without_excerpts(
              ptp::test::run_program("ptprun", {"check", experiment, "--set", freeze}).errors) ==
          "--set: warning: " + warning + "3 epochs" + end);
    const auto with_episodes = [&](const char* name, const char* episodes) {
        return folder.run(
            name, {"--set", freeze, "--set", "training.terminal_conditions.epoch_limit=9", "--set",
                   std::string("training.terminal_conditions.episode_limit=") + episodes});
    };
    CHECK(with_episodes("short", "18").errors ==
          "warning: " + warning + "18 episodes, 6 in an epoch" + end);
    CHECK(with_episodes("long", "19").errors == "");
}

TEST_CASE("freeze: check names what it does not compare before components are created") {
    const ExperimentFolder folder;
    const std::string experiment = folder.write().string();
    CHECK(ptp::test::run_program(
              "ptprun", {"check", experiment, "--set", "pipeline.net.freeze=[\"layer.0\"]"})
              .output.find("  not fitted  pipeline.net.freeze, before components are created: "
                           "ptprun check " +
                           experiment + " --data\n") != std::string::npos);
}

TEST_CASE("freeze: names that a component does not have are refused, with the nearest") {
    const ExperimentFolder folder;
    const ProcessResult result =
        run(folder, "run", {"pipeline.net.freeze=[\"layer.0\", \"layers.0\", \"x*\"]"});
    CHECK(result.status == 2);
    CHECK(without_excerpts(result.errors) ==
          "--set: error: pipeline.net.freeze: 'net' (FeedForwardNetwork) has no parameter or layer "
          "'layer.0'; did you mean 'layers.0'?\n"
          "--set: error: pipeline.net.freeze: 'net' (FeedForwardNetwork) has no parameter or layer "
          "'x*'; known: layers, layers.0, layers.0.bias, layers.0.weight, layers.3, layers.3.bias, "
          "layers.3.weight\n"
          "2 errors\n");
    const ProcessResult loss = run(folder, "loss", {"pipeline.nll.freeze=[\"layers\"]"});
    CHECK(loss.status == 2);
    CHECK(without_excerpts(loss.errors) ==
          "--set: error: pipeline.nll.freeze: NLLLoss is a loss and has nothing to freeze: only "
          "models do\n");
}

TEST_CASE("freeze: unknown names are reported beside what does not fit in a load") {
    const ExperimentFolder folder;
    trained(folder, "first", {});
    const ProcessResult both = run(folder, "both",
                                   {"pipeline.net.freeze=[\"layer.0\"]",
                                    "pipeline.net.load={ from = \"" + folder.run_folder("first") +
                                        "\", component = \"nett\" }"});
    CHECK(both.status == 2);
    CHECK(without_folder(without_excerpts(both.errors), folder.path()) ==
          "--set: error: pipeline.net.load: FOLDER/first/checkpoints/best/weights.safetensors: has "
          "no tensors of 'nett'; did you mean 'net'?\n"
          "--set: error: pipeline.net.freeze: 'net' (FeedForwardNetwork) has no parameter or layer "
          "'layer.0'; did you mean 'layers.0'?\n"
          "2 errors\n");
}

TEST_CASE("load: a file with other names fits once they are renamed") {
    const ExperimentFolder folder;
    const Tensors first = trained(folder, "first", {});
    const ptp::test::TempFolder other;
    const std::string file = renamed_first(folder, other, "2");
    const auto refusal = [&](const std::string& rest, const std::string& name) {
        const ProcessResult result =
            run(folder, name, {"pipeline.net.load={ from = \"" + file + "\"" + rest + " }"}, false);
        CHECK(result.status == 4);
        return without_folder(without_warnings(result.errors, kNoRate), other.path());
    };
    const std::string rename = ", rename = { \"0.\" = \"layers.0.\", \"2.\" = \"layers.3.\" }";
    CHECK(
        refusal(", component = \"\"", "plain") ==
        "--set: error: pipeline.net.load: FOLDER/net.safetensors: the tensors of '' do not fit "
        "'net' (FeedForwardNetwork):\n"
        "    layers.0.weight: is missing, Float [16, 4]\n"
        "    layers.0.bias: is missing, Float [16]\n"
        "    layers.3.weight: is missing, Float [10, 16]\n"
        "    layers.3.bias: is missing, Float [10]\n"
        "    0.bias: 'net' (FeedForwardNetwork) has no such tensor, Float [16]\n"
        "    0.weight: 'net' (FeedForwardNetwork) has no such tensor, Float [16, 4]\n"
        "    2.bias: 'net' (FeedForwardNetwork) has no such tensor, Float [10]\n"
        "    2.weight: 'net' (FeedForwardNetwork) has no such tensor, Float [10, 16]\n"
        "    fix: where only the names differ, add rename = { \"NAME IN THE FILE\" = \"NAME HERE\" "
        "}, in which a name may be the beginning of many; except = [\"NAME\"] leaves out the "
        "others\n");
    CHECK(
        refusal("", "without") ==
        "--set: error: pipeline.net.load: FOLDER/net.safetensors: has no tensors of 'net'; "
        "known: 0, 2\n"
        "    fix: where only the names differ, add rename = { \"NAME IN THE FILE\" = \"NAME HERE\" }, "
        "in which a name may be the beginning of many; except = [\"NAME\"] leaves out the "
        "others\n");
    const Tensors loaded = trained(
        folder, "loaded", {"pipeline.net.load={ from = \"" + file + "\"" + rename + " }"}, false);
    CHECK(loaded == first);
    CHECK(
        refusal(", rename = { \"0.\" = \"layers.0.\", \"3.\" = \"layers.3.\" }", "unused") ==
        "--set: error: pipeline.net.load: FOLDER/net.safetensors: the tensors of 'net' do not fit "
        "'net' (FeedForwardNetwork):\n"
        "    rename: no name in the file begins with '3.'; names begin with '0.' or '2.'\n");
}

TEST_CASE("load: a file with other tensors beside renamed ones fits once those are left out") {
    const ExperimentFolder folder;
    const Tensors first = trained(folder, "first", {});
    const ptp::test::TempFolder other;
    const std::string file = renamed_first(folder, other, "ema");
    const std::string load = "pipeline.net.load={ from = \"" + file + "\", component = \"\"";
    const std::string deeper = "pipeline.net.hidden_sizes=[16, 16]";
    const std::string fix =
        "rename = { \"0.\" = \"layers.0.\" }, except = [\"layers.3\", \"layers.6\", \"ema\"]";
    const Tensors loaded = trained(folder, "loaded", {deeper, load + ", " + fix + " }"}, false);
    CHECK(loaded.at("net.layers.0.weight") == first.at("net.layers.0.weight"));
    CHECK(loaded.at("net.layers.0.bias") == first.at("net.layers.0.bias"));
}

TEST_CASE("load: a pipeline's file with other names of components is renamed too") {
    const ExperimentFolder folder;
    const Tensors first = trained(folder, "first", {});
    std::string text = folder.read("experiment.toml");
    for (auto at = text.find("[pipeline.net]"); at != std::string::npos;
         at = text.find("[pipeline.net]")) {
        text.replace(at, 14, "[pipeline.classifier]");
    }
    const ptp::test::TempFolder other;
    const std::string experiment = other.write("experiment.toml", text).string();
    const ProcessResult result = ptp::test::ptprun(
        {experiment, "--run-dir", (other.path() / "run").string(), "--set",
         "training.optimizer.lr=0.0", "--set",
         "pipeline.load={ from = \"" + folder.run_folder("first/checkpoints/last") +
             "\", rename = { \"net.\" = \"classifier.\" } }"});
    CHECK(without_excerpts(without_warnings(result.errors, kNoRate)) == "");
    REQUIRE(result.status == 0);
    const Tensors loaded = tensors_in(other.read(std::string("run/") + kLast));
    CHECK(loaded.at("classifier.layers.0.weight") == first.at("net.layers.0.weight"));
    CHECK(loaded.at("classifier.layers.3.bias") == first.at("net.layers.3.bias"));
}

TEST_CASE("load: `only` takes some layers, and the rest keep their initial weights") {
    const ExperimentFolder folder;
    const Tensors created = trained(folder, "created", {}, false);
    const Tensors first = trained(folder, "first", {});
    const std::string from = "pipeline.net.load={ from = \"" +
                             folder.run_folder("first/checkpoints/last") + "\", only = ";
    const Tensors loaded = trained(folder, "loaded", {from + "[\"layers.0\"] }"}, false);
    CHECK(loaded.at("net.layers.0.weight") == first.at("net.layers.0.weight"));
    CHECK(loaded.at("net.layers.3.weight") == created.at("net.layers.3.weight"));
    const ProcessResult wrong = run(folder, "wrong", {from + "[\"layers.1\"] }"}, false);
    CHECK(wrong.status == 4);
    CHECK(wrong.errors.find("  only: unknown name 'layers.1'; known: layers.0, layers.3\n") !=
          std::string::npos);
}

}  // namespace layers_test
