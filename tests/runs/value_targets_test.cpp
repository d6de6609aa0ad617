// Trainings to predict numbers: what their start says about numbers that are hard to reach.

#include "runs/predictions.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <string>

namespace value_targets_test {

using namespace ptp::test;

namespace {

constexpr const char* kPrices = "x,price\n1,100000\n2,200000\n3,150000\n4,250000\n";
constexpr const char* kShares = "x,price\n1,0.1\n2,0.9\n3,0\n4,1\n";

// The training of a task with more keys, and of these components.
std::string experiment(const std::string& table, const std::string& task,
                       const std::string& components) {
    return "seed = 1\n[training]\noptimizer = { type = \"SGD\", lr = 0.001 }\n"
           "terminal_conditions = { epoch_limit = 1 }\n"
           "task = { batch_size = 4, file = \"" +
           table + "\", features = [\"x\"], values = [\"price\"], " + task + " }\n" + components;
}

std::string layers(const std::string& loss, const std::string& last) {
    return "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", out = 1 }" +
           last + "]\n[pipeline.loss]\ntype = \"" + loss +
           "\"\nstreams = { targets = \"values\", predictions = \"outputs\" }\n";
}

// Returns the standard error of a training.
std::string said(const TempFolder& folder, const std::string& text) {
    const std::string file = folder.write("e.toml", text).string();
    std::filesystem::remove_all(folder.path() / "run");
    const ProcessResult result =
        ptprun({file, "--quiet", "--run-dir", (folder.path() / "run").string()});
    CHECK_MESSAGE(result.status == 0, result.errors);
    return result.errors;
}

constexpr const char* kScale =
    "the column 'price' has numbers around 1.75e+05 with a deviation of 5.59e+04, and a network "
    "begins with predictions around 0: it may learn nothing for many epochs; ";

}  // namespace

TEST_CASE("value targets: predictions from 0 to 1 that never reach their targets are warned of") {
    const TempFolder folder;
    const std::string prices = folder.write("prices.csv", kPrices).string();
    const std::string shares = folder.write("shares.csv", kShares).string();
    const std::string warning =
        " compares predictions of layer 1 of 'net' (Sigmoid), which stay between 0 and 1, with "
        "targets from 100000 to 250000 in the first batch: they are never reached\n"
        "    fix: leave out pipeline.net.layers[1], \"Sigmoid\"\n";
    for (const std::string loss : {"MSELoss", "L1Loss", "HuberLoss"}) {
        const std::string text =
            said(folder, experiment(prices, "type = \"CsvTable\"", layers(loss, ", \"Sigmoid\"")));
        CHECK_MESSAGE(text.find("'loss' (" + loss + ")" + warning) != std::string::npos, text);
    }
    CHECK(said(folder, experiment(shares, "type = \"CsvTable\"",
                                  layers("MSELoss", ", \"Sigmoid\""))) == "");
    const std::string plain =
        said(folder, experiment(prices, "type = \"CsvTable\"", layers("MSELoss", "")));
    CHECK_MESSAGE(plain.find("never reached") == std::string::npos, plain);
}

TEST_CASE("value targets: predictions from 0 on that never reach negative targets are warned of") {
    const TempFolder folder;
    const std::string changes =
        folder.write("changes.csv", "x,price\n1,-3\n2,2\n3,-0.5\n4,1\n").string();
    const std::string few = folder.write("few.csv", "x,price\n1,-3\n2,2\n3,0\n4,1\n").string();
    const auto text = [&](const std::string& table) {
        return said(folder,
                    experiment(table, "type = \"CsvTable\"", layers("MSELoss", ", \"ReLU\"")));
    };
    const std::string warned = text(changes);
    CHECK_MESSAGE(
        warned.find(
            "'loss' (MSELoss) compares predictions of layer 1 of 'net' (ReLU), which are "
            "never below 0, with targets from -3 to 2 in the first batch: those below 0 are "
            "never reached\n    fix: leave out pipeline.net.layers[1], \"ReLU\"\n") !=
            std::string::npos,
        warned);
    const std::string noise = text(few);  // one of four
    CHECK_MESSAGE(noise.find("never below 0") == std::string::npos, noise);
}

TEST_CASE("value targets: limited predictions of standardized values are warned of by the check") {
    const TempFolder folder;
    const std::string prices = folder.write("prices.csv", kPrices).string();
    const auto text = [&](const std::string& keys, const std::string& last) {
        const std::string file =
            folder
                .write("scaled.toml",
                       experiment(prices, "type = \"Table\"" + keys, layers("MSELoss", last)))
                .string();
        const ProcessResult result = ptprun({"check", file});
        CHECK(result.status == 0);
        const std::string errors = without_excerpts(result.errors);
        const auto begin = errors.find("warning: ");
        return begin == std::string::npos ? "" : errors.substr(begin);
    };
    const std::string scaled = ", standardize_values = true";
    CHECK(
        text(scaled, ", \"Sigmoid\"") ==
        "warning: pipeline.loss: compares predictions of layer 1 of 'net' (Sigmoid), which stay "
        "between 0 and 1, with standardized values: about two thirds of these lie beyond, and are "
        "never reached\n    fix: leave out pipeline.net.layers[1], \"Sigmoid\"\n");
    CHECK(
        text(scaled, ", \"ReLU\"") ==
        "warning: pipeline.loss: compares predictions of layer 1 of 'net' (ReLU), which are never "
        "below 0, with standardized values: about half of these are negative, and are never "
        "reached\n    fix: leave out pipeline.net.layers[1], \"ReLU\"\n");
    CHECK(text(scaled, ", \"Tanh\"") ==
          "warning: pipeline.loss: compares predictions of layer 1 of 'net' (Tanh), which stay "
          "between -1 and 1, with standardized values: about a third of these lie beyond, and are "
          "never reached\n    fix: leave out pipeline.net.layers[1], \"Tanh\"\n");
    CHECK(text(scaled, "") == "");
    CHECK(text("", ", \"ReLU\"") == "");
    // The start of a training says it once.
    const std::string started = said(
        folder, experiment(prices, "type = \"Table\"" + scaled, layers("MSELoss", ", \"ReLU\"")));
    CHECK_MESSAGE(started.find("never reached") != std::string::npos, started);
    CHECK_MESSAGE(started.find("never reached") == started.rfind("never reached"), started);
}

TEST_CASE("value targets: a transform that limits them is left out by its input's name") {
    const TempFolder folder;
    const std::string prices = folder.write("prices.csv", kPrices).string();
    const auto components = [](const std::string& read, const std::string& keys = "") {
        return "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nuse_logsoftmax = false\n"
               "globals = { prediction_size = 1 }\nstreams = { predictions = \"raw\" }\n"
               "[pipeline.squash]\ntype = \"NonLinearity\"\nfunction = \"sigmoid\"\n"
               "streams = { inputs = \"raw\", outputs = \"squashed\" }\n" +
               keys +
               "[pipeline.loss]\ntype = \"MSELoss\"\nstreams.targets = \"values\"\n"
               "streams.predictions = \"" +
               read + "\"\n";
    };
    const std::string warned =
        said(folder, experiment(prices, "type = \"CsvTable\"", components("squashed")));
    CHECK_MESSAGE(
        warned.find("'loss' (MSELoss) compares predictions of 'squash' (NonLinearity), which stay "
                    "between 0 and 1, with targets from 100000 to 250000 in the first batch: they "
                    "are never reached\n    fix: write streams.predictions = \"raw\" in "
                    "pipeline.loss\n") != std::string::npos,
        warned);
    const std::string followed =
        said(folder, experiment(prices, "type = \"CsvTable\"", components("raw")));
    CHECK_MESSAGE(followed.find("never reached") == std::string::npos, followed);
    const std::string passed =
        said(folder,
             experiment(prices, "type = \"CsvTable\"",
                        components("squashed", "phases = [\"predict\"]\npass_through = true\n")));
    CHECK_MESSAGE(passed.find("never reached") == std::string::npos, passed);
}

TEST_CASE("value targets: CsvTable, which does not standardize, says which task does") {
    const TempFolder folder;
    const std::string prices = folder.write("prices.csv", kPrices).string();
    const std::string components = layers("MSELoss", "");
    const std::string warned = said(folder, experiment(prices, "type = \"CsvTable\"", components));
    CHECK_MESSAGE(
        warned.find(std::string(kScale) +
                    "Table in place of CsvTable, in the task of each section, has "
                    "standardize_values = true: errors and predictions are shown in the unit of "
                    "the column all the same\n") != std::string::npos,
        warned);
    const std::string file =
        folder
            .write("wrong.toml",
                   experiment(prices, "type = \"CsvTable\", standardize_values = true", components))
            .string();
    const ProcessResult refused = ptprun({"check", file});
    const std::string errors = without_excerpts(refused.errors);
    CHECK(refused.status == 2);
    CHECK_MESSAGE(
        errors.find("training.task.standardize_values: unknown setting of CsvTable; Table "
                    "has it\n    fix: write type = \"Table\" in the task of each "
                    "section\n") != std::string::npos,
        errors);
    CHECK(said(folder, experiment(prices, "type = \"Table\", standardize_values = true",
                                  components)) == "");
}

TEST_CASE("value targets: sections of which one standardizes its values are refused") {
    const TempFolder folder;
    const std::string prices = folder.write("prices.csv", kPrices).string();
    const auto problem = [&](const std::string& training, const std::string& validation) {
        const std::string text =
            experiment(prices, training,
                       "[validation]\ntask = { batch_size = 4, file = \"" + prices +
                           "\", features = [\"x\"], values = [\"price\"], " + validation + " }\n" +
                           layers("MSELoss", ""));
        const std::string file = folder.write("two.toml", text).string();
        const std::string errors = without_excerpts(ptprun({"check", file}).errors);
        const auto begin = errors.find("validation.task: ");
        return begin == std::string::npos
                   ? ""
                   : errors.substr(begin, errors.find('\n', errors.find("fix: ")) - begin);
    };
    const std::string scaled =
        "type = \"Table\", training_file = \"" + prices + "\", standardize_values = true";
    const std::string plain = "type = \"Table\", training_file = \"" + prices + "\"";
    CHECK(problem(scaled, "type = \"CsvTable\"") ==
          "validation.task: the task of [training] (Table) standardizes its values and the task of "
          "[validation] (CsvTable) does not, so that losses and errors of the two are of different "
          "numbers\n    fix: set validation.task.type = \"Table\", with the settings of "
          "training.task");
    CHECK(problem(scaled, plain) ==
          "validation.task: the task of [training] (Table) standardizes its values and the task of "
          "[validation] (Table) does not, so that losses and errors of the two are of different "
          "numbers\n    fix: set validation.task.standardize_values = true");
    CHECK(
        problem("type = \"CsvTable\"", scaled) ==
        "validation.task: the task of [validation] (Table) standardizes its values and the task "
        "of [training] (CsvTable) does not, so that losses and errors of the two are of different "
        "numbers\n    fix: set training.task.type = \"Table\", with the settings of "
        "validation.task");
    CHECK(problem(scaled + ", streams = { values = \"prices\" }", "type = \"CsvTable\"") == "");
    CHECK(problem(scaled, scaled).find("standardizes") == std::string::npos);
    CHECK(problem(plain, "type = \"CsvTable\"").find("standardizes") == std::string::npos);
}

namespace {

// An experiment with columns around 700 and 1 in the task.
std::string wine(const std::string& table, const std::string& task, const std::string& net) {
    return "seed = 1\n[training]\noptimizer = { type = \"SGD\", lr = 1e-6 }\n"
           "terminal_conditions = { epoch_limit = 1 }\n"
           "task = { batch_size = 4, file = \"" +
           table + "\", features = [\"hue\", \"proline\"], label = \"kind\", " + task +
           " }\n[pipeline.net]\n" + net + "\n[pipeline.loss]\ntype = \"CrossEntropyLoss\"\n";
}

constexpr const char* kLinear =
    "streams = { outputs = \"predictions\" }\ntype = \"LayerStack\"\nlayers = [";
constexpr const char* kWhole =
    "globals = { prediction_size = \"num_classes\" }\ntype = \"FeedForwardNetwork\"";
constexpr const char* kLast = "{ type = \"Linear\", out = 2 }]";

std::string scales(const std::string& task, const std::string& layer, const std::string& fix) {
    return "warning: the task of [training] (" + task +
           ") writes 'inputs' as the files have them, and nothing standardizes them before layer " +
           layer + " of 'net' (Linear): in the first batch " +
           (task == "CsvTable" ? "'proline' has numbers around 709, and 'hue'"
                               : "number 2 has numbers around 709, and number 1") +
           " around 1.06, so that the large ones decide alone what is learned\n    fix: " + fix +
           "\n";
}

}  // namespace

TEST_CASE("features: unlike scales that nothing standardizes are warned of, and what does is not") {
    const TempFolder folder;
    const std::string table =
        folder.write("wine.csv", "hue,proline,kind\n1,700,a\n1.2,600,b\n0.9,800,a\n1.1,720,b\n")
            .string();
    const std::string csv = "type = \"CsvTable\"";
    const std::string list = std::string(kLinear) + kLast;
    const auto put = [](const std::string& layer) {
        return "put a batch normalization before layer " + layer + " of 'net' (Linear)";
    };
    const std::string to_table =
        "the task Table does so with numbers, by the training's rows: docs/tables.md; or ";
    CHECK(said(folder, wine(table, csv, list)) == scales("CsvTable", "0", to_table + put("0")));
    CHECK(
        said(folder,
             wine(table, csv,
                  std::string(kWhole) +
                      "\nstreams = { inputs = \"flat\" }\n[pipeline.image]\ntype = "
                      "\"ReshapeTensor\"\noutput_dims = [-1, 2, 1, 1]\nstreams = { outputs = "
                      "\"image\" }\n[pipeline.norm]\ntype = \"Normalize\"\nmean = [1.05, 705.0]\n"
                      "std = [0.1, 70.0]\nstreams = { inputs = \"image\", outputs = \"scaled\" }\n"
                      "[pipeline.flatten]\ntype = \"Flatten\"\nstreams = { inputs = \"scaled\", "
                      "outputs = \"flat\" }")) == "");
    CHECK(said(folder, wine(table, csv, kLinear + std::string("\"Dropout\", ") + kLast)) ==
          scales("CsvTable", "1", to_table + put("1")));
    CHECK(said(folder,
               wine(table,
                    "type = \"Table\", columns = { hue = { standardize = false }, proline = { "
                    "standardize = false } }",
                    list)) ==
          scales("Table", "0", "leave out standardize = false; or " + put("0")));
    const std::string whole = said(folder, wine(table, csv, std::string(kWhole)));
    CHECK_MESSAGE(
        whole.find("before 'net' (FeedForwardNetwork): in the first batch") != std::string::npos,
        whole);
    CHECK_MESSAGE(
        whole.ends_with("or put a batch normalization before 'net' (FeedForwardNetwork)\n"), whole);

    // These follow the fixes.
    CHECK(said(folder, wine(table, "type = \"Table\"", list)) == "");
    CHECK(said(folder, wine(table, csv, kLinear + std::string("\"BatchNorm1d\", ") + kLast)) == "");
    CHECK(said(folder, wine(table, csv,
                            "type = \"BatchNorm1d\"\nstreams.outputs = \"equal\"\n"
                            "[pipeline.last]\nstreams.inputs = \"equal\"\n" +
                                std::string(kWhole))) == "");

    const std::string file = folder.write("e.toml", wine(table, csv, list)).string();
    CHECK(ptprun({"check", file}).errors == "");
    CHECK(ptprun({"check", file, "--data"}).errors == scales("CsvTable", "0", to_table + put("0")));
}

TEST_CASE("predict: a row with a comma too many has this error alone") {
    const TempFolder folder;
    folder.write("a.csv", "x,c\n1,a\n3,b\n5,a\n");
    train_run(folder, training(1) +
                          "type = \"CsvTable\"\nbatch_size = 2\nfeatures = [\"x\"]\nlabel = "
                          "\"c\"\nfile = \"" +
                          (folder.path() / "a.csv").string() +
                          "\"\n[pipeline.net]\ntype = \"FeedForwardNetwork\"\nglobals = { "
                          "prediction_size = \"num_classes\" }\n[pipeline.loss]\ntype = "
                          "\"NLLLoss\"\n");
    const std::string rows = folder.write("rows.csv", "x,c\n1,5,a\n3,b\n").string();
    const ProcessResult result = predict({(folder.path() / "run").string(), "--data", rows});
    CHECK(result.status == 4);
    CHECK_MESSAGE(result.errors.find("is not a class") == std::string::npos, result.errors);
    CHECK_MESSAGE(result.errors.find(rows + ":2: ") != std::string::npos, result.errors);
}

}  // namespace value_targets_test
