// Tables that are divided otherwise than in the training whose weights are used.

#include "runs/support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace divided_tables_test {

using namespace ptp::test;

TEST_CASE("process: rows of the training that another division measures are warned of") {
    const TempFolder folder;
    folder.write("t.csv", "x,kind\n1,a\n2,b\n3,a\n4,b\n5,a\n,b\n7,a\n8,b\n");
    const std::string task =
        "task = { type = \"Table\", batch_size = 2, file = \"t.csv\", features = \"x\", label = "
        "\"kind\", missing = \"mean\", split = { shares = [0.5, 0.5] } }\n";
    const auto file = folder.write(
        "e.toml",
        "seed = 1\n[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "terminal_conditions = { epoch_limit = 1 }\n" +
            task + "[validation]\n" + task +
            "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", out = 2 }]\n"
            "streams = { outputs = \"predictions\" }\n"
            "[pipeline.loss]\ntype = \"CrossEntropyLoss\"\n");
    const std::string run = (folder.path() / "run").string();
    require_success(run_program("ptprun", {file.string(), "--run-dir", run, "--quiet"}));
    const auto said_with = [&](const std::string& setting) {
        const ProcessResult said =
            run_program("ptprun", {"process", run, "--set", "validation.task." + setting});
        CHECK(said.status == 0);
        const std::string text = without_excerpts(said.errors);
        return text.substr(std::min(text.find("warning: "), text.size()));
    };
    CHECK(run_program("ptprun", {"process", run}).errors == "");
    CHECK(
        said_with("split.seed=9") ==
        "warning: validation.task: its split = { shares = [0.5, 0.5], seed = 9 } divides the rows "
        "otherwise than that of [training], so that it may have rows that are trained on\n"
        "    fix: write split = { shares = [0.5, 0.5] } in validation.task\n");
    CHECK(said_with("split=none") ==
          "warning: validation.task: has all rows of the file, also those that [training] trains "
          "on\n"
          "    fix: write split = { shares = [0.5, 0.5] } and part = \"validation\" in "
          "validation.task\n");
    CHECK(said_with("missing=drop") ==
          "warning: validation.task: rows with missing values are dropped before the rows are "
          "divided, 1 of 8 here or in [training] alone, so that it has rows that are trained on\n"
          "    fix: write missing = \"mean\" in validation.task, as in training.task\n");

    // Weights of the run see such rows in another training, too.
    const auto checked_with = [&](const std::string& setting) {
        const std::string text = without_excerpts(
            run_program("ptprun",
                        {"check", file.string(), "--set", "pipeline.load=" + run, "--set",
                         "training.task." + setting, "--set", "validation.task." + setting})
                .errors);
        return text.substr(std::min(text.find("warning: "), text.size()));
    };
    CHECK(checked_with("missing=mean") == "");
    CHECK(checked_with("split.seed=9") ==
          "warning: validation.task: the weights that pipeline.load takes from " + run +
              " are trained on rows of the file by another division, split = { shares = [0.5, 0.5] "
              "}, so that what is measured here says little about new data\n"
              "    fix: write split = { shares = [0.5, 0.5] } in the task of each section\n");
}

}  // namespace divided_tables_test
