// A build with other layers takes the place of the running one: the training continues from the
// migrated weights.

#include "runs/live_run.hpp"
#include "runs/support.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace swap_layers_test {

using namespace ptp::test;

namespace {

// Name, and the bytes of the values.
using Tensors = std::map<std::string, std::string>;

Tensors tensors_in(const ExperimentFolder& folder, const std::string& run,
                   const std::string& file) {
    const std::string bytes = folder.read(run + "/checkpoints/last/" + file + ".safetensors");
    std::uint64_t length = 0;
    REQUIRE(bytes.size() > sizeof(length));
    std::memcpy(&length, bytes.data(), sizeof(length));
    const auto header = nlohmann::json::parse(bytes.substr(sizeof(length), length));
    Tensors tensors;
    for (const auto& [name, entry] : header.items()) {
        if (name != "__metadata__") {
            const auto begin = entry["data_offsets"][0].get<std::size_t>();
            const auto end = entry["data_offsets"][1].get<std::size_t>();
            tensors[name] = bytes.substr(sizeof(length) + length + begin, end - begin);
        }
    }
    return tensors;
}

std::vector<float> values(const std::string& bytes) {
    std::vector<float> all(bytes.size() / sizeof(float));
    std::memcpy(all.data(), bytes.data(), all.size() * sizeof(float));
    return all;
}

// Trains with the first build, and with an exchange for another at some episode, which it gives.
std::size_t exchange(const ExperimentFolder& folder, const std::string& build) {
    folder.write(with_recurrent(20));
    install(folder);
    LiveRun run(folder, "swapped");
    run.go_on_for(9);
    const std::size_t episode = run.episode();
    require_success(run.swap({recurrent_build(build).string()}));
    run.finish();
    REQUIRE(folder.run("plain", with_installed(folder)).status == 0);
    return episode;
}

// The state right after the episode before which the plugins were exchanged, in the runs
// "..._step".
void stop_after(const ExperimentFolder& folder, std::size_t episode) {
    const std::string limit = std::to_string(episode + 1);
    REQUIRE(folder
                .run("plain_step",
                     with_installed(
                         folder, {"--set", "training.terminal_conditions.episode_limit=" + limit}))
                .status == 0);
    std::string text = folder.read("swapped/experiment.toml");
    const std::string unlimited = "episode_limit = -1";
    REQUIRE(text.find(unlimited) != std::string::npos);
    text.replace(text.find(unlimited), unlimited.size(), "episode_limit = " + limit);
    std::ofstream(folder.path() / "swapped" / "experiment.toml") << text;
    replay(folder, "swapped", "step");
}

std::string swap_in_log(const ExperimentFolder& folder) {
    const std::string log = without_numbers(log_of(folder, "swapped"));
    const std::size_t begin = log.find("info ptp: swapped in");
    REQUIRE(begin != std::string::npos);
    return log.substr(begin, log.find("\ninfo ptp: continues", begin) - begin);
}

}  // namespace

TEST_CASE("swap: a residual branch that begins with zeros changes no bit until it has learned") {
    const ExperimentFolder folder;
    const std::size_t episode = exchange(folder, "residual");
    CHECK(swap_in_log(folder) ==
          "info ptp: swapped in recurrent N before episode N: inspect N ms, load N ms, "
          "rehearse N ms, create N ms, migrate N ms, commit N ms\n"
          "  'encoder' (RecurrentNetwork): 'branch.weight' [N, N] is new\n"
          "  'encoder' (RecurrentNetwork): 'branch.bias' [N] is new\n"
          "warning ptp: best checkpoint reset: it belongs to the older build");

    // What it adds is zero, so that the loss of the next batch is the same.
    const std::vector<double> plain = losses(folder, "plain");
    const std::vector<double> swapped = losses(folder, "swapped");
    REQUIRE(plain.size() == swapped.size());
    REQUIRE(episode + 1 < plain.size());
    for (std::size_t i = 0; i <= episode; ++i) {
        CAPTURE(i);
        CHECK(plain[i] == swapped[i]);
    }
    CHECK(plain.back() != swapped.back());

    // So are the gradients of what was there before. With their own moments of the optimizer, the
    // step leads to the same weights.
    stop_after(folder, episode);
    const Tensors moments = tensors_in(folder, "plain_step", "training");
    const Tensors kept = tensors_in(folder, "step", "training");
    int count = 0;
    for (const auto& [name, bytes] : moments) {
        CAPTURE(name);
        REQUIRE(kept.contains(name));
        if (name.find("optimizer/") != std::string::npos) {
            CHECK((kept.at(name) == bytes));
            ++count;
        }
    }
    CHECK(count == 2 * (4 + 2 + 2 + 2 + 4));
    const Tensors weights = tensors_in(folder, "step", "weights");
    for (const auto& [name, bytes] : tensors_in(folder, "plain_step", "weights")) {
        CAPTURE(name);
        CHECK((weights.at(name) == bytes));
    }
    // Adam's first step is the learning rate wherever there is a gradient.
    bool has_learned = false;
    for (const float value : values(weights.at("encoder.branch.bias"))) {
        has_learned = has_learned || std::abs(std::abs(value) - 0.01F) < 1e-5F;
    }
    CHECK(has_learned);
}

TEST_CASE("swap: a wider layer continues from what its converter makes of the weights") {
    const ExperimentFolder folder;
    const std::size_t episode = exchange(folder, "wide");
    CHECK(swap_in_log(folder) ==
          "info ptp: swapped in recurrent N before episode N: inspect N ms, load N ms, "
          "rehearse N ms, create N ms, migrate N ms, commit N ms\n"
          "  'encoder' (RecurrentNetwork): 'hidden.weight' was [N, N], is [N, N]\n"
          "  'encoder' (RecurrentNetwork): 'hidden.bias' was [N], is [N]\n"
          "  'encoder' (RecurrentNetwork): 'output.weight' was [N, N], is [N, N]\n"
          "warning ptp: best checkpoint reset: it belongs to the older build");

    // Nothing listens to the new units yet; the sums have more terms, which are zero.
    const std::vector<double> plain = losses(folder, "plain");
    const std::vector<double> swapped = losses(folder, "swapped");
    REQUIRE(plain.size() == swapped.size());
    for (std::size_t i = 0; i < episode; ++i) {
        CAPTURE(i);
        CHECK(plain[i] == swapped[i]);
    }
    CHECK(swapped[episode] == doctest::Approx(plain[episode]).epsilon(1e-5));
    CHECK(plain.back() != swapped.back());

    // A parameter that kept its shape has kept its moments.
    stop_after(folder, episode);
    const Tensors plain_state = tensors_in(folder, "plain_step", "training");
    const Tensors state = tensors_in(folder, "step", "training");
    for (const char* name : {"optimization/optimizer/encoder.lstm.weight_hh_l0/exp_avg",
                             "optimization/optimizer/encoder.norm.weight/exp_avg_sq",
                             "optimization/optimizer/net.layers.0.weight/exp_avg"}) {
        CAPTURE(name);
        const std::vector<float> before = values(plain_state.at(name));
        const std::vector<float> after = values(state.at(name));
        REQUIRE(before.size() == after.size());
        for (std::size_t i = 0; i < before.size(); ++i) {
            CHECK(after[i] == doctest::Approx(before[i]).epsilon(1e-3));
        }
    }
    CHECK(values(state.at("optimization/optimizer/encoder.hidden.weight/exp_avg")).size() == 128);
}

TEST_CASE("swap: a build that loses layers without a converter is refused") {
    const ExperimentFolder folder(with_recurrent(20));
    const std::string first = install(folder, "residual").string();
    LiveRun run(folder, "run");
    const std::string offered = recurrent_build("first").string();
    const ProcessResult result = run.swap({offered});
    CHECK(result.output == "");
    CHECK(result.errors == "ptprun: error: " + offered +
                               ": cannot be swapped in (migrate): 'encoder' (RecurrentNetwork): "
                               "'branch.weight' [8, 8] has vanished\n"
                               "    'branch.bias' [8] has vanished\n"
                               "    the training continues with the running build\n"
                               "    fix: give the component migrate(), which converts them\n");
    CHECK(result.status == 3);
    run.finish();
    REQUIRE(folder.run("plain", with_installed(folder)).status == 0);
    check_same_bits(folder, "plain", "run");
}

}  // namespace swap_layers_test
