// What a run keeps, as other programs see it.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

namespace checkpoint_test {

using ptp::test::ExperimentFolder;
using ptp::test::status_in;

namespace {

// What a shell command prints.
std::string output_of(const std::string& command) {
    std::string output;
    std::FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) {
        output.append(buffer.data(), count);
    }
    pclose(pipe);
    return output;
}

}  // namespace

TEST_CASE("checkpoint: Python reads the weights, and sha256sum checks the files") {
    const ExperimentFolder folder;
    folder.write();
    REQUIRE(folder.run("run").status == 0);
    const std::string last = (folder.path() / "run" / "checkpoints" / "last").string();
    CHECK(output_of("cd " + last + " && sha256sum -c SHA256SUMS") ==
          "checkpoint.toml: OK\ntraining.safetensors: OK\ntraining.toml: OK\n"
          "weights.safetensors: OK\n");
    if (output_of("python3 -c 'print(1)' 2>/dev/null") != "1\n") {
        MESSAGE("skipped: there is no python3");
        return;
    }
    const std::string script =
        (ptp::test::source_dir() / "tests" / "runs" / "read_safetensors.py").string();
    const std::string read = output_of("python3 " + script + " " + last +
                                       "/weights.safetensors | sed 's/ [-0-9.a-fpx+]*$//'");
    CHECK(read ==
          "net.layers.0.weight F32 [16, 4]\nnet.layers.0.bias F32 [16]\n"
          "net.layers.3.weight F32 [10, 16]\nnet.layers.3.bias F32 [10]\n");
    const std::string training =
        output_of("python3 " + script + " " + last + "/training.safetensors");
    CHECK(training.find("generators/net/0 U8 [5056]\n") != std::string::npos);
}

TEST_CASE("checkpoint: a limit of time ends the training, with its name") {
    const ExperimentFolder folder;
    folder.write({.training =
                      "optimizer = { type = \"SGD\", lr = 0.01 }\n"
                      "terminal_conditions = { epoch_limit = 100000000, wall_time = \"1s\", "
                      "early_stop_validations = 0, loss_stop_threshold = 0.0 }\n"});
    REQUIRE(folder.run("run").status == 0);
    CHECK(status_in(folder.path() / "run") == "done: time limit of 1s reached (0)");
    CHECK(folder.has("run/test.csv"));
}

}  // namespace checkpoint_test
