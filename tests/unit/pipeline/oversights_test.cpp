#include "support.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

namespace oversights_test {

using namespace ptp;
using plugin::Element;
using plugin::Kind;
using test::assemble_text;
using test::experiment_text;
using test::Make;

namespace {

plugin::Catalog catalog() {
    plugin::Catalog catalog = test::usual_catalog();
    auto& components = catalog.plugins[0].manifest.components;
    plugin::Setting normalize =
        test::setting_of(plugin::SettingType::kBoolean, "normalize", "false");
    normalize.is_preparation = true;
    const plugin::Setting folder = test::setting_of(plugin::SettingType::kPath, "folder");
    plugin::Setting words = test::setting_of(plugin::SettingType::kBoolean, "words");
    words.purpose = plugin::Purpose::kVocabulary;
    components.push_back(Make(Kind::kTask, "Photos")
                             .setting(folder)
                             .setting(words)
                             .setting(normalize)
                             .setting(test::choice_of("separator", {"comma", "tab", "constrained"}))
                             .out("inputs", "B, 1, 32, 32")
                             .out("targets", "B", Element::kInteger)
                             .writes("num_classes", "10"));
    components.push_back(Make(Kind::kTask, "Checked")
                             .setting(folder)
                             .setting(test::choice_of("check", {"some", "all"}))
                             .integer("count", "10")
                             .flag("is_new")
                             .samples("if($count or $is_new, *, *)")
                             .out("inputs", "B, 1, 32, 32")
                             .out("targets", "B", Element::kInteger)
                             .writes("num_classes", "10"));
    components.push_back(Make(Kind::kTask, "Parts")
                             .setting(folder)
                             .setting(test::choice_of("part", {"training", "test"}))
                             .out("inputs", "B, 1, 32, 32")
                             .out("targets", "B", Element::kInteger)
                             .writes("num_classes", "10"));
    components.push_back(
        Make(Kind::kTransform, "Flip").in("inputs", "B, 1, 32, 32").out("outputs", "B, 1, 32, 32"));
    components.push_back(
        Make(Kind::kModel, "Flat").in("inputs", "B, 1, 32, 32").out("predictions", "B, 10"));
    components.push_back(
        Make(Kind::kModel, "Softmax").in("inputs", "B, 10").out("outputs", "B, 10"));
    components.push_back(
        Make(Kind::kTransform, "Round").in("inputs", "B, 10").out("outputs", "B, 10"));
    components.push_back(
        Make(Kind::kViewer, "Show").in("inputs", "B, 1, 32, 32").integer("interval", "100"));
    return catalog;
}

constexpr const char* kPipeline = R"([pipeline.net]
type = "Flat"
[pipeline.loss]
type = "Loss"
)";

std::string problems_of(const std::string& text) {
    return assemble_text(text, catalog()).problems;
}

// Sections of photos, with these lines in them and in their tasks.
std::string sections(const std::string& training_task, const std::string& validation_task,
                     const std::string& training = "", const std::string& validation = "") {
    return "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n" + training +
           "[training.task]\ntype = \"Photos\"\nbatch_size = 4\n" + training_task +
           "[validation]\n" + validation +
           "[validation.task]\ntype = \"Photos\"\nbatch_size = 8\n" + validation_task + kPipeline;
}

}  // namespace

TEST_CASE("oversights: a transform whose output nothing reads is warned of, with who should") {
    CHECK(
        problems_of(experiment_text("[pipeline.flip]\ntype = \"Flip\"\nstreams = { outputs = "
                                    "\"flipped\" }\n" +
                                    std::string(kPipeline))) ==
        "e.toml:8:1: warning: pipeline.flip: nothing reads 'flipped', so that Flip has no effect\n"
        "    fix: write streams = { inputs = \"flipped\" } in pipeline.net, or set "
        "pipeline.flip.enabled = false");
}

TEST_CASE("oversights: of several transforms that nothing reads each is read by the next") {
    const std::string transforms =
        "[pipeline.flip]\ntype = \"Flip\"\nstreams = { outputs = \"flipped\" }\n"
        "[pipeline.again]\ntype = \"Flip\"\nstreams = { outputs = \"twice\" }\n";
    const std::string pipeline = kPipeline;
    const std::string for_flip =
        "    fix: write streams = { inputs = \"flipped\" } in pipeline.again, or set "
        "pipeline.flip.enabled = false";
    const std::string for_again =
        "    fix: write streams = { inputs = \"twice\" } in pipeline.net, or set "
        "pipeline.again.enabled = false";
    for (const std::string& text : {transforms + pipeline, pipeline + transforms}) {
        const std::string problems = problems_of(experiment_text(text));
        CAPTURE(problems);
        CHECK(problems.find(for_flip) != std::string::npos);
        CHECK(problems.find(for_again) != std::string::npos);
    }
}

TEST_CASE("oversights: a model that no loss depends on is not trained") {
    const std::string second =
        "[pipeline.second]\ntype = \"Flat\"\nstreams = { predictions = \"others\" }\n";
    CHECK(problems_of(experiment_text(kPipeline + second)) ==
          "e.toml:12:1: warning: pipeline.second: nothing reads 'others', so that Flat has no "
          "effect\n"
          "    fix: name the stream in a component that should read it, or set "
          "pipeline.second.enabled = false");
    const std::string accuracy =
        "[pipeline.accuracy]\ntype = \"Accuracy\"\nstreams = { predictions = \"others\" }\n";
    CHECK(problems_of(experiment_text(kPipeline + second + accuracy)) ==
          "e.toml:12:1: warning: pipeline.second: no loss depends on Flat, so that it is not "
          "trained\n"
          "    fix: add a loss that reads what it writes, or set pipeline.second.freeze = true and "
          "pipeline.second.load = \"RUN\", a run that has trained it");
}

TEST_CASE("oversights: of models whose common end nothing reads, that end is the cause") {
    const std::string models =
        "[pipeline.second]\ntype = \"Flat\"\nstreams = { predictions = \"others\" }\n"
        "[pipeline.third]\ntype = \"Softmax\"\nstreams = { inputs = \"others\", outputs = "
        "\"shares\" }\n[pipeline.end]\ntype = \"Round\"\nstreams = { inputs = \"shares\", "
        "outputs = \"rounded\" }\n";
    CHECK(
        problems_of(experiment_text(kPipeline + models)) ==
        "e.toml:18:1: warning: pipeline.end: nothing reads 'rounded', so that Round has no effect\n"
        "    fix: name the stream in a component that should read it, or set "
        "pipeline.end.enabled = false");
    const std::string accuracy =
        "[pipeline.accuracy]\ntype = \"Accuracy\"\nstreams = { predictions = \"others\" }\n";
    CHECK(problems_of(experiment_text(kPipeline + models + accuracy))
              .starts_with("e.toml:12:1: warning: pipeline.second: no loss depends on Flat"));
}

TEST_CASE("oversights: what nothing reads may be for predictions, behind another model") {
    const auto with_softmax = [](const std::string& keys) {
        return problems_of(experiment_text(std::string(kPipeline) +
                                           "[pipeline.shares]\ntype = \"Softmax\"\nstreams = { "
                                           "inputs = \"predictions\", outputs = \"shares\" }\n" +
                                           keys));
    };
    CHECK(with_softmax("phases = [\"predict\"]\n") == "");
    const std::string warning =
        "e.toml:12:1: warning: pipeline.shares: nothing reads 'shares', so that Softmax has no "
        "effect\n    fix: ";
    CHECK(with_softmax("").starts_with(warning));
    CHECK(with_softmax("phases = [\"validation\"]\n").starts_with(warning));
}

TEST_CASE("oversights: the interval of an experiment is that of components without their own") {
    const std::string two = std::string(kPipeline) +
                            "[pipeline.first]\ntype = \"Show\"\n[pipeline.second]\ntype = "
                            "\"Show\"\ninterval = 7\n";
    const auto intervals = [&](const std::string& top) {
        const test::Outcome outcome = assemble_text(top + experiment_text(two), catalog());
        CHECK(outcome.problems == "");
        REQUIRE(outcome.plan);
        std::vector<std::int64_t> found;
        for (const pipeline::Node& node : outcome.plan->nodes) {
            if (node.component->name == "Show") {
                found.push_back(node.settings.at(0)->as_integer());
            }
        }
        return found;
    };
    CHECK(intervals("") == std::vector<std::int64_t>{100, 7});
    CHECK(intervals("interval = 3\n") == std::vector<std::int64_t>{3, 7});
}

TEST_CASE("oversights: an interval that nothing has is warned of") {
    CHECK(problems_of("interval = 3\n" + experiment_text(kPipeline)) ==
          "e.toml:1:12: interval: warning: no component has a setting 'interval', and there are no "
          "records, so that it has no effect\n"
          "    fix: remove it, or add a viewer or [records.tensorboard]");
    CHECK(problems_of("interval = 3\n" + experiment_text(kPipeline) + "[records.json_lines]\n") ==
          "");
}

TEST_CASE("oversights: samples that are trained on and measured by are warned of") {
    const std::string own = "folder = \"/photos\"\n";
    const std::string warning =
        "warning: validation.task: has the samples of [training], which are all trained on, so "
        "that what is measured here says little about new data\n"
        "    fix: read other data, or give [training] and [validation] a RandomSplitSampler with "
        "shares that do not overlap";
    CHECK(problems_of(sections(own, own)) == "e.toml:8:1: " + warning);
    CHECK(problems_of(sections(own, "folder = \"/others\"\n")) == "");
    CHECK(problems_of(sections("", "")) == "");  // made up, and others in each section
    const std::string first = "sampler = { type = \"RandomSplitSampler\", share = [0.0, 0.8] }\n";
    const std::string last = "sampler = { type = \"RandomSplitSampler\", share = [0.8, 1.0] }\n";
    CHECK(problems_of(sections(own, own, first, last)) == "");
    CHECK(problems_of(sections(own, own, "", last)) == "e.toml:9:1: " + warning);
    // A section that publishes the words of its samples has the same ones.
    CHECK(problems_of(sections(own + "words = true\n", own)) == "e.toml:9:1: " + warning);
    CHECK(problems_of(sections(own + "words = true\n", own, first, last)) == "");
    const std::string more = "sampler = { type = \"RandomSplitSampler\", share = [0.6, 1.0] }\n";
    CHECK(problems_of(sections(own + "words = true\n", own, first, more)) ==
          "e.toml:11:1: warning: validation.task: has some of the samples that [training] trains "
          "on, whose share is [0, 0.8], so that what is measured here says little about new data\n"
          "    fix: read other data, or give [validation] a sampler with samples that [training] "
          "leaves out");
    const std::string seeded =
        "sampler = { type = \"RandomSplitSampler\", share = [0.8, 1.0], seed = 7 }\n";
    CHECK(problems_of(sections(own + "words = true\n", own, first, seeded)) ==
          "e.toml:11:1: warning: validation.task: has some of the samples that [training] trains "
          "on, whose seed is 0, so that what is measured here says little about new data\n"
          "    fix: read other data, or give [validation] a sampler with samples that [training] "
          "leaves out");
    CHECK(
        problems_of(sections(own, own, first)).find("has the samples that [training] trains on") !=
        std::string::npos);
    CHECK(problems_of(sections(own + "words = true\n", own, first)) ==
          "e.toml:10:1: warning: validation.task: has the samples that [training] trains on, so "
          "that what is measured here says little about new data\n"
          "    fix: read other data, or give [validation] a sampler with samples that [training] "
          "leaves out");
}

TEST_CASE("oversights: switches that leave the samples as they are hide no common ones") {
    const auto checked = [](const std::string& training, const std::string& validation) {
        return "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\nsampler = { type = "
               "\"RandomSplitSampler\", share = [0.0, 0.8] }\ntask = { type = \"Checked\", "
               "batch_size = 4, folder = \"/a\"" +
               training +
               " }\n[validation]\nsampler = { type = \"RandomSplitSampler\", share = [0.6, 1.0] }\n"
               "task = { type = \"Checked\", batch_size = 4, folder = \"/a\"" +
               validation + " }\n" + kPipeline;
    };
    CHECK(
        problems_of(checked("", ", check = \"all\"")) ==
        "e.toml:7:8: warning: validation.task: has some of the samples that [training] trains on, "
        "whose share is [0, 0.8], so that what is measured here says little about new data\n"
        "    fix: read other data, or give [validation] a sampler with samples that [training] "
        "leaves out");
    // The declared number of samples follows from these.
    CHECK(problems_of(checked("", ", is_new = true")) == "");
    CHECK(problems_of(checked("", ", count = 9")) == "");
}

TEST_CASE("oversights: a task may take a choice that is not set from its section") {
    const auto parts = [](const std::string& training, const std::string& test) {
        return "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\ntask = { type = \"Parts\", "
               "batch_size = 4, folder = \"/a\"" +
               training + " }\n[test]\ntask = { type = \"Parts\", batch_size = 4, folder = \"/a\"" +
               test + " }\n" + kPipeline;
    };
    const std::string of_test = ", part = \"test\"";
    const std::string of_training = ", part = \"training\"";
    const auto is_warned_of = [&](const std::string& training, const std::string& test) {
        return problems_of(parts(training, test)).find("has the samples of [training]") !=
               std::string::npos;
    };
    CHECK(problems_of(parts("", "")) == "");
    CHECK(problems_of(parts("", of_test)) == "");
    CHECK(problems_of(parts(of_training, of_test)) == "");
    CHECK(is_warned_of(of_test, of_test));
    CHECK(is_warned_of(of_training, of_training));
    CHECK(is_warned_of("", of_training));  // the part that [training] takes
}

TEST_CASE("oversights: a part of the samples that is trained on and measured by is warned of") {
    const std::string own = "folder = \"/photos\"\n";
    const auto subset = [](const char* indices) {
        return fmt::format("sampler = {{ type = \"SubsetSequentialSampler\", indices = {} }}\n",
                           indices);
    };
    const auto warning = [](int line, const char* samples) {
        return fmt::format(
            "e.toml:{}:1: warning: validation.task: has {}, so that what is "
            "measured here says little about new data\n"
            "    fix: read other data, or give [validation] a sampler with samples "
            "that [training] leaves out",
            line, samples);
    };
    const std::string first = subset("[0, 200]");
    CHECK(problems_of(sections(own, own, first)) ==
          warning(9, "the samples that [training] trains on"));
    CHECK(problems_of(sections(own, own, first, subset("[100, 240]"))) ==
          warning(10, "100 of the samples that [training] trains on"));
    CHECK(problems_of(sections(own, own, first, subset("[300, 199, 200]"))) ==
          warning(10, "1 of the samples that [training] trains on"));
    CHECK(problems_of(sections(own, own, subset("[1, 2, 3]"), subset("[3, 2, 4]"))) ==
          warning(10, "2 of the samples that [training] trains on"));
    CHECK(problems_of(sections(own, own, first, subset("[200, 240]"))) == "");
    CHECK(problems_of(sections(own, "folder = \"/others\"\n", first)) == "");
}

TEST_CASE("oversights: samplers of two ways to choose samples are warned of") {
    const std::string own = "folder = \"/photos\"\n";
    const std::string share = "sampler = { type = \"RandomSplitSampler\", share = [0.0, 0.8] }\n";
    const std::string some = "sampler = { type = \"SubsetRandomSampler\", indices = [0, 9] }\n";
    CHECK(problems_of(sections(own, own, share, some)) ==
          "e.toml:10:1: warning: validation.task: has some of the samples that [training] trains "
          "on: its SubsetRandomSampler knows nothing of the RandomSplitSampler there, so that what "
          "is measured here says little about new data\n"
          "    fix: read other data, or give [validation] a sampler with samples that [training] "
          "leaves out");
    CHECK(problems_of(sections(own, own, some, share)) != "");
    CHECK(problems_of(sections(own, "folder = \"/others\"\n", share, some)) == "");
}

TEST_CASE("oversights: sections that prepare samples differently are warned of") {
    CHECK(problems_of(sections("normalize = true\n", "")) ==
          "e.toml:8:1: validation.task.normalize: warning: false, but true in [training]: the "
          "model sees other inputs than it is trained with\n"
          "    fix: write normalize = true in validation.task");
    CHECK(problems_of(sections("normalize = true\n", "normalize = true\n")) == "");
}

TEST_CASE("oversights: a task that may standardize its values by itself is only warned of") {
    plugin::Catalog catalog = test::usual_catalog();
    auto& components = catalog.plugins[0].manifest.components;
    components.push_back(Make(Kind::kTask, "Scaled")
                             .strings("values", "[\"price\"]")
                             .out("inputs", "B, 4")
                             .out("values", "B, 1")
                             .when("values")
                             .writes("value_scales")
                             .purpose(plugin::Purpose::kValueColumns));
    components.back().settings.back().purpose = plugin::Purpose::kValueColumns;
    components.push_back(Make(Kind::kTask, "Others").out("inputs", "B, 4").out("values", "B, 1"));
    components.push_back(Make(Kind::kTask, "Plain")
                             .strings("values", "[\"price\"]")
                             .out("inputs", "B, 4")
                             .out("values", "B, 1"));
    components.back().settings.back().purpose = plugin::Purpose::kValueColumns;
    components.push_back(
        Make(Kind::kModel, "Line").in("inputs", "B, 4").out("predictions", "B, 1"));
    components.push_back(Make(Kind::kLoss, "Distance")
                             .in("values", "B, 1")
                             .purpose(plugin::Purpose::kTargets)
                             .in("predictions", "B, 1")
                             .loss("loss"));
    components.push_back(Make(Kind::kLoss, "Difference")
                             .in("values", "B, 1")
                             .in("predictions", "B, 1")
                             .loss("loss"));
    const auto said = [&](const std::string& other, const std::string& loss) {
        return assemble_text(
                   "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
                   "terminal_conditions = { epoch_limit = 1 }\n"
                   "task = { type = \"Scaled\", batch_size = 2 }\n[validation]\n"
                   "task = { type = \"" +
                       other +
                       "\", batch_size = 2 }\n[pipeline.net]\ntype = \"Line\"\n"
                       "[pipeline.distance]\ntype = \"" +
                       loss + "\"\n",
                   catalog)
            .problems;
    };
    CHECK(said("Others", "Distance") ==
          "e.toml:6:8: validation.task: warning: the task of [training] (Scaled) standardizes its "
          "values and the task of [validation] (Others) does not state that it does, so that what "
          "reads 'values' may have different numbers in the two\n"
          "    fix: set validation.task.type = \"Scaled\", with the settings of training.task");
    const std::string of_plain =
        "the task of [training] (Scaled) standardizes its values and the task of [validation] "
        "(Plain) does not, so that ";
    const std::string fix =
        "\n    fix: set validation.task.type = \"Scaled\", with the settings of training.task";
    CHECK(said("Plain", "Distance") == "e.toml:6:8: validation.task: " + of_plain +
                                           "losses and errors of the two are of different numbers" +
                                           fix);
    // No component compares predictions with these values.
    CHECK(said("Plain", "Difference") ==
          "e.toml:6:8: validation.task: warning: " + of_plain +
              "what reads 'values' has different numbers in the two" + fix);
    CHECK(said("Scaled", "Distance") == "");
}

}  // namespace oversights_test
