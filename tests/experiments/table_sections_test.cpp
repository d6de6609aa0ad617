// Sections whose task is Table: settings in which they must be alike, and those that one decides.

#include "experiments/support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <string>

namespace table_sections_test {

namespace {

// Returns what is said of two sections whose tasks have these settings.
std::string of_sections(const std::string& training, const std::string& validation,
                        const std::string& sampler = "", const std::string& other_sampler = "") {
    return ptp::test::problems_of(
        "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\n" + sampler + "task = { " +
            training + ", batch_size = 4 }\n[validation]\n" + other_sampler + "task = { " +
            validation +
            ", batch_size = 4 }\n[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = "
            "\"Linear\", out = \"num_classes\" }]\nstreams = { outputs = \"predictions\" }\n"
            "[pipeline.loss]\ntype = \"CrossEntropyLoss\"\n",
        ptp::pipeline::NeededFiles::kIgnored);
}

}  // namespace

TEST_CASE("table sections: marks of missing values are those of the training, in each section") {
    const ptp::test::TempFolder folder;
    const auto of_marks = [&](const std::string& training, const std::string& validation) {
        const std::string table = "type = \"Table\", file = \"" +
                                  folder.write("t.csv", "a,b\n1,x\n2,y\nNA,x\n").string() +
                                  "\", features = \"a\", label = \"b\"";
        return of_sections(table + training, "type = \"Table\", file = \"" +
                                                 folder.write("v.csv", "a,b\n1,x\n2,y\n").string() +
                                                 "\", features = \"a\", label = \"b\"" +
                                                 validation);
    };
    CHECK(of_marks(", missing_values = [\"NA\"]", "") ==
          "e.toml:6:8: validation.task.missing_values: warning: [], but [\"NA\"] in [training]: "
          "the model sees other inputs than it is trained with\n"
          "    fix: write missing_values = [\"NA\"] in validation.task");
    CHECK(of_marks(", missing_values = [\"NA\"]", ", missing_values = [\"NA\"]") == "");
}

TEST_CASE("table sections: scales of rows that a sampler leaves out are warned of") {
    const auto with = [](const std::string& type, const std::string& setting) {
        const std::string task = "task = { type = \"" + type +
                                 "\", file = \"t.csv\", features = [" +
                                 "\"a\"], label = \"b\", batch_size = 4" + setting + " }\n";
        return ptp::test::problems_of(
            "[training]\noptimizer = { type = \"Adam\" }\nsampler = { type = "
            "\"SubsetRandomSampler\", indices = [0, 70] }\n" +
                task +
                "[validation]\nsampler = { type = \"SubsetSequentialSampler\", indices = [70, 100] "
                "}\n" +
                task +
                "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", out = "
                "\"num_classes\" }]\nstreams = { outputs = \"predictions\" }\n[pipeline.loss]\n"
                "type = \"CrossEntropyLoss\"\n",
            ptp::pipeline::NeededFiles::kIgnored);
    };
    CHECK(
        with("Table", "") ==
        "e.toml:3:11: training.sampler: warning: the task of [training] (Table) standardizes by "
        "all rows of its file, also by those that SubsetRandomSampler leaves out, so that what "
        "is measured on these is too good\n"
        "    fix: write split = { shares = [0.8, 0.2], seed = 1 } in the task of each section, in "
        "place of the samplers");
    CHECK(with("CsvTable", "") == "");

    // Categories have no scales, and in another file no row is left out by the training's sampler.
    const ptp::test::TempFolder folder;
    const auto of_files = [&](const std::string& feature, const std::string& validation) {
        const auto file = [&](const std::string& name) {
            return "type = \"Table\", file = \"" +
                   folder.write(name, "a,c,b\n1,red,x\n2,blue,y\n").string() +
                   "\", label = \"b\", features = \"" + feature + "\"";
        };
        return of_sections(file("t.csv"), file(validation),
                           "sampler = { type = \"SubsetRandomSampler\", indices = [0, 70] }\n");
    };
    CHECK(of_files("a", "t.csv").find("standardizes by all rows") != std::string::npos);
    CHECK(of_files("c", "t.csv").find("standardizes") == std::string::npos);
    CHECK(of_files("a", "v.csv") == "");
}

TEST_CASE("table sections: sections that divide one table drop the same rows of it") {
    const ptp::test::TempFolder folder;
    const std::string file =
        folder.write("t.csv", "a,b,w\n1,x,1\n,y,1\n3,x,\n4,y,NA\n5,x,1\n").string();
    const std::string table =
        "type = \"Table\", file = \"" + file + "\", label = \"b\", features = \"a\"";
    const std::string split = table + ", split = { shares = [0.8, 0.2] }";
    const auto refusal = [](const std::string& place, int count, const std::string& fix) {
        return "e.toml:" + place +
               ": validation.task: rows with missing values are dropped before the rows are "
               "divided, " +
               std::to_string(count) +
               " of 5 here or in [training] alone, so that it has rows that are trained on\n    "
               "fix: write " +
               fix + " in validation.task, as in training.task";
    };
    const std::string drop = ", missing = \"drop\"";
    const std::string mean = ", missing = \"mean\"";
    CHECK(of_sections(split + drop, split + mean) == refusal("6:8", 1, "missing = \"drop\""));
    CHECK(of_sections(split + mean, split + drop) == refusal("6:8", 1, "missing = \"mean\""));
    CHECK(of_sections(split + drop, split) == refusal("6:8", 1, "missing = \"drop\""));
    const std::string of_a = ", columns = { a = { missing = \"drop\" } }";
    CHECK(of_sections(split + mean + of_a, split + mean) ==
          refusal("6:8", 1, "columns = { a = { missing = \"drop\" } }"));
    const std::string weighted = drop + ", missing_values = [\"NA\"]";
    CHECK(of_sections(split + weighted + ", weight = \"w\"", split + weighted)
              .find(refusal("6:8", 2, "weight = \"w\"")) != std::string::npos);

    // No row is dropped by one section alone, or each has a table of its own.
    CHECK(of_sections(split + drop, split + drop) == "");
    CHECK(of_sections(split + of_a, split + of_a) == "");
    CHECK(of_sections(split + mean, split + mean + ", columns = { a = { missing = \"zero\" } }") ==
          "");
    const std::string whole = "type = \"Table\", file = \"" +
                              folder.write("v.csv", "a,b\n1,x\n2,y\n").string() +
                              "\", label = \"b\", features = \"a\"";
    CHECK(of_sections(table + drop, whole + mean) == "");
    const std::string divided = whole + ", split = { shares = [0.8, 0.2] }";
    CHECK(of_sections(divided + drop, divided) == "");
}

TEST_CASE("table sections: samplers divide the rows that are not dropped") {
    const ptp::test::TempFolder folder;
    const std::string table = "type = \"Table\", file = \"" +
                              folder.write("t.csv", "a,b\n1,x\n,y\n3,x\n").string() +
                              "\", label = \"b\", features = \"a\", missing = ";
    const auto of_rules = [&](const std::string& training, const std::string& validation) {
        const std::string sampler = "sampler = { type = \"RandomSplitSampler\", share = ";
        return of_sections(table + training, table + validation, sampler + "[0.0, 0.5] }\n",
                           sampler + "[0.5, 1.0] }\n");
    };
    CHECK(of_rules("\"drop\"", "\"mean\"").find("1 of 3 here or in [training] alone") !=
          std::string::npos);
    CHECK(of_rules("\"drop\"", "\"drop\"").find("alone") == std::string::npos);
}

TEST_CASE("table sections: a fix for one section is right for the others, too") {
    const std::string table =
        "type = \"Table\", file = \"t.csv\", label = \"b\", split = { shares = [0.8, 0.2]";
    CHECK(of_sections(table + ", stratify = \"b\", group = \"c\" }, features = \"a\"",
                      table + ", stratify = \"b\" }, features = \"a\"") ==
          "e.toml:4:63: training.task.split = { shares = [0.8, 0.2], stratify = \"b\", group = "
          "\"c\" }: has both stratify and group: remove one of them");
    CHECK(
        of_sections(table + " }, features = [\"a\", \"b\"]", table + " }, features = \"a\"") ==
        "e.toml:6:8: validation.task.features: warning: [\"a\"], but [\"a\", \"b\"] in [training]: "
        "the model sees other inputs than it is trained with\n"
        "    fix: write features = [\"a\"] in training.task");
    CHECK(of_sections(table + " }, features = \"a\"",
                      table + " }, features = \"a\", part = \"training\"") ==
          "e.toml:6:8: warning: validation.task: has the samples of [training], which are all "
          "trained on, so that what is measured here says little about new data\n"
          "    fix: set part = \"validation\" in validation.task");
}

TEST_CASE("table sections: a rule that the training's columns have decided changes nothing") {
    const std::string training =
        "type = \"Table\", file = \"t.csv\", features = \"a\", label = "
        "\"b\", missing = ";
    const std::string validation =
        "type = \"Table\", file = \"v.csv\", features = \"a\", label "
        "= \"b\"";
    for (const std::string rule : {"zero", "most_frequent", "error"}) {
        CAPTURE(rule);
        const std::string set = ", missing = \"" + rule + "\"";
        CHECK(of_sections(training + "\"mean\"", validation + set) ==
              "e.toml:6:81: validation.task.missing: warning: \"" + rule +
                  "\" changes nothing: missing values are replaced as in [training], by the rule "
                  "\"mean\"\n    fix: remove it here" +
                  (rule == "most_frequent"
                       ? ", or write missing = \"most_frequent\" in training.task"
                       : "; for one column, write columns = { NAME = { missing = \"" + rule +
                             "\" } }"));
        const std::string of_one = ", columns = { a = { missing = \"" + rule + "\" } }";
        CHECK(of_sections(training + "\"mean\"", validation + of_one) == "");
        CHECK(of_sections(training + "\"error\"", validation + set) == "");
        CHECK(of_sections(training + "\"drop\"", validation + set) == "");
    }
    CHECK(of_sections(training + "\"mean\"", validation + ", missing = \"mean\"") == "");
    CHECK(of_sections(training + "\"mean\"", validation + ", missing = \"drop\"") == "");
    CHECK(of_sections(training + "\"mean\", columns = { a = { missing = \"error\" } }",
                      validation + ", missing = \"zero\"") == "");
}

TEST_CASE("table sections: what the training's columns decide need not be repeated") {
    const std::string training =
        "type = \"Table\", file = \"t.csv\", features = \"*\", label = \"b\"";
    const std::string validation = "type = \"Table\", file = \"v.csv\", label = \"b\", features = ";
    for (const char* const more :
         {", columns = { a = \"category\" }", ", missing = \"mean\"", ""}) {
        CAPTURE(more);
        CHECK(of_sections(training + more, validation + "\"*\"") == "");
        CHECK(of_sections(training + more, validation + "[\"a\", \"c\"]") == "");
    }
    // Other rules for a column leave the samples of the sections the same ones.
    CHECK(of_sections(training + ", columns = { a = \"category\" }", training) ==
          of_sections(training, training));
    CHECK(of_sections(training, training) != "");
}

}  // namespace table_sections_test
