// Settings of Table that other programs have in another form: what they are here, as it is written.

#include "experiments/support.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <string>

namespace table_settings_test {

namespace {

// Returns what is said of a table with this setting.
std::string of_table(const std::string& setting) {
    return ptp::test::problems_of(
        "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\ntask = { type = \"Table\", file = "
        "\"t.csv\", features = \"a\", label = \"b\", batch_size = 4, " +
            setting +
            " }\n[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", out = "
            "\"num_classes\" }]\nstreams = { outputs = \"predictions\" }\n[pipeline.loss]\ntype = "
            "\"CrossEntropyLoss\"\n",
        ptp::pipeline::NeededFiles::kIgnored);
}

}  // namespace

TEST_CASE("table settings: a model that reads columns of the targets is warned of") {
    const ptp::test::TempFolder folder;
    folder.write("t.csv", "a,v\n1,2\n2,3\n");
    const auto reading = [&](const std::string& stream) {
        const auto file = folder.write(
            "e.toml",
            "[training]\noptimizer = { type = \"Adam\" }\ntask = { type = \"Table\", file = "
            "\"t.csv\", features = [\"a\"], values = [\"v\"], standardize_values = true, "
            "batch_size = 4 }\n[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
            "use_logsoftmax = false\nglobals = { prediction_size = 1 }\nstreams = { inputs "
            "= \"" +
                stream +
                "\" }\n[pipeline.loss]\ntype = \"MSELoss\"\nstreams = { targets = "
                "\"values\" }\n");
        return ptp::test::run_program("ptprun", {"check", file.string()}).errors;
    };
    CHECK(reading("inputs") == "");
    const std::string said = reading("values");
    CHECK(said.find(
              "e.toml:8:22: warning: pipeline.net: input 'inputs' reads 'values', which samples "
              "without targets lack: 'net' (FeedForwardNetwork), which is computed from it, "
              "predicts nothing there\n") != std::string::npos);
    CHECK(
        said.find("    fix: let 'net' (FeedForwardNetwork) read what new samples have; or phases = "
                  "[\"training\"] in [pipeline.net], if nothing is to be predicted\n") !=
        std::string::npos);
}

TEST_CASE("table settings: scales of a fold that a sampler holds out are warned of") {
    const auto with = [](const std::string& options, const std::string& setting) {
        const std::string task =
            "task = { type = \"Table\", file = \"t.csv\", features = [\"a\"], label = \"b\", "
            "batch_size = 4" +
            setting + " }\n";
        const std::string sampler =
            "sampler = { type = \"kFoldStratifiedSampler\", folds = 5, fold = 2" + options;
        return ptp::test::problems_of(
            "[training]\noptimizer = { type = \"Adam\" }\n" + sampler + " }\n" + task +
                "[validation]\n" + sampler + ", part = \"validation\" }\n" + task +
                "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", out = "
                "\"num_classes\" }]\nstreams = { outputs = \"predictions\" }\n[pipeline.loss]\n"
                "type = \"CrossEntropyLoss\"\n",
            ptp::pipeline::NeededFiles::kIgnored);
    };
    const std::string warning =
        "e.toml:3:11: training.sampler: warning: the task of [training] (Table) standardizes also "
        "by the rows of the fold that is held out, so that what is measured on these is too good\n"
        "    fix: ";
    const std::string fix =
        "held_out = { folds = 5, fold = 2, sampler = \"kFoldStratifiedSampler\" }";
    CHECK(with("", "") == warning + "write " + fix + " in the task of each section");
    CHECK(with("", ", " + fix) == "");
    CHECK(with("", ", held_out = { folds = 5, fold = 2 }") ==
          warning + "write " + fix + " in the task of each section");
    CHECK(
        with(", labels = \"task\", fold_seed = 4", "") ==
        warning +
            "write held_out = { folds = 5, fold = 2, fold_seed = 4, sampler = \"kFoldStratifiedSampler\" } in "
            "the task of each section");
    CHECK(with(", label_stream = \"labels\"", "") ==
          warning +
              "let the kFoldStratifiedSampler take the classes or groups of the task, for "
              "which `held_out` can leave them out");
    CHECK(with("", ", held_out = { folds = 5, fold = 5 }")
              .ends_with("held_out = { folds = 5, fold = 5 }: must hold out a fold below the "
                         "number of folds"));
}

TEST_CASE("table settings: the name of a stream is told the column's setting") {
    const auto of_task = [](const std::string& setting) {
        return ptp::test::problems_of(
            "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\n[training.task]\ntype = "
            "\"Table\"\nfile = \"t.csv\"\nbatch_size = 4\n" +
                setting +
                "\n[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", out = 2 "
                "}]\nstreams = { outputs = \"predictions\" }\n[pipeline.loss]\ntype = "
                "\"CrossEntropyLoss\"\n",
            ptp::pipeline::NeededFiles::kIgnored);
    };
    struct Case {
        const char* stream;
        const char* column;
    };
    for (const Case& c :
         {Case{"texts = \"c\"", "text = \"c\""}, Case{"targets = \"c\"", "label = \"c\""},
          Case{"labels = \"c\"", "label = \"c\""}, Case{"weights = \"c\"", "weight = \"c\""},
          Case{"images = \"c\"", "image = \"c\""},
          Case{"inputs = [\"c\", \"d\"]", "features = [\"c\", \"d\"]"}}) {
        const std::string stream = c.stream;
        const std::string column = c.column;
        CAPTURE(stream);
        const std::string said = of_task(stream);
        CHECK_MESSAGE(
            said.find("e.toml:8:1: training.task." + stream.substr(0, stream.find(' ')) +
                      ": is the name of a stream, not a setting; did you mean '" +
                      column.substr(0, column.find(' ')) + "'?\n    fix: write " + column) == 0,
            said);
    }
}

TEST_CASE("table settings: a target is a class or a number, as the loss compares it") {
    const auto said = [](const std::string& name, const std::string& loss) {
        const std::string task = "type = \"SortOfCLEVR\"\nbatch_size = 64\nsize = 1000\n";
        const std::string text = ptp::test::replaced(
            ptp::test::good_experiment(), task,
            "type = \"CsvTable\"\nbatch_size = 64\nfile = \"t.csv\"\n" + name + " = \"price\"\n");
        const std::string all = ptp::test::problems_of(
            ptp::test::replaced(text, "type = \"NLLLoss\"", "type = \"" + loss + "\""),
            ptp::pipeline::NeededFiles::kIgnored);
        return all.substr(0, all.find("\ne.toml:4"));  // the other section has classes
    };
    const std::string unknown = "unknown setting; did you mean ";
    const std::string stream = "is the name of a stream, not a setting; did you mean ";
    const std::string label = "'label'?\n    fix: write label = \"price\"";
    const std::string values = "'values'?\n    fix: write values = [\"price\"]";
    const std::string place = "e.toml:16:1: training.task.";
    CHECK(said("target", "NLLLoss") == place + "target: " + unknown + label);
    CHECK(said("target", "MSELoss") == place + "target: " + unknown + values);
    CHECK(said("y", "L1Loss") == place + "y: " + unknown + values);
    CHECK(said("targets", "BCEWithLogitsLoss") == place + "targets: " + stream + label);
    CHECK(said("targets", "HuberLoss") == place + "targets: " + stream + values);
    CHECK(said("target", "MyLoss") ==
          place + "target: " + unknown +
              "'label' or 'values'?\n    fix: write label = \"price\", or values = [\"price\"]");
}

TEST_CASE("table settings: features are standardized without a setting") {
    CHECK(of_table("standardize = true") ==
          "e.toml:4:87: training.task.standardize: unknown setting; the task Table does so with "
          "numbers, by the training's rows: docs/tables.md\n    fix: leave it out");
}

TEST_CASE("table settings: a share, shares, a part or a column as split are the table to write") {
    struct Case {
        const char* written;
        const char* meant;
    };
    for (const Case& c : {Case{"split = \"train\"", "{ shares = [0.8, 0.2] }"},
                          Case{"split = 0.3", "{ shares = [0.7, 0.3] }"},
                          Case{"split = [0.6, 0.2, 0.2]", "{ shares = [0.6, 0.2, 0.2] }"},
                          Case{"split = \"set\"", "{ column = \"set\" }"},
                          Case{"split = [70, 15, 15]", "{ shares = [0.7, 0.15, 0.15] }"},
                          Case{"split = [80, 20]", "{ shares = [0.8, 0.2] }"},
                          Case{"test_size = 0.6", "{ shares = [0.4, 0.6] }"},
                          Case{"train_size = 0.3", "{ shares = [0.3, 0.7] }"},
                          Case{"validation_split = 0.1", "{ shares = [0.9, 0.1] }"}}) {
        CAPTURE(c.written);
        CHECK(of_table(c.written).find(std::string("\n    fix: write split = ") + c.meant) !=
              std::string::npos);
        CHECK(of_table(std::string("split = ") + c.meant) == "");
    }
    CHECK(of_table("split = { shares = [0.7, 0.2, 0.1] }") == "");
    CHECK(of_table("split = { shares = [0.8, 0.3] }") ==
          "e.toml:4:95: training.task.split = { shares = [0.8, 0.3] }: has shares with a sum above "
          "1: write shares of at most 1 together, as shares = [0.8, 0.1, 0.1]");
}

TEST_CASE("table settings: parts of a split have no samples in common, whatever a sampler takes") {
    std::string text = "seed = 1\n";
    for (const char* const section : {"training", "validation"}) {
        text +=
            "[" + std::string(section) + "]\n" +
            (section == std::string("training")
                 ? "optimizer = { type = \"Adam\" }\nsampler = { type = \"RandomSplitSampler\", "
                   "share = [0.0, 0.8] }\n"
                 : "") +
            "task = { type = \"Table\", file = \"t.csv\", features = \"a\", label = \"b\", batch_size "
            "= 4, split = { shares = [0.8, 0.2] } }\n";
    }
    const std::string net =
        "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nglobals = { prediction_size = "
        "\"num_classes\" }\n[pipeline.loss]\ntype = \"NLLLoss\"\n";
    CHECK(ptp::test::problems_of(text + net, ptp::pipeline::NeededFiles::kIgnored) == "");
}

TEST_CASE("table settings: percents in place of shares are one error with the shares") {
    CHECK(of_table("split = { shares = [80, 20] }") ==
          "e.toml:4:106: training.task.split.shares = [80, 20]: each must be in (0, 1)\n"
          "    fix: write shares = [0.8, 0.2]");
    CHECK(of_table("split = { shares = [70, 15, 15] }")
              .ends_with("\n    fix: write shares = [0.7, 0.15, 0.15]"));
    CHECK(
        of_table("split = { shares = [0.8, 20] }") ==
        "e.toml:4:112: training.task.split.shares[1] = 20: must be in (0, 1)\n    fix: write 0.2");
    CHECK(of_table("split = { shares = [4, 1] }") ==
          "e.toml:4:106: training.task.split.shares = [4, 1]: each must be in (0, 1)\n"
          "    fix: write shares = [0.8, 0.2]");
    CHECK(of_table("split = { shares = [4, 1, 1] }")
              .ends_with("\n    fix: write shares = [0.6666, 0.1667, 0.1667]"));
    CHECK(of_table("split = { shares = [0, 1] }") ==
          "e.toml:4:107: training.task.split.shares[0] = 0: must be in (0, 1)\n"
          "e.toml:4:110: training.task.split.shares[1] = 1: must be in (0, 1)");
    CHECK(
        of_table("split = { shares = 0.3 }") ==
        "e.toml:4:106: training.task.split.shares = 0.3: must be a list of reals in (0, 1), not a "
        "real\n    fix: write shares = [0.7, 0.3]");
    for (const char* shares :
         {"[0.8, 0.2]", "[0.7, 0.15, 0.15]", "[0.7, 0.3]", "[0.6666, 0.1667, 0.1667]"}) {
        CHECK(of_table(std::string("split = { shares = ") + shares + " }") == "");
    }
}

TEST_CASE("table settings: words of pandas and scikit-learn are answered with the setting") {
    struct Case {
        const char* written;
        const char* fix;
        const char* followed;
    };
    for (const Case& c :
         {Case{"na_values = [\"NA\"]", "write missing_values = [\"NA\"]",
               "missing_values = [\"NA\"]"},
          Case{"fillna = \"mean\"", "write missing = \"mean\"", "missing = \"mean\""},
          Case{"missing = \"average\"", "write missing = \"mean\"", "missing = \"mean\""},
          Case{"header = true", "leave it out", "unlisted = \"refused\""}}) {
        CAPTURE(c.written);
        const std::string said = of_table(c.written);
        CHECK(said.find(std::string("\n    fix: ") + c.fix) != std::string::npos);
        CHECK(of_table(c.followed) == "");
    }
}

TEST_CASE("table settings: the type of all columns is the name of a column, unless it is a type") {
    CHECK(of_table("columns = { type = \"categorical\" }") ==
          "e.toml:4:97: training.task.columns = { type = \"categorical\" }: is a table of columns "
          "by their names: write { NAME = \"category\" }, or number, date, list or ignore; 'type' "
          "is a column here");
    CHECK(of_table("columns = { type = \"category\", k = \"date\" }") == "");
    CHECK(of_table("columns = { type = { type = \"category\" } }") == "");
}

}  // namespace table_settings_test
