#include "support.hpp"

namespace stream_viewer_test {

namespace {

ptp_step step(uint64_t episode, uint64_t batch_size) {
    ptp_step result = test::Component::first_step();
    result.episode = episode;
    result.batch_size = batch_size;
    return result;
}

test::Slots some_targets() {
    test::Slots inputs;
    inputs["targets"] = test::integers({3, 1, 4});
    return inputs;
}

}  // namespace

TEST_CASE("StreamViewer: logs every kind of stream of one sample, readably") {
    auto viewer = test::build(
        "viewers", "StreamViewer",
        "input_streams = [\"targets\", \"scores\", \"inputs\", \"labels\", \"words\", \"loss\"]\n"
        "sample_number = 1",
        {.elements = {{"targets", PTP_INTEGER}, {"labels", PTP_STRING}, {"words", PTP_TOKENS}}});
    test::Slots inputs;
    inputs["targets"] = test::integers({3, 1});
    inputs["scores"] = test::floats({0, 0, 0.25, -2}, {2, 2});
    inputs["inputs"] = torch::arange(2 * 25, torch::kFloat).reshape({2, 1, 5, 5});
    inputs["labels"] = std::vector<std::string>{"cat", "dog"};
    inputs["words"] = std::vector<std::vector<std::string>>{{}, {"a", "b c"}};
    inputs["loss"] = torch::tensor(0.5);
    viewer.run(std::move(inputs), step(0, 2));
    REQUIRE(viewer.log_lines().size() == 1);
    CHECK(viewer.log_lines()[0] ==
          "training, episode 0, sample 1 of 2\n"
          "  targets: 1\n"
          "  scores: [0.25, -2]\n"
          "  inputs: [1, 5, 5], 25 to 49, mean 37\n"
          "  labels: \"dog\"\n"
          "  words: \"a\" \"b c\"\n"
          "  loss: 0.5");
}

TEST_CASE("StreamViewer: shows every N episodes") {
    auto viewer = test::build("viewers", "StreamViewer",
                              "input_streams = \"targets\"\nsample_number = 0\ninterval = 2");
    for (uint64_t episode = 0; episode < 5; ++episode) {
        viewer.run(some_targets(), step(episode, 3));
    }
    CHECK(viewer.log_lines().size() == 3);
}

TEST_CASE("StreamViewer: outside training it shows the first batch of the pass") {
    auto viewer =
        test::build("viewers", "StreamViewer", "input_streams = \"targets\"\nsample_number = 2");
    ptp_step validation = step(7, 3);
    validation.is_training = 0;
    validation.section = "validation";
    viewer.run(some_targets(), validation);
    validation.batch_index = 1;
    viewer.run(some_targets(), validation);
    REQUIRE(viewer.log_lines().size() == 1);
    CHECK(viewer.log_lines()[0] == "validation, episode 7, sample 2 of 3\n  targets: 4");
}

TEST_CASE("StreamViewer: a sample that the batch does not have is said to be missing") {
    auto viewer =
        test::build("viewers", "StreamViewer", "input_streams = \"targets\"\nsample_number = 3");
    viewer.run(some_targets(), step(0, 3));
    CHECK(viewer.log_lines().at(0) == "training, episode 0, sample 3 of 3: not in this batch");
}

TEST_CASE("StreamViewer: random samples come from the component's own generator") {
    const auto lines = [](uint64_t seed) {
        auto viewer = test::build("viewers", "StreamViewer",
                                  "input_streams = \"targets\"\ninterval = 1", {.seed = seed});
        for (uint64_t episode = 0; episode < 8; ++episode) {
            viewer.run(some_targets(), step(episode, 3));
        }
        return viewer.log_lines();
    };
    CHECK(lines(1) == lines(1));
    CHECK(lines(1) != lines(2));
}

TEST_CASE("StreamViewer: streams that a section lacks are left out, which is logged once") {
    auto viewer = test::build("viewers", "StreamViewer",
                              "input_streams = [\"labels\", \"targets\"]\nsample_number = 0\n"
                              "interval = 1\nskip_missing_streams = true",
                              {.elements = {{"targets", PTP_INTEGER}, {"labels", PTP_STRING}},
                               .optional_inputs = {"inputs"}});
    for (uint64_t episode = 0; episode < 2; ++episode) {
        test::Slots inputs = some_targets();
        inputs["labels"] = std::vector<std::string>();
        viewer.run(std::move(inputs), step(episode, 3));
    }
    CHECK(viewer.log_lines() ==
          std::vector<std::string>{"[training] has no stream 'labels': it continues without",
                                   "training, episode 0, sample 0 of 3\n  targets: 3",
                                   "training, episode 1, sample 0 of 3\n  targets: 3"});
}

}  // namespace stream_viewer_test
