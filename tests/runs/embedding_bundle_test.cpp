// libptp: bundles in place of runs.

#include "runs/bundled.hpp"
#include "runs/embedding_support.hpp"
#include "runs/predictions.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace embedding_bundle_test {

using namespace ptp::test;

namespace {

// Returns how many bytes this process has read from files.
std::int64_t bytes_read() {
    std::ifstream io("/proc/self/io");
    std::string name;
    std::int64_t count = 0;
    REQUIRE((io >> name >> count && name == "rchar:"));
    return count;
}

}  // namespace

TEST_CASE("libptp: a damaged bundle is named as one") {
    const ExperimentFolder folder;
    const auto file = folder.path() / "model.ptpm";
    std::ofstream(file) << "PK";
    const Embedded one(file);
    CHECK(one.opened == PTP_RESULT_DATA);
    CHECK(one.experiment == nullptr);
    CHECK(one.error() == file.string() + ": is not a bundle, or is damaged: is cut off");
}

TEST_CASE("libptp: a bundle predicts with the bits of its run") {
    const Bundled bundled;
    const std::string model = bundled.model();
    const std::vector<float> pixels = {0, 0.25F, 0.5F, 1};
    std::vector<float> of_run;
    {
        const Embedded run(bundled.run());
        of_run = predict(run, pixels);
    }
    REQUIRE(of_run.size() == 10);
    Embedded bundle(model);
    CHECK(predict(bundle, pixels) == of_run);
    int32_t is_running = 0;
    CHECK(ptp_experiment_step(bundle.experiment, &is_running) == PTP_RESULT_MISUSE);
    CHECK(bundle.error() == "a bundle predicts; load in [pipeline] trains from its weights");
}

TEST_CASE("libptp: opening a bundle reads none of its weights, which the first feed does") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("run", {"--set", "pipeline.net.hidden_sizes=[1200,1200]"}).status == 0);
    const std::string model = (folder.path() / "model.ptpm").string();
    REQUIRE(ptp::test::ptprun({"bundle", folder.run_folder("run"), "-o", model}).status == 0);
    const auto weights = static_cast<std::int64_t>(1200) * 1200 * 4;
    { const Embedded first(model); }  // finds the plugins
    const std::int64_t before = bytes_read();
    const Embedded bundle(model);
    REQUIRE(bundle.opened == PTP_RESULT_DONE);
    const std::int64_t opened = bytes_read() - before;
    const Embedded run(folder.run_folder("run"));
    const std::int64_t opened_run = bytes_read() - before - opened;
    CHECK(opened < opened_run + weights);
    CHECK(predict(bundle, {0, 0.25F, 0.5F, 1}).size() == 10);
    CHECK(bytes_read() - before - opened - opened_run > weights);
}

TEST_CASE("libptp: large weights are used in the file, also when another takes its place") {
    const ExperimentFolder folder;
    folder.write();
    REQUIRE(folder.run("run", {"--set", "pipeline.net.hidden_sizes=[4200,4200]"}).status == 0);
    const std::string model = (folder.path() / "model.ptpm").string();
    REQUIRE(ptp::test::ptprun({"bundle", folder.run_folder("run"), "-o", model}).status == 0);
    REQUIRE(std::filesystem::file_size(model) > std::uintmax_t{64} << 20);
    const std::vector<float> pixels = {0, 0.25F, 0.5F, 1};
    const Embedded first(model);
    const std::vector<float> predicted = predict(first, pixels);
    REQUIRE_MESSAGE(predicted.size() == 10, first.error());
    const std::string other = (folder.path() / "other.ptpm").string();
    std::filesystem::copy_file(model, other);
    std::filesystem::rename(other, model);
    CHECK(predict(first, pixels) == predicted);
    const Embedded second(model);
    CHECK(predict(second, pixels) == predicted);
    std::filesystem::resize_file(model, 4096);  // in its place
    CHECK(predict(second, pixels).empty());
    CHECK(
        second.error() ==
        model +
            ": was changed while its weights were used\n"
            "    fix: load it again; put another file in its place by renaming it, not by writing "
            "into this one");
    CHECK(predict(first, pixels) == predicted);
}

TEST_CASE("libptp: a bundle that is removed before it is first used is named as gone") {
    const Bundled bundled;
    const std::string model = bundled.model();
    const Embedded bundle(model);
    CHECK(bundle.opened == PTP_RESULT_DONE);
    std::filesystem::remove(model);
    CHECK(predict(bundle, {0, 0.25F, 0.5F, 1}).empty());
    CHECK(bundle.error() == model +
                                ": is gone since it was opened\n"
                                "    fix: put it back, or open the model where it is now");
}

TEST_CASE("libptp: the checkpoint of a bundle is not chosen") {
    const Bundled bundled;
    const std::string model = bundled.model();
    const std::string last = bundled.run() + "/checkpoints/last";
    const Embedded one(model, {.checkpoint = last});
    CHECK(one.opened == PTP_RESULT_CONFIGURATION);
    CHECK(one.error() == "checkpoint: is of runs, and " + model +
                             " is a bundle, which has the weights of one checkpoint\n"
                             "    fix: leave out checkpoint");
    const auto result =
        ptp::test::predict({model, "--data", "test", "--checkpoint", "last", "--quiet"});
    CHECK(result.status == 2);
    CHECK(result.errors == "ptprun: error: --checkpoint: is of runs, and " + model +
                               " is a bundle, which has the weights of one checkpoint\n"
                               "    fix: leave out --checkpoint\n");
}

TEST_CASE("libptp: the options of bundles are refused for a run") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("run").status == 0);
    const std::string run = folder.run_folder("run");
    const Embedded one(run, {.with_plugins = true});
    CHECK(one.opened == PTP_RESULT_CONFIGURATION);
    CHECK(one.error() == "with_plugins: is of bundles, and " + run +
                             " is none: it has no plugins that a signature would be needed for\n"
                             "    fix: leave out with_plugins");
}

TEST_CASE("libptp: plugins in a bundle are used where they are asked for and its key is trusted") {
    const ExperimentFolder folder({.pipeline =
                                       "[pipeline.more]\ntype = \"Accompanied\"\n"
                                       "streams = { inputs = \"features\", outputs = \"more\" }\n",
                                   .source = "more"});
    const std::string plugins = (ptp::test::build_dir() / "tests/runs/accompanied").string();
    REQUIRE(folder.run("run", {"--plugins", plugins}).status == 0);
    const std::string model = (folder.path() / "model.ptpm").string();
    REQUIRE(ptp::test::ptprun({"bundle", folder.run_folder("run"), "-o", model, "--with-plugins"})
                .status == 0);
    const std::vector<float> pixels = {0, 0.25F, 0.5F, 1};
    std::vector<float> of_run;
    {
        const Embedded run(folder.run_folder("run"));
        of_run = predict(run, pixels);
    }
    REQUIRE(of_run.size() == 10);
    const Embedded without(model);
    CHECK(without.opened == PTP_RESULT_CONFIGURATION);
    CHECK(
        without.error() ==
        model +
            ": needs the plugin 'accompanied' 1.0.0, which is not installed; the build in it can be "
            "used if its signer is trusted; a repository may have it, or a folder\n"
            "    fix: the option with_plugins = 1\n"
            "         ptp-pack install accompanied\n"
            "         --plugins DIR");
    const Embedded is_unsigned(model, {.with_plugins = true});
    CHECK(is_unsigned.opened == PTP_RESULT_DATA);
    CHECK(std::string(ptp_experiment_error(nullptr)) ==
          "with_plugins: " + model +
              ": is not signed: there is no model.ptpm.minisig\n"
              "    fix: ask its author to sign it (ptp-pack sign)\n"
              "         or install 'accompanied' 1.0.0, and leave out with_plugins");
    const std::string home = (folder.path() / "config").string();
    setenv("XDG_CONFIG_HOME", home.c_str(), 1);
    const std::string key = (folder.path() / "jane").string();
    for (const std::vector<std::string>& words : {std::vector<std::string>{"key", "new", key},
                                                  {"key", "trust", key + ".pub"},
                                                  {"sign", model, "--key", key + ".key"}}) {
        CHECK(ptp::test::run_program("ptp-pack", words).status == 0);
    }
    const Embedded with(model, {.with_plugins = true});
    CHECK(with.opened == PTP_RESULT_DONE);
    const std::vector<float> predicted = predict(with, pixels);
    CHECK_MESSAGE(predicted == of_run, with.error());
    unsetenv("XDG_CONFIG_HOME");
}

}  // namespace embedding_bundle_test
