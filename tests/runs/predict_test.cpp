// Predictions for sections, and what the table has.

#include "runs/predictions.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace predict_test {

using namespace ptp::test;

namespace fs = std::filesystem;

namespace {

void train(const ExperimentFolder& folder, const std::string& pipeline = "") {
    folder.write({.pipeline = pipeline});
    require_success(folder.run("run"));
}

}  // namespace

TEST_CASE("predict: a section has targets, whether they are met, and the loss of each sample") {
    const ExperimentFolder folder;
    train(folder);
    const ProcessResult result =
        predict({folder.run_folder("run"), "--data", "test", "-o", folder.run_folder("p.csv")});
    REQUIRE(result.status == 0);
    const std::string table = folder.read("p.csv");
    CHECK(header_of(table) == "index,predicted,score,target,correct,loss");
    const auto rows = rows_of(table);
    REQUIRE(rows.size() == 16);
    double sum = 0;
    double right = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const char* const names[] = {"T-shirt/top", "Trouser", "Pullover", "Dress"};
        CHECK(rows[i].at("index") == std::to_string(i));
        CHECK(rows[i].at("target") == names[i % 4]);
        const bool is_right = rows[i].at("predicted") == rows[i].at("target");
        CHECK(rows[i].at("correct") == (is_right ? "true" : "false"));
        const double loss = std::stod(rows[i].at("loss"));
        if (is_right) {  // the loss is the negative log-probability of the target
            CHECK(std::exp(-loss) == doctest::Approx(std::stod(rows[i].at("score"))).epsilon(1e-5));
        }
        sum += loss;
        right += is_right ? 1 : 0;
    }
    const std::string tested = folder.read("run/test.csv");
    CHECK(sum / 16 ==
          doctest::Approx(std::stod(ptp::test::last_value(tested, "loss"))).epsilon(1e-5));
    CHECK(right / 16 == doctest::Approx(std::stod(ptp::test::last_value(tested, "accuracy"))));
    CHECK(without_folder(result.errors, folder.path()) ==
          "16 predictions, " + std::to_string(static_cast<int>(right)) +
              " of 16 right, in FOLDER/p.csv\n");
}

TEST_CASE("predict: --worst gives the highest losses, the worst first") {
    const ExperimentFolder folder;
    train(folder);
    const std::string run = folder.run_folder("run");
    const auto all = rows_of(predict({run, "--data", "test", "--quiet"}).output);
    const auto worst = rows_of(predict({run, "--data", "test", "--quiet", "--worst", "5"}).output);
    REQUIRE(worst.size() == 5);
    std::vector<double> losses;
    losses.reserve(all.size());
    for (const Row& row : all) {
        losses.push_back(std::stod(row.at("loss")));
    }
    std::sort(losses.rbegin(), losses.rend());
    for (std::size_t i = 0; i < worst.size(); ++i) {
        CHECK(std::stod(worst[i].at("loss")) == losses[i]);
        CHECK(all[std::stoul(worst[i].at("index"))] == worst[i]);
    }
}

TEST_CASE("predict: the scores equal the evaluation's, to the last bit") {
    const ExperimentFolder folder;
    train(folder);
    const std::string run = folder.run_folder("run");
    const std::string logs =
        "pipeline.logs={ type = \"StreamFileExporter\", input_streams = [\"predictions\"], format "
        "= \"json_lines\" }";
    REQUIRE(ptprun({"process", run, "--run-dir", folder.run_folder("out"), "--set", logs}).status ==
            0);
    std::istringstream exported(folder.read("out/exports/logs.jsonl"));
    const auto rows = rows_of(predict({run, "--data", "test", "--quiet"}).output);
    for (const Row& row : rows) {
        std::string line;
        REQUIRE(std::getline(exported, line));
        const auto logs = nlohmann::json::parse(line)["predictions"];
        double highest = -HUGE_VAL;
        double sum = 0;
        for (const auto& number : logs) {
            const double log = std::stof(number.dump());
            highest = std::max(highest, log);
            sum += std::exp(log);
        }
        // One bit of a float is 6e-8 of it.
        CHECK(std::stod(row.at("score")) ==
              doctest::Approx(std::exp(highest) / sum).epsilon(1e-12));
    }
}

TEST_CASE("predict: streams that are no scores are shown as they are") {
    const ExperimentFolder folder;
    train(folder);
    const std::string run = folder.run_folder("run");
    const ProcessResult result =
        predict({run, "--data", (folder.path() / "data/t10k-images-idx3-ubyte").string(),
                 "--stream", "features", "--stream", "predictions", "--verbose"});
    CHECK(result.errors.find("not needed to predict") == std::string::npos);
    REQUIRE(result.status == 0);
    CHECK(
        header_of(result.output) ==
        "index,features_0,features_1,features_2,features_3,predictions_predicted,predictions_score");
    const auto rows = rows_of(result.output);
    REQUIRE(rows.size() == 16);
    // Sample 1 is bright at the top right: 207 to 234 of 255, nearly dark elsewhere.
    CHECK(std::stod(rows[1].at("features_1")) > 0.5);
    CHECK(std::stod(rows[1].at("features_0")) < 0.25);
}

TEST_CASE("predict: of a regression the values are shown, not probabilities of as many classes") {
    const ExperimentFolder folder;
    // FashionMNIST names its ten classes, and there are ten numbers to predict.
    train(folder,
          "[pipeline.one_hot]\ntype = \"OneHot\"\n"
          "streams = { inputs = \"targets\", outputs = \"wanted\" }\n"
          "globals = { num_classes = \"num_classes\" }\n"
          "[pipeline.head]\ntype = \"FeedForwardNetwork\"\nuse_logsoftmax = false\n"
          "streams = { inputs = \"features\", predictions = \"numbers\" }\n"
          "globals = { prediction_size = \"num_classes\" }\n"
          "[pipeline.mse]\ntype = \"MSELoss\"\n"
          "streams = { predictions = \"numbers\", targets = \"wanted\", loss = \"mse\" }\n"
          "statistics = { loss = \"mse\" }\n");
    const std::string run = folder.run_folder("run");
    const ProcessResult result = predict({run, "--data", "test", "--quiet", "--stream", "numbers"});
    require_success(result);
    const std::string header = header_of(result.output);
    CHECK(header.starts_with("index,numbers_0,numbers_1,"));
    CHECK(header.find(",target_0,target_1,") != std::string::npos);
    CHECK(header.ends_with(",target_9,loss"));
    const auto rows = rows_of(result.output);
    REQUIRE(rows.size() == 16);
    double loss = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < 10; ++k) {
            const std::string number = std::to_string(k);
            const double target = std::stod(rows[i].at("target_" + number));
            CHECK(target == (k == i % 4 ? 1 : 0));
            const double difference = std::stod(rows[i].at("numbers_" + number)) - target;
            sum += difference * difference;
        }
        CHECK(std::stod(rows[i].at("loss")) == doctest::Approx(sum / 10).epsilon(1e-5));
        loss += sum / 10;
    }
    CHECK(loss / 16 ==
          doctest::Approx(std::stod(ptp::test::last_value(folder.read("run/test.csv"), "mse")))
              .epsilon(1e-5));
    // Without targets the numbers are the same; and whoever asks for classes gets them.
    const ProcessResult images =
        predict({run, "--data", (folder.path() / "data/t10k-images-idx3-ubyte").string(), "--quiet",
                 "--stream", "numbers"});
    CHECK(header_of(images.output).starts_with("index,numbers_0,"));
    CHECK(column(rows_of(images.output), "numbers_3") == column(rows, "numbers_3"));
    CHECK(header_of(predict({run, "--data", "test", "--quiet", "--stream", "numbers", "--classes",
                             "label_word_mappings"})
                        .output)
              .starts_with("index,predicted,score"));
}

TEST_CASE("predict: several heads have columns of their own, and their losses a sum") {
    const ExperimentFolder folder;
    train(folder,
          "[pipeline.other]\ntype = \"FeedForwardNetwork\"\n"
          "streams = { inputs = \"features\", predictions = \"second\" }\n"
          "globals = { prediction_size = \"num_classes\" }\n"
          "[pipeline.other_nll]\ntype = \"NLLLoss\"\n"
          "streams = { predictions = \"second\", loss = \"other_loss\" }\n"
          "statistics = { loss = \"other_loss\" }\n");
    const std::string run = folder.run_folder("run");
    const ProcessResult result = predict(
        {run, "--data", "test", "--quiet", "--set", "training.loss_weights={ other_loss = 0.5 }"});
    require_success(result);
    const auto rows = rows_of(result.output);
    REQUIRE(rows.size() == 16);
    for (const Row& row : rows) {
        CHECK(row.contains("second_predicted"));
        CHECK(row.contains("predictions_correct"));
        CHECK(std::stod(row.at("total_loss")) ==
              doctest::Approx(std::stod(row.at("loss")) + 0.5 * std::stod(row.at("other_loss")))
                  .epsilon(1e-6));
    }
    CHECK(header_of(predict({run, "--data", "test", "--quiet", "--stream", "second"}).output) ==
          "index,predicted,score,target,correct,loss");
}

TEST_CASE("predict: a pipeline without a loss predicts, and is processed") {
    const ExperimentFolder folder;
    train(folder);
    const std::string run = folder.run_folder("run");
    const std::vector<std::string> no_loss = {"--set", "pipeline.disable=[\"nll\", \"accuracy\"]"};
    require_success(
        ptprun({"process", run, "--run-dir", folder.run_folder("out"), no_loss[0], no_loss[1]}));
    const ProcessResult result =
        predict({run, "--data", "test", no_loss[0], no_loss[1], "--quiet"});
    require_success(result);
    CHECK(header_of(result.output) == "index,predicted,score");
    // The classes are the same as with the loss.
    CHECK(column(rows_of(result.output), "predicted") ==
          column(rows_of(predict({run, "--data", "test", "--quiet"}).output), "predicted"));
}

TEST_CASE("predict: what a task cannot read is refused with what it reads, and which task does") {
    const ExperimentFolder folder;
    train(folder);
    fs::copy(ptp::test::source_dir() / "plugins/vision_tasks/check/pictures/first",
             folder.path() / "photos");
    const std::string run = folder.run_folder("run");
    const ProcessResult result =
        predict({run, "--quiet", "--data", (folder.path() / "photos").string()});
    CHECK(result.status == 4);
    const std::string errors =
        without_folder(ptp::test::without_excerpts(result.errors), folder.path());
    CHECK(
        errors.substr(std::min(errors.find("error: "), errors.size())) ==
        "error: the task of [test] (FashionMNIST): "
        "FOLDER/photos: is a folder, not a file; name a file of images in the format of MNIST\n"
        "    FashionMNIST, the task of [test], reads as 'images': Images without classes, in "
        "place of data_folder: an idx file, plain or .gz; ImageFolder reads others\n"
        "    fix: ptprun predict FOLDER/run --quiet --data FOLDER/photos --set 'test.task={ type = "
        "\"ImageFolder\", batch_size = 100, image_depth = 1, resize_image = [2, 2] }'\n");
    // The fix is typed.
    const ProcessResult typed =
        predict({run, "--quiet", "--data", (folder.path() / "photos").string(), "--set",
                 "test.task={ type = \"ImageFolder\", batch_size = 100, image_depth = 1, "
                 "resize_image = [2, 2] }"});
    CHECK(typed.errors == "");
    CHECK(rows_of(typed.output).size() == 4);
}

TEST_CASE("predict: what cannot be predicted is refused before anything is written") {
    const ExperimentFolder folder;
    train(folder);
    const std::string run = folder.run_folder("run");
    const std::string images = (folder.path() / "data/t10k-images-idx3-ubyte").string();
    const std::string out = folder.run_folder("out.csv");
    struct Case {
        std::vector<std::string> arguments;
        int status;
        const char* error;
    };
    const Case cases[] = {
        {{run},
         2,
         "ptprun: error: --data or --text is needed: files, a folder or the name of a section, "
         "or a text\n"
         "    help: ptprun help predict\n"},
        {{run, "--section", "test"},
         2,
         "ptprun: error: --data or --text is needed: files, a folder or the name of a section, "
         "or a text\n"
         "    fix: ptprun predict FOLDER/run -o FOLDER/out.csv --data test\n"
         "    help: ptprun help predict\n"},
        {{run, "--data", "tset"},
         2,
         "--data: error: tset: no such file or folder, and no such section; did you mean "
         "'test'?\n"},
        {{run, "--data", images, "there"},
         2,
         "--data: error: there: no such file or folder, and no such section; known: training, "
         "validation, test\n"},
        {{run, "--data", "test", "--section", "test"},
         2,
         "ptprun: error: --section goes with files and folders; --data test is the section itself, "
         "and --data ./test a folder or file of this name\n    help: ptprun help predict\n"},
        {{run, "--data", images, "--section", "tests"},
         2,
         "--section: error: tests: the experiment has no such section; did you mean 'test'?\n"},
        {{run, "--data", images, images},
         2,
         "ptprun: error: --data: FashionMNIST reads one path at a time, not 2\n"
         "    FashionMNIST, the task of [test], reads as 'images': Images without classes, in place "
         "of data_folder: an idx file, plain or .gz; ImageFolder reads others\n"
         "    fix: ptprun predict FOLDER/run --data FOLDER/data/t10k-images-idx3-ubyte "
         "FOLDER/data/t10k-images-idx3-ubyte -o FOLDER/out.csv --set 'test.task={ type = "
         "\"ImageFolder\", batch_size = 100, image_depth = 1, resize_image = [2, 2] }'\n"
         "    help: ptprun help predict\n"},
        {{run, "--data", "test", "--stream", "prediction"},
         2,
         "--stream: error: prediction: unknown stream; did you mean 'predictions'?\n"},
        {{run, "--data", images, "--stream", "targets"},
         2,
         "--stream: error: targets: unknown stream; known: indices, inputs, features, "
         "predictions\n"},
        {{run, "--data", "test", "--top-k", "0"},
         2,
         "ptprun: error: --top-k 0: must be 1 or more\n    help: ptprun help predict\n"},
        {{run, "--data", "test", "--top-k", "11"},
         2,
         "ptprun: error: --top-k 11: 'predictions' has the scores of 10 classes\n"
         "    fix: ptprun predict FOLDER/run --data test -o FOLDER/out.csv --top-k 10\n"},
        {{run, "--data", images, "--worst", "3", "--verbose"}, 2, nullptr},
        {{run, "--data", "test", "--classes", "label_words"},
         2,
         "ptprun: error: --classes label_words: unknown global; known: label_word_mappings\n"},
        {{run, "--data", "test", "--checkpoint", "first"},
         2,
         "ptprun: error: --checkpoint first: no such folder: first; known: best, last\n    help: ptprun help "
         "predict\n"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.arguments.back());
        std::vector<std::string> arguments = c.arguments;
        arguments.insert(arguments.end(), {"-o", out});
        const ProcessResult result = predict(arguments);
        CHECK(result.status == c.status);
        if (c.error != nullptr) {
            CHECK(without_folder(result.errors, folder.path()) == c.error);
        }
        CHECK_FALSE(fs::exists(out));
    }
    CHECK(predict({run, "--data", images, "--worst", "3", "--quiet"}).errors ==
          "ptprun: error: --worst: there is no loss to sort by: no loss runs on these samples\n");
    CHECK(without_folder(
              predict({run, "--data", "test", "--worst", "3", "--stream", "features"}).errors,
              folder.path()) ==
          "ptprun: error: --worst: there is no loss to sort by: losses read 'predictions', and "
          "'features' is predicted\n    fix: ptprun predict FOLDER/run --data test --worst 3 "
          "--stream features --stream predictions\n");
    CHECK(
        without_folder(predict({run, "--data", "test", "-o", folder.run_folder("no/p.csv")}).errors,
                       folder.path()) ==
        "ptprun: error: -o FOLDER/no/p.csv: no such folder: FOLDER/no\n    help: ptprun help "
        "predict\n");
    CHECK(
        without_folder(predict({run, "--data", "test", "-o", run}).errors, folder.path()) ==
        "ptprun: error: -o FOLDER/run: is a folder; name a file\n    help: ptprun help predict\n");
    const auto written_to = [&](const std::string& name, const std::vector<std::string>& more) {
        std::vector<std::string> words = {run, "--data", "test", "-o", folder.run_folder(name)};
        words.insert(words.end(), more.begin(), more.end());
        return without_folder(predict(words).errors, folder.path());
    };
    CHECK(written_to("p.csv", {"--json"})
              .find("error: -o FOLDER/p.csv: what is written is JSON lines\n") !=
          std::string::npos);
    CHECK(written_to("p.xlsx", {})
              .find("error: -o FOLDER/p.xlsx: what is written is CSV, or JSON lines\n") !=
          std::string::npos);
}

TEST_CASE("predict, process, check, explain: a record that was changed by hand is warned of") {
    const ExperimentFolder folder;
    train(folder);
    const std::string run = folder.run_folder("run");
    CHECK(predict({run, "--data", "test", "--quiet"}).errors == "");
    std::ofstream(folder.path() / "run/experiment.toml", std::ios::app) << "\n";
    const std::string warning =
        "FOLDER/run/experiment.toml: warning: has changed since the run wrote it: its weights were "
        "trained with another experiment, and ptprun resume refuses it\n";
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"predict", run, "--data", "test", "--quiet"},
          {"process", run, "--quiet"},
          {"check", run},
          {"explain", run, "training.optimizer.lr"}}) {
        CAPTURE(command.front());
        const ProcessResult result = ptprun(command);
        CHECK(result.status == 0);
        CHECK(without_folder(result.errors, folder.path()) == warning);
    }
}

}  // namespace predict_test
