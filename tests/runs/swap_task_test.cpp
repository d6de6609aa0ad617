// Builds of a task that are swapped in while others train, or are refused.

#include "runs/live_run.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace swap_task_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

constexpr int kEpisodesPerEpoch = 6;

// The plugin's file, which is this build of it now.
std::string install_drawn(const ExperimentFolder& folder, const std::string& build) {
    const fs::path file = folder.path() / "installed" / "drawn.so";
    fs::create_directories(file.parent_path());
    fs::copy_file(ptp::test::build_dir() / "tests/runs/builds/drawn" / ("drawn_" + build + ".so"),
                  file, fs::copy_options::overwrite_existing);
    return file.string();
}

// `sections` has [training] as far as it differs, and what follows it.
void write_experiment(const ExperimentFolder& folder, const std::string& sections) {
    std::ofstream(folder.path() / "experiment.toml")
        << "name = \"drawn\"\nseed = 7\n[training]\n"
           "optimizer = { type = \"SGD\", lr = 0.1 }\n"
           "terminal_conditions = { epoch_limit = 4 }\n"
        << sections
        << "[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
           "globals = { prediction_size = \"num_classes\" }\n"
           "[pipeline.nll]\ntype = \"NLLLoss\"\n";
}

std::vector<std::string> rows_of(const std::string& table) {
    std::vector<std::string> rows;
    std::istringstream in(table);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        rows.push_back(line);
    }
    return rows;
}

}  // namespace

TEST_CASE(
    "swap: the task of one of several validation sets changes the results of that set alone") {
    const ExperimentFolder folder;
    write_experiment(folder,
                     "judge = \"easy\"\ntask = { type = \"Counted\", batch_size = 8 }\n"
                     "[validation.easy]\ntask = { type = \"Counted\", batch_size = 8 }\n"
                     "[validation.hard]\ntask = { type = \"Drawn\", batch_size = 8 }\n");
    const auto train = [&](const std::string& name, bool is_swapped) {
        const std::string file = install_drawn(folder, "first");
        LiveRun run(folder, name, with_witness());
        run.go_on_for(kEpisodesPerEpoch + 2);
        if (is_swapped) {
            install_drawn(folder, "bright");
            const auto reply = run.swap({file});
            CHECK(reply.errors == "");
            CHECK(without_numbers(reply.output).starts_with("swapped in drawn N before episode N"));
        }
        run.finish();
    };
    train("plain", false);
    train("swapped", true);
    for (const char* file :
         {"training.csv", "validation.easy.csv", "checkpoints/last/weights.safetensors",
          "checkpoints/best/weights.safetensors"}) {
        CAPTURE(file);
        CHECK((folder.read(fs::path("swapped") / file) == folder.read(fs::path("plain") / file)));
    }
    const auto before = rows_of(folder.read("plain/validation.hard.csv"));
    const auto after = rows_of(folder.read("swapped/validation.hard.csv"));
    REQUIRE(before.size() == 4);
    REQUIRE(after.size() == 4);
    CHECK(after[0] == before[0]);
    for (std::size_t i = 1; i < after.size(); ++i) {
        CHECK(after[i] != before[i]);
    }
    replay(folder, "swapped", "again");
    check_same_bits(folder, "swapped", "again");
}

TEST_CASE(
    "swap: a task that states other weights of its samples is refused, and the run continues") {
    const ExperimentFolder folder;
    write_experiment(folder,
                     "sampler = { type = \"WeightedRandomSampler\", weights = \"task\" }\n"
                     "task = { type = \"Drawn\", batch_size = 4 }\n");
    const std::string file = install_drawn(folder, "first");
    LiveRun run(folder, "run");
    run.go_on_for(2);
    install_drawn(folder, "weighted");
    const auto refused = run.swap({file});
    CHECK(refused.status == 3);
    CHECK(without_folder(refused.errors, folder.path()) ==
          "ptprun: error: FOLDER/installed/drawn.so: cannot be swapped in (create): the task of "
          "[training] (Drawn): its samples have other classes, weights or lengths than they had, "
          "by which [training] draws them: the position in the epoch would be lost\n"
          "    the training continues with the running build\n"
          "    fix: keep the classes, weights and lengths, or begin a new run with this build\n");
    install_drawn(folder, "bright");
    CHECK(run.swap({file}).errors == "");
    run.finish();
}

}  // namespace swap_task_test
