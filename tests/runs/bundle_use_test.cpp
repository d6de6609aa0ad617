// Bundles in use: their stored samples must be computed as they were, and only their parameters
// can be set.

#include "base/sha256.hpp"
#include "bundle/bundle.hpp"
#include "runs/bundled.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace bundle_use_test {

namespace fs = std::filesystem;

using namespace ptp::test;
using ptp::bundle::Content;

namespace {

using Contents = std::map<std::string, Content>;
using Change = std::function<void(Contents&, ptp::bundle::BundleManifest&)>;

// Writes a bundle anew, with all hashes as they must be.
void rewrite(const fs::path& model, const Change& change) {
    const ptp::bundle::BundleFile file(model);
    ptp::bundle::BundleManifest manifest = file.manifest();
    Contents contents;
    for (const ptp::bundle::PackedFile& packed : manifest.files) {
        contents[packed.path] = {.text = file.read(packed.path)};
    }
    change(contents, manifest);
    std::string hashes;
    const std::string folder = "checkpoints/best/";
    for (const auto& [path, content] : contents) {
        if (path.starts_with(folder) && !path.ends_with("SHA256SUMS")) {
            hashes += ptp::sha256(content.text) + "  " + path.substr(folder.size()) + "\n";
        }
    }
    contents[folder + "SHA256SUMS"] = {.text = hashes};
    write_bundle(model, manifest, contents);
}

// Adds to the last number of a file.
void change_last_number(std::string& file, float change) {
    float number = 0;
    file.copy(reinterpret_cast<char*>(&number), sizeof number, file.size() - sizeof number);
    number += change;
    file.replace(file.size() - sizeof number, sizeof number,
                 std::string(reinterpret_cast<const char*>(&number), sizeof number));
}

void change_weight(Contents& contents, ptp::bundle::BundleManifest& /*manifest*/) {
    change_last_number(contents.at(ptp::bundle::weights_path()).text, 64);
}

std::string predicted(const std::string& model, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"predict", model, "--data", "test", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult result = ptprun(words);
    return result.status == 0 ? result.output : result.errors;
}

}  // namespace

TEST_CASE("bundle: its samples are from the set that it is measured on") {
    const Bundled bundled;
    CHECK(run_program("ptp-inspect", {bundled.model()})
              .output.find("  self-test   3 samples of test, tolerance 0.0001\n") !=
          std::string::npos);
    const Bundled more({"--samples", "100"});  // the test set has 16
    CHECK(run_program("ptp-inspect", {more.model()})
              .output.find("  self-test   16 samples of test, tolerance 0.0001\n") !=
          std::string::npos);
}

TEST_CASE("bundle: changed weights with right hashes fail its self-test before anything is used") {
    const Bundled bundled;
    rewrite(bundled.model(), change_weight);
    const ProcessResult result = ptprun({"predict", bundled.model(), "--data", "test", "--quiet"});
    CHECK(result.status == 4);
    CHECK(result.output == "");
    const std::regex expected(
        "ptprun: error: T/model\\.ptpm: fails its self-test: 'predictions' differs by up to "
        "[0-9.]+ at \\[[0-2], [0-9]\\]: -?[0-9.]+, stored was -?[0-9.]+ \\(tolerance 0\\.0001\\); "
        "libtorch, processor, device and plugins are those of the training; it can be used without, and "
        "ptp-inspect shows the builds of plugins and libtorch that it was trained with\n"
        "    fix: ptprun predict T/model\\.ptpm --data test --quiet --no-self-test\n"
        "         ptp-inspect T/model\\.ptpm\n");
    const std::string text = bundled.shown(result.errors);
    CHECK_MESSAGE(std::regex_match(text, expected), text);
    const std::string folder = (bundled.path() / "processed").string();
    const ProcessResult processed =
        ptprun({"process", bundled.model(), "--run-dir", folder, "--quiet"});
    CHECK(processed.status == 4);
    CHECK(processed.errors.find("fails its self-test: 'predictions' differs by up to ") !=
          std::string::npos);
    CHECK(predicted(bundled.model(), {"--no-self-test"}).starts_with("index,"));
    CHECK(
        ptprun({"process", bundled.model(), "--run-dir", folder + "2", "--no-self-test"}).status ==
        0);
}

TEST_CASE("bundle: a self-test that fails names what is other than in the training") {
    const Bundled bundled;
    rewrite(bundled.model(), [](Contents& contents, ptp::bundle::BundleManifest& manifest) {
        change_weight(contents, manifest);
        nlohmann::json record = nlohmann::json::parse(contents.at("run.json").text);
        record["machine"]["libtorch"] = "1.0.0 (libtorch.so)";
        record["machine"]["instructions"] = "ALTIVEC";
        contents["run.json"] = {.text = record.dump()};
        for (ptp::bundle::NeededPlugin& plugin : manifest.plugins) {
            plugin.sha256 = plugin.name == "losses" ? std::string(64, '0') : plugin.sha256;
        }
    });
    const std::string text = bundled.shown(predicted(bundled.model()));
    const std::regex expected(
        "T/model\\.ptpm: warning: was trained with another build of 'losses' 0\\.1\\.0: its numbers "
        "may differ\n"
        "ptprun: error: T/model\\.ptpm: fails its self-test: [^\n;]*; other than in the training, "
        "libtorch is [^;\n]*, was \"1\\.0\\.0 \\(libtorch\\.so\\)\"; instructions is [^;\n]*, was "
        "\"ALTIVEC\"; 'losses' is another build; it can be used without, and ptp-inspect shows the builds of "
        "plugins and libtorch that it was trained with\n"
        "    fix: ptprun predict [^\n]* --no-self-test\n         ptp-inspect T/model\\.ptpm\n");
    CHECK_MESSAGE(std::regex_match(text, expected), text);
}

TEST_CASE("bundle: a self-test that fails states why where the record of the run cannot be read") {
    const Bundled bundled;
    rewrite(bundled.model(), [](Contents& contents, ptp::bundle::BundleManifest& manifest) {
        change_weight(contents, manifest);
        contents["run.json"] = {.text = "{"};
    });
    const std::string text = bundled.shown(predicted(bundled.model()));
    const std::regex expected(
        "ptprun: error: T/model\\.ptpm: fails its self-test: 'predictions' differs by up to "
        "[^\n;]* \\(tolerance 0\\.0001\\); it can be used without, and ptp-inspect shows the builds of "
        "plugins and libtorch that it was trained with\n"
        "    fix: ptprun predict [^\n]* --no-self-test\n         ptp-inspect T/model\\.ptpm\n");
    CHECK_MESSAGE(std::regex_match(text, expected), text);
}

TEST_CASE("bundle: outputs within the tolerance pass its self-test, and others do not") {
    const Bundled bundled;
    const auto change_output_by = [&](float change) {
        rewrite(bundled.model(), [&](Contents& contents, ptp::bundle::BundleManifest&) {
            change_last_number(contents.at("samples.safetensors").text, change);
        });
    };
    const std::string good = predicted(bundled.model());
    change_output_by(0.00005F);
    CHECK(predicted(bundled.model()) == good);
    change_output_by(0.25F);  // the scores are above -25
    CHECK(predicted(bundled.model()).find(" at [2, 9]: ") != std::string::npos);
    rewrite(bundled.model(), [](Contents&, ptp::bundle::BundleManifest& manifest) {
        manifest.samples->tolerance = 0.5;
    });
    CHECK(predicted(bundled.model()) == good);
}

TEST_CASE(
    "bundle: samples that do not fit the model test nothing, with a warning, and damaged ones "
    "are refused") {
    const Bundled bundled;
    const std::string good = predicted(bundled.model());
    const std::string whole = content_of(bundled.model());
    const auto with = [&](const std::string& from, const std::string& to) {
        ptp::test::write_content(bundled.model(), whole);
        rewrite(bundled.model(), [&](Contents& contents, ptp::bundle::BundleManifest&) {
            std::string& text = contents.at("samples.safetensors").text;
            const std::size_t at = text.find(from);
            REQUIRE(at != std::string::npos);
            text.replace(at, from.size(), to);
        });
        return bundled.shown(predicted(bundled.model()));
    };
    CHECK(with("input/tensors/inputs", "input/tensors/other!") == good);
    CHECK(bundled.shown(ptprun({"predict", bundled.model(), "--data", "test"}).errors)
              .find("T/model.ptpm: is used without its self-test, since its stored samples do not "
                    "fit the streams of the task\n") != std::string::npos);
    CHECK(
        with("output/tensors/predictions", "outputs/tensor/predictions") ==
        "ptprun: error: T/model.ptpm: fails its self-test: its samples have no outputs; it can be "
        "used without, and ptp-inspect shows the builds of plugins and libtorch that it was trained with\n"
        "    fix: ptprun predict T/model.ptpm --data test --quiet --no-self-test\n"
        "         ptp-inspect T/model.ptpm\n");
    CHECK(with("output/tensors/predictions", "output/tensors/predictionz") == good);
    CHECK(with("input/tensors/inputs", "input/bytes/inputss!") ==
          "ptprun: error: the stored texts of 'inputss!' are damaged\n");
    CHECK(with("\"F32\"", "\"F99\"").find("unknown type \"F99\"") != std::string::npos);
}

TEST_CASE("bundle: a run without its data makes one without samples, and says so") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("run").status == 0);
    fs::remove(folder.path() / "data/t10k-images-idx3-ubyte");
    const std::string model = (folder.path() / "model.ptpm").string();
    const ProcessResult made = ptprun({"bundle", folder.run_folder("run"), "-o", model});
    CHECK(made.status == 0);
    const std::string why =
        "RUN/experiment.toml:20:1: the task of [test] (FashionMNIST): T/data/t10k-images-idx3-ubyte: no "
        "such file\n";
    const auto shown = [&](std::string text) {
        text = std::regex_replace(text, std::regex(folder.run_folder("run")), "RUN");
        text = std::regex_replace(text, std::regex(folder.path().string()), "T");
        text = std::regex_replace(text, std::regex(", nor [^\n]*"), "");  // the task's advice
        return std::regex_replace(text, std::regex("toml:[0-9]+:"), "toml:20:");
    };
    CHECK(shown(made.errors) ==
          "ptprun: warning: stores no samples, so that it cannot test itself where it is used: " +
              why);
    const ProcessResult demanded =
        ptprun({"bundle", folder.run_folder("run"), "-o", model, "--samples", "2"});
    CHECK(demanded.status == 4);
    CHECK(shown(demanded.errors) ==
          "ptp-bundle: error: --samples: " + why + "    fix: --samples 0 stores none\n");
}

TEST_CASE("bundle: with ONNX it holds what ptprun export writes, and predicts as without") {
    const Bundled bundled({"--with", "onnx"});
    const fs::path file = bundled.path() / "other.onnx";
    REQUIRE(ptprun({"export", bundled.run(), "-o", file.string(), "--checkpoint",
                    bundled.run() + "/checkpoints/best"})
                .status == 0);
    CHECK(ptp::bundle::BundleFile(bundled.model()).read("model.onnx") == content_of(file));
    const fs::path of_bundle = bundled.path() / "of_bundle.onnx";
    REQUIRE(ptprun({"export", bundled.model(), "-o", of_bundle.string()}).status == 0);
    CHECK(content_of(of_bundle) == content_of(file));  // with the run's name
    CHECK(predicted(bundled.model()).starts_with("index,"));
}

TEST_CASE("bundle: where there can be no ONNX, none is made, with the reason") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("run").status == 0);
    fs::remove_all(folder.path() / "data");
    const fs::path model = folder.path() / "model.ptpm";
    const ProcessResult made = ptprun({"bundle", folder.run_folder("run"), "-o", model.string(),
                                       "--samples", "0", "--with", "onnx"});
    CHECK(made.status == 4);
    CHECK(made.errors.starts_with("ptp-bundle: error: --with onnx: "));
    CHECK(made.errors.find("/data") != std::string::npos);
    CHECK(made.errors.ends_with("\n    fix: leave out --with onnx\n"));
    CHECK(!fs::exists(model));
}

TEST_CASE("bundle: an installed one is used by its name, also to train from") {
    const Bundled bundled;
    const std::map<std::string, std::string> user = {
        {"XDG_DATA_HOME", (bundled.path() / "data_home").string()},
        {"HOME", bundled.path().string()},
        {"OMP_NUM_THREADS", "1"}};
    const auto pack = [&](std::vector<std::string> words) {
        const ProcessResult result = run_program("ptp-pack", words, user);
        return bundled.shown(result.output + result.errors);
    };
    CHECK(
        pack({"install", bundled.model()}) ==
        "ptp-pack: error: T/model.ptpm: is not signed: there is no model.ptpm.minisig\n"
        "    fix: ask its author to sign it (ptp-pack sign); --allow-unsigned takes it as it is\n");
    CHECK(pack({"install", bundled.model(), "--allow-unsigned"}) ==
          "installed the model model, unsigned\n");
    CHECK(pack({"install", bundled.model(), "--allow-unsigned"}) ==
          "nothing to do: the model model is installed\n");
    CHECK(pack({"list"}) == "model                    model        Four numbers\n");
    CHECK(pack({"show", "model"}).starts_with("tiny\n  summary     Four numbers\n"));
    CHECK(pack({"verify", "model", "--allow-unsigned"}) ==
          "T/data_home/ptp/models/model.ptpm: unsigned: tiny, 9 files\n");
    const ProcessResult predicted =
        run_program("ptprun", {"predict", "model", "--data", "test"}, user);
    CHECK(predicted.output == ptprun({"predict", bundled.model(), "--data", "test"}).output);
    CHECK(bundled.shown(predicted.errors)
              .starts_with("weights of T/data_home/ptp/models/model.ptpm, epoch "));
    // A folder of the name that is not a run is not in the way.
    fs::create_directories(bundled.path() / "here/model/photos");
    const ProcessResult beside =
        run_program("/bin/sh",
                    {"-c", "cd '" + (bundled.path() / "here").string() + "' && '" +
                               (ptp::test::build_dir() / "bin/ptprun").string() +
                               "' predict model --data test"},
                    user);
    CHECK(beside.output == predicted.output);
    const std::string experiment = (bundled.path() / "experiment.toml").string();
    CHECK(run_program("ptprun",
                      {experiment, "--set", "pipeline.load=model", "--run-dir",
                       (bundled.path() / "tuned").string(), "--quiet"},
                      user)
              .errors == "");
    rewrite(bundled.model(), change_weight);
    CHECK(pack({"install", bundled.model(), "--allow-unsigned"}) ==
          "ptp-pack: error: T/model.ptpm: another model of the name model is installed\n"
          "    fix: rename the file, or remove the one that is there: ptp-pack remove model\n");
    CHECK(pack({"remove", "model"}) == "removed the model model\n");
    CHECK(pack({"list"}) == "no packages in T/data_home/ptp/packages\n");
    ptp::test::write_content(bundled.model(), "x");
    CHECK(pack({"install", bundled.model(), "--allow-unsigned"}) ==
          "ptp-pack: error: T/model.ptpm: is not a bundle, or is damaged: is cut off\n");
}

TEST_CASE("bundle: only the parameters that it declares may be set") {
    const Bundled bundled({"--parameter", "pipeline.net.dropout_rate"});
    CHECK(run_program("ptp-inspect", {bundled.model()})
              .output.find("  parameter   pipeline.net.dropout_rate\n") != std::string::npos);
    CHECK(predicted(bundled.model(), {"--set", "pipeline.net.dropout_rate=0.2"})
              .starts_with("index,"));
    const std::string refused = predicted(
        bundled.model(), {"--set", "device=\"cpu\"", "--set", "pipeline.net.hidden_sizes=[9]"});
    CHECK(bundled.shown(refused) ==
          "--set: error: pipeline.net.hidden_sizes: cannot be set in T/model.ptpm: its parameters: "
          "pipeline.net.dropout_rate\n"
          "    fix: ptprun predict T/model.ptpm --data test --quiet --set 'device=\"cpu\"'\n");
    const fs::path file = bundled.path() / "x.toml";
    ptp::test::write_content(file, "seed = 4\n");
    const ProcessResult over = ptprun({"check", bundled.model(), "--over", file.string()});
    CHECK(over.status == 2);
    CHECK(bundled.shown(over.errors) ==
          "T/x.toml: error: --over changes experiments, and T/model.ptpm is a bundle\n"
          "    fix: --set KEY=VALUE sets one of its parameters: pipeline.net.dropout_rate\n");
}

TEST_CASE("bundle: samples are prepared as in the training, unless that is declared") {
    const std::string other = "test.task.normalize={ mean = 0.5, std = 0.25 }";
    const Bundled bundled;
    const std::string good = predicted(bundled.model());
    CHECK(bundled.shown(predicted(bundled.model(), {"--set", other})) ==
          "--set: error: test.task.normalize: cannot be set in T/model.ptpm, where samples are "
          "prepared as in the training: it declares no parameters\n"
          "    fix: ptprun predict T/model.ptpm --data test --quiet\n");
    CHECK(ptp::test::without_excerpts(
              bundled.shown(ptprun({"process", bundled.model(), "--set", other}).errors)) ==
          "--set: error: test.task.normalize: cannot be set in T/model.ptpm, where samples are "
          "prepared as in the training: it declares no parameters\n"
          "    fix: ptprun process T/model.ptpm\n");
    CHECK(bundled.shown(predicted(bundled.model(), {"--set", "test.task.resize_image=[3, 3]"})) ==
          "--set: error: test.task.resize_image: cannot be set in T/model.ptpm, where samples are "
          "prepared as in the training: it declares no parameters\n"
          "    fix: ptprun predict T/model.ptpm --data test --quiet\n");
    // The folder of the data and the choice among them stay free.
    CHECK(predicted(bundled.model(), {"--set", "test.task.batch_size=5"}).starts_with("index,"));
    CHECK(predicted(bundled.model(), {"--set", "test.task.use_train_data=true"}) != good);
    const Bundled declaring({"--parameter", "test.task.normalize"});
    const std::string changed = predicted(declaring.model(), {"--set", other});
    CHECK(changed.starts_with("index,"));
    CHECK(changed != good);
}

TEST_CASE("bundle: a parameter must be a setting of a component") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("run").status == 0);
    const ProcessResult made =
        ptprun({"bundle", folder.run_folder("run"), "-o", (folder.path() / "m.ptpm").string(),
                "--parameter", "pipeline.net.use_logsoftmix"});
    CHECK(made.status == 2);
    CHECK(made.errors ==
          "--parameter: error: pipeline.net.use_logsoftmix: no component that predicts has this "
          "setting, and no task; did you mean 'pipeline.net.use_logsoftmax'?\n");
}

}  // namespace bundle_use_test
