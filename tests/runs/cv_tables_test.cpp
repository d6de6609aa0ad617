// Cross-validations of tables: the rows of the fold do not count for what the task learns.

#include "base/output_file.hpp"
#include "runs/support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <string>
#include <vector>

namespace cv_tables_test {

using namespace ptp::test;

TEST_CASE("cv: means of a table are those of the rows outside of the fold, of each sampler") {
    const ptp::test::TempFolder folder;
    std::string rows = "id,x,who,kind\n";
    for (int i = 0; i < 23; ++i) {
        rows += "r" + std::to_string(i) + "," + std::to_string(i * i) + ",p" +
                std::to_string(i % 5) + (i % 3 == 0 ? ",a\n" : ",b\n");
    }
    folder.write("t.csv", rows);
    const std::string file =
        folder
            .write(
                "t.toml",
                "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\nterminal_conditions = { "
                "epoch_limit = 1 }\n[training.task]\ntype = \"Table\"\nfile = \"t.csv\"\n"
                "batch_size = 4\nfeatures = \"x\"\nlabel = \"kind\"\nid = \"id\"\n[pipeline.net]\ntype = \"FeedForwardNetwork\"\nglobals = { "
                "prediction_size = \"num_classes\" }\n[pipeline.loss]\ntype = \"NLLLoss\"\n")
            .string();
    for (const char* const sampler :
         {"{ type = \"kFoldRandomSampler\", fold_seed = 3 }", "{ type = \"kFoldGroupSampler\" }",
          "{ type = \"kFoldStratifiedSampler\" }",
          "{ type = \"kFoldWeightedRandomSampler\", weights = \"task\" }"}) {
        CAPTURE(sampler);
        for (const char* const fold : {"0/3", "2/3"}) {
            const std::string run = (folder.path() / (std::string(1, fold[0]) + sampler)).string();
            std::vector<std::string> arguments = {
                file, "--fold",  fold,    "--run-dir",
                run,  "--quiet", "--set", std::string("training.sampler=") + sampler};
            if (arguments.back().find("Group") != std::string::npos) {
                arguments.insert(arguments.end(), {"--set", "training.task.group=who"});
            }
            require_success(
                ptp::test::run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}}));
            const std::string held_out =
                ptp::test::run_program(
                    "ptprun",
                    {"predict", run, "--data", "validation", "--stream", "ids", "--quiet"}, {})
                    .output;
            double sum = 0;
            int count = 0;
            for (int i = 0; i < 23; ++i) {
                if (!std::regex_search(held_out, std::regex("\\br" + std::to_string(i) + "\\b"))) {
                    sum += i * i;
                    ++count;
                }
            }
            CHECK(count >= 14);
            CHECK(count <= 18);
            const std::string saved = ptp::read_text(run + "/checkpoints/last/checkpoint.toml");
            std::smatch mean;
            REQUIRE(std::regex_search(saved, mean, std::regex("mean = \\[([0-9.]+)\\]")));
            CHECK(std::stod(mean[1]) == doctest::Approx(sum / count).epsilon(1e-12));
        }
    }
}

}  // namespace cv_tables_test
