// A table of a section's own beside the split of the training's.

#include <doctest/doctest.h>
#include <string>
#include <vector>
#include "experiments/support.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

namespace own_table_test {

TEST_CASE("own table: a table of a section's own is divided as if it were the training's") {
    const ptp::test::TempFolder folder;
    folder.write("t.csv", "a,b\n1,2\n2,3\n3,4\n4,6\n5,6\n6,7\n7,8\n8,9\n");
    folder.write("u.csv", "a,b\n1,3\n2,4\n3,4\n4,6\n");
    folder.write("copy.csv", "a,b\n1,2\n2,3\n3,4\n4,6\n5,6\n6,7\n7,8\n8,9\n");
    const std::string task =
        "type = \"Table\"\nbatch_size = 2\nfile = \"t.csv\"\nfeatures = [\"a\"]\nvalues = "
        "[\"b\"]\nsplit = { shares = [0.5, 0.5], seed = 1 }\n";
    const auto file = folder.write(
        "e.toml",
        "[training]\nterminal_conditions = { epoch_limit = 1 }\noptimizer = { type = "
        "\"SGD\", lr = 0.1 }\n[training.task]\n" +
            task + "[validation.task]\n" + task +
            "part = \"validation\"\n[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
            "hidden_sizes = []\nuse_logsoftmax = false\nglobals = { prediction_size = 1 "
            "}\n[pipeline.loss]\ntype = \"MSELoss\"\nstreams = { targets = \"values\" }\n");
    const auto said = [&](const std::string& options) {
        const auto run = ptp::test::ptprun("check " + file.string() + " " + options);
        const std::size_t at = run.err.find("warning: ");
        return at == std::string::npos ? run.err : run.err.substr(at);
    };
    CHECK(said("") == "");
    const auto set = [&](const std::string& key, const std::string& name) {
        return "--set validation.task." + key + "=" + (folder.path() / name).string();
    };
    CHECK(said(set("file", "copy.csv")) == "");
    CHECK(said(set("file", "u.csv")) ==
          "warning: validation.task: its split divides the rows of its own u.csv, too, and "
          "leaves out about 2 of 4\n"
          "   11 | [validation.task]\n"
          "      | ^~~~~~~~~~~~~~~~~\n"
          "    fix: --set validation.task.split=none --set validation.task.part=none\n");
    CHECK(said(set("file", "u.csv") + " " + set("training_file", "t.csv") +
               " --set validation.task.split=none --set validation.task.part=none") == "");
    CHECK(
        said("--set validation.task.split=false") ==
        "--set: error: validation.task.split = false: must be a table, or \"none\", not a boolean\n"
        "      | validation.task.split=false\n"
        "      |                       ^~~~~\n");
}

}  // namespace own_table_test
