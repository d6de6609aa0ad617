#include "pipeline/padding.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace padding_test {

using namespace ptp;
using plugin::Element;
using plugin::Kind;
using test::Make;

namespace {

plugin::Catalog catalog() {
    plugin::Component indexer = Make(Kind::kTransform, "Indexer")
                                    .integer("fixed_padding")
                                    .in("words", "B", Element::kTokens)
                                    .out("indices", "B, $fixed_padding|length", Element::kInteger)
                                    .writes_if_named("pad_index");
    indexer.globals.back().purpose = plugin::Purpose::kIgnoredTarget;
    return test::catalog_of({Make(Kind::kTask, "Texts").out("words", "B", Element::kTokens),
                             indexer,
                             Make(Kind::kTransform, "Same")
                                 .in("indices", "B, n", Element::kInteger)
                                 .out("same", "B, n", Element::kInteger),
                             Make(Kind::kModel, "Decoder")
                                 .integer("steps", "4")
                                 .in("words", "B", Element::kTokens)
                                 .out("predictions", "B, $steps, 8"),
                             Make(Kind::kLoss, "Loss")
                                 .flag("use_masking")
                                 .integer("mask_dims", "1")
                                 .in("targets", "B, n", Element::kInteger)
                                 .in("predictions", "B, n, classes")
                                 .in("masks", "B, m^$mask_dims-1", Element::kBoolean)
                                 .when("use_masking")
                                 .loss("loss")
                                 .reads_if_named("ignore_index")});
}

// An experiment with these lines in its indexer and its loss; the decoder writes 4 steps.
std::string experiment(const std::string& indexer, const std::string& loss) {
    return "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
           "task = { type = \"Texts\", batch_size = 4 }\n"
           "[pipeline.indexer]\ntype = \"Indexer\"\n" +
           indexer + "[pipeline.decoder]\ntype = \"Decoder\"\n[pipeline.loss]\ntype = \"Loss\"\n" +
           loss;
}

constexpr const char* kFixed = "fixed_padding = 4\n";
constexpr const char* kTargets = "streams = { targets = \"indices_of_words\" }\n";
constexpr const char* kOutput = "streams = { indices = \"indices_of_words\" }\n";

std::string problems_of(const std::string& indexer, const std::string& loss) {
    return test::assemble_text(experiment(kOutput + indexer, kTargets + loss), catalog()).problems;
}

// Targets that end with a word, a statistic of whole sentences, and words for a person to read,
// each with such lines.
std::string problems_of_ends(const std::string& indexer, const std::string& statistic,
                             const std::string& words) {
    plugin::Component indexes = Make(Kind::kTransform, "Indexer")
                                    .flag("eos_token")
                                    .in("words", "B", Element::kTokens)
                                    .out("numbers", "B, 4", Element::kInteger)
                                    .reads_if_named("words_of")
                                    .purpose(plugin::Purpose::kVocabulary)
                                    .writes_if_named("pad_index");
    indexes.globals.back().purpose = plugin::Purpose::kIgnoredTarget;
    return test::assemble_text(
               "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
               "task = { type = \"Texts\", batch_size = 4, globals = { words_of = \"french\" } }\n"
               "[pipeline.indexer]\ntype = \"Indexer\"\nglobals = { words_of = \"french\" }\n" +
                   indexer +
                   "[pipeline.decoder]\ntype = \"Decoder\"\n[pipeline.loss]\ntype = "
                   "\"Loss\"\n[pipeline.bleu]\ntype = \"Bleu\"\n" +
                   statistic +
                   "[pipeline.back]\ntype = \"Back\"\nglobals = { words_of = \"french\" }\n" +
                   words,
               test::catalog_of(
                   {Make(Kind::kTask, "Texts")
                        .out("words", "B", Element::kTokens)
                        .writes_if_named("words_of")
                        .purpose(plugin::Purpose::kVocabulary),
                    indexes,
                    Make(Kind::kModel, "Decoder")
                        .in("words", "B", Element::kTokens)
                        .out("written", "B, 4", Element::kInteger)
                        .out("predictions", "B, 4, 8"),
                    Make(Kind::kTransform, "Back")
                        .flag("stop_at_end")
                        .in("written", "B, n", Element::kInteger)
                        .out("translation", "B", Element::kTokens)
                        .reads_if_named("words_of")
                        .purpose(plugin::Purpose::kVocabulary),
                    Make(Kind::kStatistic, "Bleu")
                        .strings("end_words", "[]")
                        .in("numbers", "B, n", Element::kInteger)
                        .purpose(plugin::Purpose::kTargets)
                        .in("predictions", "B, n, classes"),
                    Make(Kind::kLoss, "Loss").in("predictions", "B, n, classes").loss("loss")}))
        .problems;
}

}  // namespace

TEST_CASE("padding: what is predicted after the end of a sentence is neither counted nor written") {
    const std::string ends = "eos_token = true\n";
    CHECK(problems_of_ends("", "", "") == "");
    CHECK(problems_of_ends(ends, "", "stop_at_end = true\n") ==
          "e.toml:12:1: warning: pipeline.bleu: counts what is predicted after the end of a "
          "sentence, which the targets by 'indexer' (Indexer) mark with eos_token = true\n"
          "    fix: set pipeline.bleu.end_words = [\"<EOS>\"]");
    CHECK(problems_of_ends(ends, "end_words = [\"<EOS>\"]\n", "") ==
          "e.toml:15:1: warning: pipeline.back: writes the words after the end of a sentence, too, "
          "which the sentences by 'indexer' (Indexer) mark with eos_token = true\n"
          "    fix: set pipeline.back.stop_at_end = true");
}

TEST_CASE("padding: a loss that counts it is warned of, with the names to write") {
    CHECK(problems_of(kFixed, "") ==
          "e.toml:10:1: warning: pipeline.loss: counts the padding of 'indices_of_words' by "
          "'indexer' (Indexer) as right answers\n"
          "    fix: write globals = { pad_index = \"indexer_pad_index\" } in pipeline.indexer and "
          "globals = { ignore_index = \"indexer_pad_index\" } in pipeline.loss");
    CHECK(problems_of(std::string(kFixed) + "globals = { pad_index = \"pad\" }\n", "") ==
          "e.toml:11:1: warning: pipeline.loss: counts the padding of 'indices_of_words' by "
          "'indexer' (Indexer) as right answers\n"
          "    fix: write globals = { ignore_index = \"pad\" } in pipeline.loss");
}

TEST_CASE("padding: a loss that leaves it out is not warned of") {
    CHECK(problems_of(std::string(kFixed) + "globals = { pad_index = \"pad\" }\n",
                      "globals = { ignore_index = \"pad\" }\n") == "");
    // The first batch shows whether the value is that of padding.
    CHECK(problems_of(kFixed, "globals = { ignore_index = 7 }\n") == "");
}

TEST_CASE("padding: targets as long as the longest may have none, and are no certain case") {
    const auto outcome = test::assemble_text(
        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "task = { type = \"Texts\", batch_size = 4 }\n"
        "[pipeline.indexer]\ntype = \"Indexer\"\nstreams = { indices = \"all\" }\n"
        "[pipeline.same]\ntype = \"Same\"\nstreams = { indices = \"all\" }\n"
        "[pipeline.model]\ntype = \"Model\"\nstreams = { indices = \"all\" }\n"
        "[pipeline.loss]\ntype = \"Loss\"\nstreams = { targets = \"same\" }\n",
        [] {
            plugin::Component indexer = Make(Kind::kTransform, "Indexer")
                                            .in("words", "B", Element::kTokens)
                                            .out("indices", "B, length", Element::kInteger)
                                            .writes_if_named("pad_index");
            indexer.globals.back().purpose = plugin::Purpose::kIgnoredTarget;
            return test::catalog_of({Make(Kind::kTask, "Texts").out("words", "B", Element::kTokens),
                                     indexer,
                                     Make(Kind::kTransform, "Same")
                                         .in("indices", "B, n", Element::kInteger)
                                         .out("same", "B, n", Element::kInteger),
                                     Make(Kind::kModel, "Model")
                                         .in("indices", "B, n", Element::kInteger)
                                         .out("predictions", "B, n, 8"),
                                     Make(Kind::kLoss, "Loss")
                                         .in("targets", "B, n", Element::kInteger)
                                         .in("predictions", "B, n, classes")
                                         .loss("loss")
                                         .reads_if_named("ignore_index")});
        }());
    REQUIRE(outcome.problems == "");
    const auto all = pipeline::counted_padding(*outcome.plan);
    REQUIRE(all.size() == 1);
    CHECK_FALSE(all[0].is_certain);
    CHECK(all[0].reader->name == "loss");
    CHECK(all[0].writer->name == "indexer");  // behind the transform
    CHECK(pipeline::text_of_padding(*outcome.plan, all[0]) ==
          "counts the padding of 'same' by 'indexer' (Indexer) as right answers");
}

TEST_CASE("padding: another length than the model's is warned of, with the number to set") {
    CHECK(problems_of("", "globals = { ignore_index = 0 }\n") ==
          "e.toml:4:1: warning: pipeline.indexer: 'indices_of_words' is as long as the longest "
          "sequence of its batch, and must be 4 long in each, as 'loss' (Loss) reads it beside "
          "'predictions', [B, n = 4, classes = 8]: any other batch ends the run\n"
          "    fix: set pipeline.indexer.fixed_padding = 4");
}

TEST_CASE("padding: a tensor of another length names who needs which, and no plugin") {
    const auto outcome = test::assemble_text(experiment(kOutput, kTargets), catalog());
    REQUIRE(outcome.plan);
    const auto& plan = *outcome.plan;
    const auto& indexer = test::node_named(plan, "indexer");
    const auto& decoder = test::node_named(plan, "decoder");
    const auto text = [&](const pipeline::Node& node, const std::vector<std::int64_t>& sizes) {
        const auto found = pipeline::other_length(plan, {node, node.outputs[0], sizes}, 2);
        return found ? found->text() : "its own fault";
    };
    CHECK(text(indexer, {2, 3}) ==
          "'indexer' (Indexer) writes [2, 3] to stream 'indices_of_words', where dimension 1 must "
          "be 4 (pipeline.decoder.steps): 'loss' (Loss) reads it beside 'predictions', [B, n = 4, "
          "classes = 8]\n"
          "    fix: set pipeline.indexer.fixed_padding = 4");
    CHECK(text(indexer, {1, 3}) == "its own fault");
    CHECK(text(indexer, {2, 3, 1}) == "its own fault");
    CHECK(text(decoder, {2, 3, 8}) == "its own fault");
}

TEST_CASE("padding: two streams of other lengths are named with both shapes") {
    const auto outcome = test::assemble_text(
        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "task = { type = \"Texts\", batch_size = 4 }\n"
        "[pipeline.left]\ntype = \"Indexer\"\nstreams = { indices = \"left\" }\n"
        "[pipeline.right]\ntype = \"Indexer\"\nstreams = { indices = \"right\" }\n"
        "[pipeline.net]\ntype = \"Net\"\nstreams = { a = \"left\", b = \"right\" }\n"
        "[pipeline.loss]\ntype = \"Loss\"\n",
        test::catalog_of({Make(Kind::kTask, "Texts").out("words", "B", Element::kTokens),
                          Make(Kind::kTransform, "Indexer")
                              .integer("fixed_padding")
                              .in("words", "B", Element::kTokens)
                              .out("indices", "B, $fixed_padding|length", Element::kInteger),
                          Make(Kind::kModel, "Net")
                              .in("a", "B, n", Element::kInteger)
                              .in("b", "B, n", Element::kInteger)
                              .out("predictions", "B, n"),
                          Make(Kind::kLoss, "Loss").in("predictions", "B, m").loss("loss")}));
    REQUIRE(outcome.problems == "");
    const auto& plan = *outcome.plan;
    const auto& right = test::node_named(plan, "right");
    const auto& left = test::node_named(plan, "left");
    const std::vector<std::int64_t> sizes{2, 3};
    const std::vector<std::int64_t> others{2, 5};
    const auto found =
        pipeline::other_length(plan, {right, right.outputs[0], sizes},
                               pipeline::LengthOfOther{left.outputs[0].stream, others, 1});
    REQUIRE(found);
    CHECK(found->text() ==
          "'right' (Indexer) writes [2, 3] to stream 'right', and stream 'left' is [2, 5]: "
          "dimension 1 must be the same, as 'net' (Net) reads it beside 'left', [B, n]\n"
          "    fix: set pipeline.left.fixed_padding and pipeline.right.fixed_padding to the same "
          "number, as long as the longest");
}

TEST_CASE("padding: an indexer that ends no sentence is warned of where the end is looked for") {
    plugin::Component indexer = Make(Kind::kTransform, "Ending")
                                    .flag("eos_token")
                                    .in("words", "B", Element::kTokens)
                                    .out("ids", "B, length", Element::kInteger)
                                    .writes_if_named("pad_index");
    indexer.globals.back().purpose = plugin::Purpose::kIgnoredTarget;
    plugin::Component scores = Make(Kind::kStatistic, "Scores")
                                   .strings("end_words", "[]")
                                   .in("targets", "B, n", Element::kInteger)
                                   .in("predictions", "B, n, classes");
    scores.ports.front().purpose = plugin::Purpose::kTargets;
    const plugin::Catalog catalog = test::catalog_of(
        {Make(Kind::kTask, "Texts").out("words", "B", Element::kTokens), indexer,
         Make(Kind::kModel, "Decoder")
             .in("words", "B", Element::kTokens)
             .out("predictions", "B, 4, 8"),
         Make(Kind::kLoss, "Loss").in("predictions", "B, n, classes").loss("loss"), scores});
    const auto problems = [&](const std::string& more, const std::string& ends) {
        return test::assemble_text(
                   "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
                   "task = { type = \"Texts\", batch_size = 4 }\n"
                   "[pipeline.indexer]\ntype = \"Ending\"\n" +
                       more +
                       "[pipeline.decoder]\ntype = \"Decoder\"\n[pipeline.loss]\ntype = \"Loss\"\n"
                       "[pipeline.scores]\ntype = \"Scores\"\nstreams = { targets = \"ids\" }\n" +
                       ends,
                   catalog)
            .problems;
    };
    const std::string ends = "end_words = [\"<EOS>\"]\n";
    CHECK(problems("", ends) ==
          "e.toml:4:1: warning: pipeline.indexer: ends no sentence with \"<EOS>\", which 'scores' "
          "(Scores) takes as the end: what is trained with these targets never ends one\n"
          "    fix: set pipeline.indexer.eos_token = true");
    CHECK(problems("eos_token = true\n", ends) == "");
    CHECK(problems("", "end_words = [\".\"]\n") == "");
    CHECK(problems("", "") == "");
}

}  // namespace padding_test
