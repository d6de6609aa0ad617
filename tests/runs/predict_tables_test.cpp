// Predictions for the rows of tables, which are scored where they have their targets.

#include "runs/predictions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace predict_tables_test {

using namespace ptp::test;

namespace fs = std::filesystem;

namespace {

// The layers of an experiment whose table states classes, and of one that states numbers.
constexpr const char* kOfClasses = R"(
[pipeline.net]
type = "FeedForwardNetwork"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)";
constexpr const char* kOfNumbers = R"(
[pipeline.net]
type = "FeedForwardNetwork"
use_logsoftmax = false
globals = { prediction_size = 1 }
[pipeline.loss]
type = "MSELoss"
streams = { targets = "values" }
)";

// Trains for an epoch on a table of this type, in batches of two rows; `columns` are the settings
// that name its columns. Returns the folder of the run.
std::string trained(const TempFolder& folder, const fs::path& table, const std::string& columns,
                    const std::string& rest, const std::string& type = "CsvTable") {
    train_run(folder, training(1) + "type = \"" + type + "\"\nbatch_size = 2\nfile = \"" +
                          table.string() + "\"\n" + columns + rest);
    return (folder.path() / "run").string();
}

}  // namespace

TEST_CASE("predict: rows of a table, where the experiment has no section but [training]") {
    const TempFolder folder;
    folder.write("a.csv", "x,y,c\n1,2,a\n3,4,b\n5,6,a\n");
    const std::string run = trained(folder, folder.path() / "a.csv",
                                    "features = [\"x\", \"y\"]\nlabel = \"c\"\n", kOfClasses);
    const std::string labelled = (folder.path() / "a.csv").string();
    CHECK(predict({run, labelled}).errors == "ptprun: error: '" + labelled +
                                                 "' is one word too many after '" + run +
                                                 "'\n    fix: ptprun predict " + run + " --data " +
                                                 labelled + "\n    help: ptprun help predict\n");
    CHECK(predict({run, "--data", "training", "-o", labelled}).errors ==
          "ptprun: error: -o " + labelled +
              ": these are data of the training, training.task.file, which would be lost\n"
              "    fix: name another file\n    help: ptprun help predict\n");
    fs::rename(labelled, folder.path() / "data.txt");
    CHECK(rows_of(predicted_from("x,y\\n1,2\\n3,4\\n", run + " --data - --quiet")).size() == 2);
    const auto rows = folder.write("rows.csv", "x,y\n1,2\n").string();
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{}, {"--section", "training"}}) {
        std::vector<std::string> arguments = {run, "--data", rows, "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const ProcessResult result = predict(arguments);
        require_success(result);
        CHECK(header_of(result.output) == "index,predicted,score");
        CHECK(rows_of(result.output).size() == 1);
    }
    const std::string piped = predicted_from("x,y\\n1,2\\n3,4\\n", run + " --data - --quiet");
    CHECK(rows_of(piped).size() == 2);
    CHECK(predict({run, "--text", "x"})
              .errors.ends_with("ptprun: error: --text: training.task.samples = [\"x\"]: are texts "
                                "alone, and the model reads 'x', 'y', too, as a table with all "
                                "columns has them\n    fix: ptprun predict " +
                                run + " --data FILE.csv\n"));
}

TEST_CASE("predict: a table with the training's targets is scored, with the training's classes") {
    const TempFolder folder;
    folder.write("a.csv", "x,y,kind\n1,2,a\n3,4,b\n5,6,c\n");
    const std::string run = trained(folder, folder.path() / "a.csv",
                                    "features = [\"x\", \"y\"]\nlabel = \"kind\"\n", kOfClasses);
    const auto predict_table = [&](const std::string& text, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {run, "--data", folder.write("new.csv", text).string()});
        return predict(more);
    };
    const ProcessResult scored = predict_table("kind,y,x\n\"c\",2,1\n\nb,4,3\n");
    CHECK(header_of(scored.output) == "index,predicted,score,target,correct,loss");
    CHECK(column(rows_of(scored.output), "target") == Cells{"c", "b"});
    const Cells right = column(rows_of(scored.output), "correct");
    CHECK(scored.errors ==
          "2 predictions, " + std::to_string(std::ranges::count(right, "true")) + " of 2 right\n");
    CHECK(rows_of(predict_table("x,y,kind\n1,2,c\n3,4,c\n", {"--worst", "1"}).output).size() == 1);
    CHECK(predicted_from("x,y,kind\n1,2,c\n", run + " --data - --quiet").find(",c,") !=
          std::string::npos);
    const std::string skipped = "these samples have no targets: loss is skipped\n    ";
    CHECK(predict_table("x,y\n1,2\n").errors ==
          skipped + "the table has no column 'kind'\n1 prediction\n");
    const ProcessResult none = predict_table("x,y,kind\n3,4,d\n");
    CHECK(none.errors ==
          "these samples are not scored: loss is skipped\n"
          "    no row has a class of the training: line 2 has 'd' as 'kind', which is not a class "
          "of the training (a, b, c)\n1 prediction\n");
    CHECK(header_of(none.output) == "index,predicted,score");
    const ProcessResult some =
        predict_table("x,y,kind\n\n1,2,a\n3,4,d\n5,6,c\n7,8,\n", {"--quiet"});
    CHECK(header_of(some.output) == "index,predicted,score,target,correct,loss");
    CHECK(column(rows_of(some.output), "target") == Cells{"a", "", "c", ""});
    CHECK(column(rows_of(some.output), "loss").at(1).empty());
    CHECK_FALSE(column(rows_of(some.output), "loss").at(2).empty());
    CHECK(predict_table("x,y,kind\n\n1,2,a\n3,4,d\n5,6,c\n7,8,\n")
              .errors.starts_with("2 of 4 rows are not scored: line 4 has 'd' as 'kind', which is "
                                  "not a class of the training (a, b, c)\n4 predictions, "));
}

TEST_CASE("predict: standardized values are shown in the unit of their column") {
    const TempFolder folder;
    folder.write("a.csv", "x,v\n1,100\n2,300\n");
    // The mean of the values is 200, their deviation 100.
    const std::string run = trained(folder, folder.path() / "a.csv",
                                    "features = \"x\"\nvalues = \"v\"\nstandardize_values = true\n",
                                    kOfNumbers, "Table");
    const ProcessResult scored =
        predict({run, "--data", folder.write("new.csv", "x,v\n1,150\n").string()});
    CHECK(header_of(scored.output) == "index,predictions,target,loss");
    const auto rows = rows_of(scored.output);
    CHECK(column(rows, "target") == Cells{"150"});
    const double z = (std::stod(column(rows, "predictions").at(0)) - 200) / 100;
    CHECK(std::stod(column(rows, "loss").at(0)) == doctest::Approx((z + 0.5) * (z + 0.5)));
    const ProcessResult unscored =
        predict({run, "--data", folder.write("new.csv", "x\n1\n").string()});
    CHECK(column(rows_of(unscored.output), "predictions") == column(rows, "predictions"));
}

TEST_CASE("train: errors of other targets than the values of the task have no scales") {
    const TempFolder folder;
    folder.write("a.csv", "x,v\n1,300\n2,100\n");
    // Standardized, x is -1 and 1, and v is 1 and -1: the mean absolute error is 2.
    trained(folder, folder.path() / "a.csv",
            "features = \"x\"\nvalues = \"v\"\nstandardize_values = true\n",
            std::string(kOfNumbers) +
                "[pipeline.swapped]\ntype = \"RegressionStatistics\"\n"
                "streams = { targets = \"inputs\", predictions = \"values\" }\n",
            "Table");
    std::ifstream in(folder.path() / "run" / "training.csv");
    const auto rows = rows_of({std::istreambuf_iterator<char>(in), {}});
    CHECK(std::stod(column(rows, "mae").at(0)) == doctest::Approx(2));
}

TEST_CASE("predict: a fix is what can be typed, and not a key of the run's experiment") {
    const TempFolder folder;
    folder.write("a.csv", "x,y,c\n1,2,a\n3,4,b\n5,6,a\n");
    const std::string run = trained(folder, folder.path() / "a.csv",
                                    "features = [\"x\", \"y\"]\nlabel = \"c\"\n", kOfClasses);
    const std::string row =
        ": names of files are expected, not values\n    fix: printf "
        "'x,y\\n1,2.5\\n' | ptprun predict " +
        run + " --data -\n";
    CHECK(predict({run, "--data", "1,2.5"}).errors == "--data: error: 1,2.5" + row);
    CHECK(predict({run, "--data", "1, 2.5"}).errors == "--data: error: 1, 2.5" + row);
    CHECK(predict({run, "--data", "1", "2.5"}).errors == "--data: error: 1 2.5" + row);
    CHECK(rows_of(predicted_from("x,y\\n1,2.5\\n", run + " --data - --quiet")).size() == 1);
    const auto with = [&](const std::string& file, const std::string& set) {
        return predict({run, "--data", file, "--set", set, "--quiet"}).status;
    };
    const std::string capitals = folder.write("capitals.csv", "X,Y\n1,2\n").string();
    CHECK(predict({run, "--data", capitals})
              .errors.ends_with("    fix: ptprun predict " + run + " --data " + capitals +
                                " --set 'training.task.features=[\"X\", \"Y\"]'\n"));
    CHECK(with(capitals, "training.task.features=[\"X\", \"Y\"]") == 0);
    const std::string semicolons = folder.write("semicolons.csv", "x;y\n1;2\n").string();
    CHECK(predict({run, "--data", semicolons})
              .errors.ends_with("    fix: ptprun predict " + run + " --data " + semicolons +
                                " --set 'training.task.separator=\"semicolon\"'\n"));
    CHECK(with(semicolons, "training.task.separator=\"semicolon\"") == 0);
}

TEST_CASE("predict: data that the training has read are said to be no new data") {
    const TempFolder folder;
    const std::string table = folder.write("a.csv", "x,kind\n1,a\n3,b\n5,a\n7,b\n").string();
    const std::string run = trained(
        folder, table,
        "features = [\"x\"]\nlabel = \"kind\"\n[training.sampler]\ntype = \"RandomSplitSampler\"\nshare = [0.0, 0.5]\n",
        kOfClasses);
    CHECK(predict({run, "--data", table})
              .errors.starts_with(table +
                                  " is data of the training, which drew the share from 0 to 0.5 of "
                                  "its samples: how well the model predicts these says "
                                  "nothing about new data\n4 predictions, "));
    const std::string copy = folder.write("b.csv", folder.read("a.csv")).string();
    CHECK(predict({run, "--data", copy})
              .errors.starts_with(copy + " is data of the training, which drew the share from "));
    const std::string other = folder.write("c.csv", "x,kind\n1,a\n3,b\n5,a\n7,a\n").string();
    CHECK(predict({run, "--data", other}).errors.starts_with("4 predictions, "));
    CHECK(predict({run, "--data", table, "--quiet"}).errors == "");
    CHECK(ptprun({"predict", run, "--data", other})
              .errors.starts_with("weights of " + run + ", epoch 1 (best)\n4 predictions, "));
    CHECK(ptprun({"predict", run, "--data", other, "--checkpoint", run + "/checkpoints/last"})
              .errors.starts_with("weights of " + run + ", epoch 1 (last)\n4 predictions, "));
    CHECK(ptp::test::without_excerpts(
              predict({run, "--data", other, "--set", "training.optimizer.lr=0.5"}).errors) ==
          "--set: error: training.optimizer.lr: has no effect: nothing is trained here\n"
          "    fix: ptprun predict " +
              run + " --data " + other + "\n");
    CHECK(ptp::test::without_excerpts(
              predict({run, "--data", other, "--set", "hidden.units=3"}).errors) ==
          "--set: error: hidden: unknown key\n"
          "    fix: nothing is trained here: --set changes training.task, training.sampler, "
          "training.dataloader and training.batch_limit, and a setting of a component as "
          "pipeline.NAME.SETTING=VALUE; a network stays the one whose weights these are\n");
    const ProcessResult smaller =
        predict({run, "--data", other, "--set", "pipeline.net.hidden_sizes=[3]"});
    CHECK(smaller.status == 4);
    CHECK(smaller.errors ==
          "ptprun: error: " + run +
              "/checkpoints/best/weights.safetensors: the tensors of 'net' do not fit 'net' "
              "(FeedForwardNetwork):\n"
              "    layers.0.weight: is Float [2, 1] in the file, must be Float [3, 1]\n"
              "    layers.0.bias: is Float [2] in the file, must be Float [3]\n"
              "    layers.2.weight: is missing, Float [2, 3]\n"
              "    layers.2.bias: is missing, Float [2]\n"
              "    fix: leave out what changes 'net': its network is the one whose weights these "
              "are\n");
    CHECK(ptp::test::without_excerpts(
              predict({run, "--data", other, "--set", "training.task.file=\"" + table + "\""})
                  .errors) ==
          "--set: error: training.task.file: has no effect: --data has what is predicted\n"
          "    fix: ptprun predict " +
              run + " --data " + other + "\n         ptprun predict " + run + " --data training\n");
}

TEST_CASE("predict: an error about the standard input calls it so") {
    const TempFolder folder;
    folder.write("a.csv", "x,kind\n1,a\n3,b\n");
    const std::string run = trained(folder, folder.path() / "a.csv",
                                    "features = [\"x\"]\nlabel = \"kind\"\n", kOfClasses);
    const std::string command = "printf '0.5\\n' | " +
                                (ptp::test::build_dir() / "bin/ptprun").string() + " predict " +
                                run + " --data - --quiet 2> " + (folder.path() / "errors").string();
    CHECK(std::system(command.c_str()) != 0);
    const std::string errors = folder.read("errors");
    CHECK(errors.find("(CsvTable): the standard input: has no rows but the names of the columns") !=
          std::string::npos);
    CHECK(errors.find("standard_input") == std::string::npos);
}

TEST_CASE("predict: numbers to be predicted are scored where every row has them") {
    const TempFolder folder;
    folder.write("a.csv", "x,price\n1,2\n3,4\n5,6\n");
    const std::string run = trained(folder, folder.path() / "a.csv",
                                    "features = [\"x\"]\nvalues = [\"price\"]\n", kOfNumbers);
    const std::string rows = folder.write("new.csv", "price,x\n 7.5 ,1\n").string();
    const ProcessResult scored = predict({run, "--data", rows, "--quiet"});
    CHECK(scored.errors == "");
    CHECK(rows_of(scored.output).at(0).contains("loss"));
    folder.write("new.csv", "price,x\n7.5,1\n,2\n");
    CHECK(predict({run, "--data", rows}).errors ==
          "these samples are not scored: loss is skipped\n    line 3 has '' as "
          "'price', which is not a number; remove such rows to score the others\n2 predictions\n");
}

TEST_CASE("predict: JSON lines are scored where every object has the targets") {
    const TempFolder folder;
    const auto data = folder.write("a.jsonl",
                                   "{\"x\": 1, \"price\": 2}\n{\"x\": 3, \"price\": 4.5}\n"
                                   "{\"x\": 5, \"price\": 6}\n");
    const std::string run =
        trained(folder, data, "features = [\"x\"]\nvalues = \"price\"\n", kOfNumbers, "Table");
    const ProcessResult known = predict({run, "--data", data.string()});
    CHECK(known.errors.find("a.jsonl is data of the training, which drew each of its samples: "
                            "how well") != std::string::npos);
    CHECK(column(rows_of(known.output), "target") == Cells{"2", "4.5", "6"});
    const auto predict_lines = [&](const std::string& text) {
        return predict({run, "--data", folder.write("new.jsonl", text).string()});
    };
    const auto rows = rows_of(
        predict_lines("\n{\"price\": \"7.5\", \"x\": 1}\n\n{\"x\": 2, \"price\": 8}\n").output);
    CHECK(column(rows, "target") == Cells{"7.5", "8"});
    const std::string left_out = "these samples are not scored: loss is skipped\n    ";
    CHECK(predict_lines("{\"price\": 7, \"x\": 1}\n\n{\"x\": 2, \"price\": null}\n")
              .errors.find(left_out +
                           "line 3 has '' as 'price', which is not a number; remove such rows to "
                           "score the others\n2 predictions\n") != std::string::npos);
    CHECK(predict_lines("{\"x\": 1}\n").errors.find("the table has no column 'price'") !=
          std::string::npos);
}

TEST_CASE("predict: several classes in a cell, each with its probability") {
    const TempFolder folder;
    folder.write("a.csv", "x,y,tags,who\n1,2,red;round,p\n3,4,,q\n5,6,round,q\n");
    train_run(
        folder,
        training(1) +
            "type = \"Table\"\nbatch_size = 2\nfeatures = [\"x\", \"y\"]\nlabel = \"tags\"\n"
            "multi_label = true\ngroup = \"who\"\nfile = \"" +
            (folder.path() / "a.csv").string() +
            "\"\n[pipeline.net]\ntype = \"FeedForwardNetwork\"\nuse_logsoftmax = false\nglobals "
            "= { prediction_size = \"num_classes\" }\n[pipeline.loss]\ntype = "
            "\"BCEWithLogitsLoss\"\n[pipeline.quality]\ntype = \"MultiLabelStatistics\"\n");
    const std::string run = (folder.path() / "run").string();
    const auto predict_table = [&](const std::string& text) {
        return predict({run, "--data", folder.write("new.csv", text).string()});
    };
    // A class that the training lacks is left out; new data may lack the column of the groups.
    const ProcessResult scored = predict_table("tags,y,x\nround; blue,2,1\n,4,3\n");
    REQUIRE(header_of(scored.output) ==
            "index,predicted,score_red,score_round,target,correct,loss");
    const auto rows = rows_of(scored.output);
    CHECK(column(rows, "target") == Cells{"round", ""});
    for (std::size_t i = 0; i < 2; ++i) {
        std::string predicted = std::stod(column(rows, "score_red")[i]) > 0.5 ? "red" : "";
        if (std::stod(column(rows, "score_round")[i]) > 0.5) {
            predicted += predicted.empty() ? "round" : ";round";
        }
        CHECK(column(rows, "predicted")[i] == predicted);
        CHECK(column(rows, "correct")[i] ==
              (predicted == column(rows, "target")[i] ? "true" : "false"));
    }
    CHECK(header_of(predict_table("y,x\n2,1\n").output) == "index,predicted,score_red,score_round");
    CHECK(predict({run, "--data", (folder.path() / "new.csv").string(), "--top-k", "2"}).errors ==
          "these samples have no targets: loss and quality are skipped\n"
          "    the table has no column 'tags'\n"
          "ptprun: error: --top-k 2: samples of 'predictions' have several classes; the table has "
          "the score of each\n    fix: leave out --top-k\n");
}

TEST_CASE("predict: each of several heads has the names of its own classes") {
    const TempFolder folder;
    std::string table = "x,parity,size\n";
    for (int i = 0; i < 16; ++i) {
        table +=
            std::to_string(i) + (i % 2 == 0 ? ",even" : ",odd") + (i < 8 ? ",low\n" : ",high\n");
    }
    const auto parities = folder.write("parities.txt", "even odd\n").string();
    train_run(folder,
              training(1) +
                  "type = \"CsvTable\"\nbatch_size = 4\nfeatures = [\"x\"]\ntext = \"parity\"\n"
                  "label = \"size\"\nfile = \"" +
                  folder.write("table.csv", table).string() +
                  "\"\n[pipeline.parity_indexer]\ntype = \"LabelIndexer\"\n"
                  "source_vocabulary_files = \"" +
                  parities +
                  "\"\nstreams = { inputs = \"texts\", outputs = \"parities\" }\n"
                  "globals = { published_word_mappings = \"parity_names\", vocabulary_size = "
                  "\"parity_count\" }\n"
                  "[pipeline.sizes]\ntype = \"FeedForwardNetwork\"\n"
                  "globals = { prediction_size = \"num_classes\" }\n"
                  "[pipeline.parity]\ntype = \"FeedForwardNetwork\"\n"
                  "streams = { predictions = \"parity_scores\" }\n"
                  "globals = { prediction_size = \"parity_count\" }\n"
                  "[pipeline.size_loss]\ntype = \"NLLLoss\"\nstreams = { loss = \"size_loss\" }\n"
                  "[pipeline.parity_loss]\ntype = \"NLLLoss\"\nstreams = { predictions = "
                  "\"parity_scores\", targets = \"parities\", loss = \"parity_loss\" }\n");
    const ProcessResult result =
        predict({(folder.path() / "run").string(), "--data", "training", "--quiet"});
    require_success(result);
    const auto rows = rows_of(result.output);
    REQUIRE(rows.size() == 16);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows[i].at("predictions_target") == (i < 8 ? "low" : "high"));
        CHECK(rows[i].at("parity_scores_target") == (i % 2 == 0 ? "even" : "odd"));
        const std::string& predicted = rows[i].at("parity_scores_predicted");
        CHECK((predicted == "even" || predicted == "odd"));
    }
}

}  // namespace predict_tables_test
