// Recordings of texts, tokens, lists of tensors and pictures, and of a task with state whose
// batches loader threads make.

#include "runs/recorded.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

namespace flows_test {

using namespace ptp::test;

namespace {

std::string folder_of(const std::string& build) {
    return (ptp::test::build_dir() / "tests/runs/builds" / ("flows_" + build)).string();
}

std::string build_of_flows(const std::string& build) {
    return folder_of(build) + "/flows_" + build + ".so";
}

void write_flows(const ExperimentFolder& folder, const std::string& task, const std::string& loader,
                 const std::string& pipeline) {
    std::ofstream(folder.path() / "experiment.toml")
        << "seed = 2\n[training]\noptimizer = { type = \"SGD\", lr = 0.001 }\n"
           "terminal_conditions = { episode_limit = 8 }\ndataloader = { "
        << loader << " }\ntask = { type = \"" << task << "\", batch_size = 4 }\n"
        << "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nhidden_sizes = []\n"
           "globals = { prediction_size = \"num_classes\" }\n[pipeline.nll]\ntype = \"NLLLoss\"\n"
        << pipeline;
}

ProcessResult recorded(const ExperimentFolder& folder, const std::string& component, int batches) {
    const ProcessResult result =
        record(folder, component, batches, {"--plugins", folder_of("first")});
    REQUIRE_MESSAGE(result.status == 0, result.errors);
    return result;
}

}  // namespace

TEST_CASE("flows: texts, tokens and lists are recorded, and a build that changes them differs") {
    const ExperimentFolder folder;
    write_flows(folder, "Flows", "shuffle = false", "[pipeline.flow]\ntype = \"Flow\"\n");
    recorded(folder, "flow", 2);
    const std::string head =
        "pipeline.flow (Flow): 2 batches recorded with flows 1.0.0, replayed with ";
    // Of each batch the names, the words, where each list of words begins, and four tensors.
    CHECK(replay(folder, "flow", build_of_flows("first")).output ==
          head + "flows 1.0.0\nequal: 14 values, bit for bit\n");

    const ProcessResult changed = replay(folder, "flow", build_of_flows("changed"));
    CHECK(changed.errors == "");
    CHECK(changed.status == 1);
    const std::string first = "differs: episode 0 (training, epoch 1, batch 0): ";
    const std::string second = "differs: episode 1 (training, epoch 1, batch 1): ";
    CHECK(changed.output ==
          head + "flows 2.0.0\n" + first +
              "the stream 'own_names' at [1]: recorded \"sample 1\", now \"sample 1!\"; 1 of 4 "
              "elements differ\n" +
              first +
              "the stream 'own_words' at [0]: recorded \"word\", now \"work\"; 1 of 3 elements "
              "differ\n" +
              first + "tensor 1 of the stream 'own_pieces' at [0]: recorded 1, now 2\n" + second +
              "the stream 'own_names' at [1]: recorded \"sample 5\", now \"sample 5!\"; 1 of 4 "
              "elements differ\n" +
              second +
              "the stream 'own_words' at [1]: recorded \"word\", now \"work\"; 1 of 4 elements "
              "differ\n" +
              second +
              "tensor 1 of the stream 'own_pieces' at [0]: recorded 5, now 6; 1 of 2 elements "
              "differ, by 1 at most\n6 of 14 values differ\n");

    recorded(folder, "training.task", 2);
    // Of each batch two tensors, the names, the words with their rows, and four tensors; the number
    // of samples.
    CHECK(replay(folder, "training.task", build_of_flows("first"))
              .output.ends_with("\nequal: 19 values, bit for bit\n"));
}

TEST_CASE("flows: the pictures of a viewer are recorded, and a build that changes one differs") {
    const ExperimentFolder folder;
    write_flows(folder, "Flows", "shuffle = false", "[pipeline.shown]\ntype = \"Shown\"\n");
    recorded(folder, "shown", 2);
    const std::string head =
        "pipeline.shown (Shown): 2 batches recorded with flows 1.0.0, replayed with ";
    // Of each batch the names of the pictures, and two pictures.
    CHECK(replay(folder, "shown", build_of_flows("first")).output ==
          head + "flows 1.0.0\nequal: 6 values, bit for bit\n");

    const ProcessResult changed = replay(folder, "shown", build_of_flows("changed"));
    CHECK(changed.status == 1);
    const std::string picture =
        "the picture 'shown/training/second' at [0, 0, 1]: recorded 7, now 9; 1 of 2 elements differ, by 2 at "
        "most\n";
    CHECK(changed.output ==
          head + "flows 2.0.0\ndiffers: episode 0 (training, epoch 1, batch 0): " + picture +
              "differs: episode 1 (training, epoch 1, batch 1): " + picture +
              "2 of 6 values differ\n");
}

TEST_CASE("flows: a task with state is replayed in the order of its batches, also of a reservoir") {
    const ExperimentFolder folder;
    write_flows(folder, "Counting", "shuffle = false", "");
    CHECK(recorded(folder, "training.task", 4).output.ends_with(".ptprec\n"));
    // Two tensors of each batch, the number of samples, and the state.
    CHECK(replay(folder, "training.task", build_of_flows("first"))
              .output.ends_with("\nequal: 10 values, bit for bit\n"));
    std::filesystem::remove_all(folder.path() / "record_training.task");

    write_flows(folder, "Counting",
                "mode = \"reservoir\", num_workers = 3, reservoir_size = 4, reservoir_exchange = 2",
                "");
    CHECK(
        recorded(folder, "training.task", 4)
            .output.ends_with(".ptprec; without the state at the end, because loader threads make "
                              "its batches\n"));
    CHECK(replay(folder, "training.task", build_of_flows("first"))
              .output.ends_with("\nequal: 9 values, bit for bit\n"));
}

}  // namespace flows_test
