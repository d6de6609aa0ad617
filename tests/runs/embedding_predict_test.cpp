// libptp: trained components that a program feeds.

#include "runs/embedding_support.hpp"
#include "runs/predictions.hpp"

#include <doctest/doctest.h>
#include <pthread.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace embedding_predict_test {

using namespace ptp::test;

namespace {

const int kIsOneThread = setenv("OMP_NUM_THREADS", "1", 1);

std::vector<int64_t> indices_of(const Embedded& one) {
    DLManagedTensor* tensor = nullptr;
    REQUIRE(ptp_experiment_read(one.experiment, "indices", &tensor) == PTP_RESULT_DONE);
    const auto* first = static_cast<const int64_t*>(tensor->dl_tensor.data);
    std::vector<int64_t> indices(first, first + tensor->dl_tensor.shape[0]);
    tensor->deleter(tensor);
    return indices;
}

// As long as it lives no thread can be started: its stack is larger than any address space.
class NoThreads {
public:
    NoThreads() {
        pthread_getattr_default_np(&before_);
        pthread_attr_t large;
        pthread_attr_init(&large);
        pthread_attr_setstacksize(&large, std::size_t{1} << 47);
        pthread_setattr_default_np(&large);
        pthread_attr_destroy(&large);
    }
    ~NoThreads() {
        pthread_setattr_default_np(&before_);
        pthread_attr_destroy(&before_);
    }
    NoThreads(const NoThreads&) = delete;
    NoThreads& operator=(const NoThreads&) = delete;

private:
    pthread_attr_t before_{};
};

}  // namespace

TEST_CASE("libptp: predictions for what is fed are those of ptprun predict for these samples") {
    const ExperimentFolder folder;
    Embedded one(folder.write(), {.run_folder = folder.run_folder("run")});
    REQUIRE(ptp_experiment_run(one.experiment) == PTP_RESULT_DONE);
    const std::vector<float> pixels = one.read("inputs");
    const std::vector<int64_t> indices = indices_of(one);
    REQUIRE(indices.size() == 8);
    REQUIRE(pixels.size() == 32);
    const std::vector<float> predictions = predict(one, pixels);
    REQUIRE(predictions.size() == 80);

    const auto table = ptp::test::rows_of(
        ptp::test::predict({folder.run_folder("run"), "--data", "training", "--quiet"}).output);
    REQUIRE(table.size() == 48);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        float best = predictions[10 * i];
        for (std::size_t k = 1; k < 10; ++k) {
            best = std::max(best, predictions[10 * i + k]);
        }
        const auto& row = table[static_cast<std::size_t>(indices[i])];
        CHECK(std::exp(best) == doctest::Approx(std::stod(row.at("score"))).epsilon(1e-6));
    }
    // The loss has no targets.
    DLManagedTensor* loss = nullptr;
    CHECK(ptp_experiment_read(one.experiment, "loss", &loss) == PTP_RESULT_CONFIGURATION);
    CHECK(one.error() ==
          "the stream 'loss' has no value: what it is computed from was not fed, or nothing was "
          "computed yet");
}

TEST_CASE("libptp: a run predicts without its data, with the bits of the program that trained it") {
    const ExperimentFolder folder;
    std::vector<float> pixels;
    std::vector<float> expected;
    {
        Embedded trained(folder.write(), {.run_folder = folder.run_folder("run")});
        REQUIRE(ptp_experiment_run(trained.experiment) == PTP_RESULT_DONE);
        pixels = trained.read("inputs");
        expected = predict(trained, pixels);
    }
    std::filesystem::remove_all(folder.path() / "data");
    Embedded run(folder.run_folder("run"));
    REQUIRE(run.opened == PTP_RESULT_DONE);
    CHECK(predict(run, pixels) == expected);
    // Another batch, smaller: its first two images.
    const std::vector<float> two = predict(run, {pixels.begin(), pixels.begin() + 8});
    REQUIRE(two.size() == 20);
    for (std::size_t i = 0; i < two.size(); ++i) {
        CHECK(two[i] == doctest::Approx(expected[i]).epsilon(1e-6));
    }
    int32_t is_running = 1;
    CHECK(ptp_experiment_step(run.experiment, &is_running) == PTP_RESULT_MISUSE);
    CHECK(run.error() == folder.run_folder("run") +
                             " is a run, which predicts here: open its experiment.toml to train "
                             "anew, or continue it by ptp_experiment_resume() or ptprun resume");
}

TEST_CASE("libptp: what is fed passes through a component of the training alone") {
    const ExperimentFolder folder({.pipeline = "[pipeline.squash]\ntype = \"Sigmoid\"\n"
                                               "phases = [\"training\"]\npass_through = true\n"
                                               "streams = { inputs = \"features\", outputs = "
                                               "\"squashed\" }\n",
                                   .source = "squashed"});
    REQUIRE(folder.run("run").status == 0);
    const std::vector<float> image = {0.1f, 0.2f, 0.3f, 0.4f};
    const auto fed = [&](const std::string& set) {
        const Embedded one(folder.run_folder("run"), {.set = {set}});
        const std::vector<float> predictions = predict(one, image);
        CHECK(one.error() == "");
        return predictions;
    };
    const std::vector<float> passed = fed("test.task.batch_size=1");
    REQUIRE(passed.size() == 10);
    CHECK(passed == fed("pipeline.net.streams.inputs=\"features\""));
    CHECK(passed != fed("pipeline.squash.phases=[\"predict\"]"));
}

TEST_CASE("libptp: what is fed may begin at an offset, and is refused where it has no data") {
    const ExperimentFolder folder;
    Embedded one(folder.write(), {.run_folder = folder.run_folder("run")});
    REQUIRE(ptp_experiment_run(one.experiment) == PTP_RESULT_DONE);
    const std::vector<float> image = {0.1f, 0.9f, 0.3f, 0.7f};
    const std::vector<float> expected = predict(one, image);
    REQUIRE(expected.size() == 10);
    std::vector<float> memory = {5, 6, 7, 0.1f, 0.9f, 0.3f, 0.7f};
    int64_t shape[] = {1, 1, 2, 2};
    DLTensor tensor{memory.data(), {kDLCPU, 0}, 4, {kDLFloat, 32, 1}, shape, nullptr, 0};
    REQUIRE(ptp_experiment_feed(one.experiment, "inputs", &tensor) == PTP_RESULT_DONE);
    REQUIRE(ptp_experiment_predict(one.experiment) == PTP_RESULT_DONE);
    CHECK(one.read("predictions") != expected);
    tensor.byte_offset = 3 * sizeof(float);
    REQUIRE(ptp_experiment_feed(one.experiment, "inputs", &tensor) == PTP_RESULT_DONE);
    REQUIRE(ptp_experiment_predict(one.experiment) == PTP_RESULT_DONE);
    CHECK(one.read("predictions") == expected);

    int64_t strides[] = {4, 4, 2, -1};
    tensor.strides = strides;
    CHECK(ptp_experiment_feed(one.experiment, "inputs", &tensor) == PTP_RESULT_DATA);
    CHECK(one.error() ==
          "cannot feed the stream 'inputs': strides[3] is -1: a tensor has no negative strides; "
          "feed a copy (numpy: np.ascontiguousarray)");
    strides[3] = INT64_MAX;
    CHECK(ptp_experiment_feed(one.experiment, "inputs", &tensor) == PTP_RESULT_DATA);
    CHECK(one.error() ==
          "cannot feed the stream 'inputs': its shape and strides reach beyond any memory");
    shape[2] = -2;
    CHECK(ptp_experiment_feed(one.experiment, "inputs", &tensor) == PTP_RESULT_DATA);
    CHECK(one.error() == "cannot feed the stream 'inputs': shape[2] is -2, must be 0 or more");
    shape[2] = 2;
    tensor.strides = nullptr;
    REQUIRE(ptp_experiment_feed(one.experiment, "inputs", &tensor) == PTP_RESULT_DONE);

    tensor.data = nullptr;
    CHECK(ptp_experiment_feed(one.experiment, "inputs", &tensor) == PTP_RESULT_DATA);
    CHECK(
        one.error() ==
        "cannot feed the stream 'inputs': its tensor has elements, but its 'data' is NULL; set it "
        "to where they are");
    shape[0] = 0;
    CHECK(ptp_experiment_feed(one.experiment, "inputs", &tensor) == PTP_RESULT_DATA);
    CHECK(one.error() == "cannot feed the stream 'inputs': it has no samples; feed one at least");
    tensor.shape = nullptr;
    CHECK(ptp_experiment_feed(one.experiment, "inputs", &tensor) == PTP_RESULT_DATA);
    CHECK(one.error() ==
          "cannot feed the stream 'inputs': its tensor has no shape; set 'ndim' and 'shape'");
}

TEST_CASE("libptp: what cannot be fed is refused with its stream and the reason") {
    const ExperimentFolder folder;
    Embedded one(folder.write(), {.run_folder = folder.run_folder("run")});
    const std::vector<float> image = {0.1f, 0.2f, 0.3f, 0.4f};
    CHECK(feed(one, image, {1, 1, 2, 2}) == PTP_RESULT_CONFIGURATION);
    CHECK(one.error() ==
          "no trained weights for 'net' (FeedForwardNetwork): this is an experiment, not a run\n"
          "    fix: name the folder of a run in place of the experiment; or of a checkpoint with "
          "weights: --checkpoint FOLDER");
    REQUIRE(ptp_experiment_run(one.experiment) == PTP_RESULT_DONE);
    CHECK(feed(one, image, {1, 1, 2, 2}, "input") == PTP_RESULT_CONFIGURATION);
    CHECK(
        one.error() ==
        "cannot feed 'input': the task of [test] (FashionMNIST) writes no such stream; did you mean "
        "'inputs'?");
    CHECK(feed(one, image, {1, 1, 4, 1}) == PTP_RESULT_DATA);
    CHECK(
        one.error() ==
        "cannot feed the stream 'inputs': it has the shape [B, 1, image_height = 2, image_width = 2], "
        "and the value [1, 1, 4, 1]");
    CHECK(feed(one, image, {4}, "targets") == PTP_RESULT_DATA);
    CHECK(one.error() ==
          "cannot feed the stream 'targets': it is a tensor of signed integers, not of Float");
    CHECK(feed(one, image, {4}, "labels") == PTP_RESULT_DATA);
    CHECK(one.error() == "cannot feed the stream 'labels': it has strings, not a tensor");
    const char* const names[] = {"Dress", "Trouser"};
    CHECK(ptp_experiment_feed_strings(one.experiment, "inputs", names, 2) == PTP_RESULT_DATA);
    CHECK(one.error() == "cannot feed the stream 'inputs': it is not a stream of strings");
    CHECK(ptp_experiment_predict(one.experiment) == PTP_RESULT_CONFIGURATION);
    CHECK(one.error() == "nothing was fed");
    REQUIRE(feed(one, image, {1, 1, 2, 2}) == PTP_RESULT_DONE);
    REQUIRE(ptp_experiment_feed_strings(one.experiment, "labels", names, 2) == PTP_RESULT_DONE);
    CHECK(ptp_experiment_predict(one.experiment) == PTP_RESULT_DATA);
    CHECK(one.error() ==
          "the fed streams have different numbers of samples: 'inputs' has 1, 'labels' has 2");
    REQUIRE(ptp_experiment_feed_strings(one.experiment, "labels", names, 1) == PTP_RESULT_DONE);
    CHECK(ptp_experiment_predict(one.experiment) == PTP_RESULT_DONE);
    const char* const* read = nullptr;
    size_t count = 0;
    REQUIRE(ptp_experiment_read_strings(one.experiment, "labels", &read, &count) ==
            PTP_RESULT_DONE);
    REQUIRE(count == 1);
    CHECK(std::string(read[0]) == "Dress");
    CHECK(ptp_experiment_read_strings(one.experiment, "predictions", &read, &count) ==
          PTP_RESULT_MISUSE);
    CHECK(one.error() == "it is a stream of a tensor: ptp_experiment_read() reads it");
}

TEST_CASE("libptp: where no thread can be started nothing has begun, and a later step trains") {
    const ExperimentFolder folder;
    const auto file = folder.write();
    Embedded one(file, {.run_folder = folder.run_folder("one")});
    Embedded other(file, {.run_folder = folder.run_folder("other")});
    {
        const NoThreads none;
        CHECK(ptp_experiment_run(one.experiment) == PTP_RESULT_TRAINING);
    }
    CHECK(one.error() ==
          "the thread that computes cannot be started: Resource temporarily unavailable; end other "
          "processes or threads, or raise their limits (ulimit -u, ulimit -v)");
    CHECK(ptp_experiment_run(other.experiment) == PTP_RESULT_DONE);  // the turn was given back
    CHECK(one.steps(1) == 1);                                        // an episode, not all of them
    CHECK(ptp_experiment_run(one.experiment) == PTP_RESULT_DONE);
    const std::vector<float> image = {0.1f, 0.2f, 0.3f, 0.4f};
    {
        const NoThreads none;
        CHECK(feed(one, image, {1, 1, 2, 2}) == PTP_RESULT_TRAINING);
    }
    Embedded next(file, {.run_folder = folder.run_folder("next")});
    CHECK(ptp_experiment_run(next.experiment) == PTP_RESULT_DONE);
    CHECK(predict(one, image).size() == 10);
}

TEST_CASE("libptp: models predict side by side, in threads of their own, as each does alone") {
    const ExperimentFolder folder;
    const auto file = folder.write();
    REQUIRE(folder.run("one").status == 0);
    REQUIRE(folder.run("other", {"--set", "seed=8"}).status == 0);
    const std::vector<float> image = {0, 0.25F, 0.5F, 1};
    const std::vector<std::string> runs = {folder.run_folder("one"), folder.run_folder("other")};
    std::vector<std::vector<float>> alone;
    for (const std::string& run : runs) {
        const Embedded model(run);
        alone.push_back(predict(model, image));
    }
    REQUIRE(alone[0].size() == 10);
    REQUIRE(alone[0] != alone[1]);

    const Embedded one(runs[0]);
    const Embedded other(runs[1]);
    std::vector<int> same(2);
    const auto use = [&](const Embedded& model, std::size_t place) {
        for (int i = 0; i < 50; ++i) {
            same[place] += predict(model, image) == alone[place] ? 1 : 0;
        }
    };
    std::thread beside([&] { use(one, 0); });
    use(other, 1);
    beside.join();
    CHECK(same == std::vector<int>{50, 50});

    Embedded training(file, {.run_folder = folder.run_folder("training")});
    int32_t is_running = 0;
    CHECK(ptp_experiment_step(training.experiment, &is_running) == PTP_RESULT_MISUSE);
    CHECK(predict(one, image) == alone[0]);
}

TEST_CASE("libptp: no model predicts while a training waits between its steps") {
    const ExperimentFolder folder;
    const auto file = folder.write();
    REQUIRE(folder.run("one").status == 0);
    Embedded training(file, {.run_folder = folder.run_folder("training")});
    CHECK(training.steps(1) == 1);
    const Embedded one(folder.run_folder("one"));
    const std::vector<float> image = {0, 0.25F, 0.5F, 1};
    CHECK(feed(one, image, {1, 1, 2, 2}) == PTP_RESULT_MISUSE);
    CHECK(one.error() ==
          "another experiment of this process is open in the middle of its training or prediction; "
          "close it, or run a training to its end");
    CHECK(ptp_experiment_run(training.experiment) == PTP_RESULT_DONE);
    CHECK(predict(one, image).size() == 10);
}

TEST_CASE("libptp: what was fed to a stream is taken away") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("run").status == 0);
    const Embedded one(folder.run_folder("run"));
    const std::vector<float> image = {0, 0.25F, 0.5F, 1};
    CHECK(ptp_experiment_feed(one.experiment, "labels", nullptr) == PTP_RESULT_MISUSE);
    CHECK(one.error() == "nothing was fed");
    const std::vector<float> alone = predict(one, image);
    const char* labels[] = {"a", "b"};
    REQUIRE(ptp_experiment_feed_strings(one.experiment, "labels", labels, 2) == PTP_RESULT_DONE);
    CHECK(predict(one, image).empty());
    CHECK(one.error() ==
          "the fed streams have different numbers of samples: 'inputs' has 1, 'labels' has 2");
    CHECK(ptp_experiment_feed(one.experiment, "labels", nullptr) == PTP_RESULT_DONE);
    CHECK(predict(one, image) == alone);
    CHECK(ptp_experiment_feed(one.experiment, "label", nullptr) == PTP_RESULT_CONFIGURATION);
}

TEST_CASE("libptp: lists the streams that it is fed and that it predicts") {
    const ExperimentFolder folder;
    const Embedded one(folder.write());
    const ptp_stream* streams = nullptr;
    std::size_t count = 0;
    REQUIRE(ptp_experiment_streams(one.experiment, &streams, &count) == PTP_RESULT_DONE);
    std::string listed;
    for (std::size_t i = 0; i < count; ++i) {
        const ptp_stream& stream = streams[i];
        listed += std::string(stream.name) + " " + stream.element + " " + stream.shape +
                  (stream.is_fed != 0 ? " fed" : "") + (stream.is_needed != 0 ? " needed" : "") +
                  (stream.is_predicted != 0 ? " predicted" : "") + "\n";
    }
    CHECK(listed ==
          "inputs float [B, 1, image_height = 2, image_width = 2] fed needed\n"
          "targets integer [B] fed\n"
          "labels string [B] fed\n"
          "predictions float [B, prediction_size = 10] predicted\n");
}

TEST_CASE("libptp: lists the statistics of an episode, once there is one") {
    const ExperimentFolder folder;
    Embedded one(folder.write(), {.run_folder = folder.run_folder("run")});
    const char* const* names = nullptr;
    std::size_t count = 0;
    CHECK(ptp_experiment_statistics(one.experiment, &names, &count) == PTP_RESULT_MISUSE);
    CHECK(one.error() == "no episode has run yet");
    one.steps(1);
    REQUIRE(ptp_experiment_statistics(one.experiment, &names, &count) == PTP_RESULT_DONE);
    std::string listed;
    for (std::size_t i = 0; i < count; ++i) {
        listed += std::string(names[i]) + " ";
        double value = 0;
        CHECK(ptp_experiment_statistic(one.experiment, names[i], &value) == PTP_RESULT_DONE);
    }
    CHECK(listed == "loss accuracy learning_rate ");
}

}  // namespace embedding_predict_test
