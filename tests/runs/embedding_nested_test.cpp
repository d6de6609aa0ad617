// libptp: a component that predicts or trains with another experiment while it computes.

#include "runs/embedding_support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace embedding_nested_test {

using namespace ptp::test;

namespace {

const int kIsOneThread = setenv("OMP_NUM_THREADS", "1", 1);

// Returns the result of work that does not wait forever. Where it does, the test program ends,
// because nothing that the work uses can be destroyed.
std::string result_of(const std::function<std::string()>& work) {
    std::packaged_task<std::string()> task(work);
    std::future<std::string> result = task.get_future();
    std::thread thread(std::move(task));
    if (result.wait_for(std::chrono::minutes(2)) != std::future_status::ready) {
        std::fputs("the component waits forever\n", stderr);
        std::_Exit(1);
    }
    thread.join();
    return result.get();
}

// A run, and an experiment with a component that asks it.
class Consultation {
public:
    Consultation() {
        folder_.write();
        REQUIRE(folder_.run("asked").status == 0);
        file_ =
            folder_.write({.pipeline = "[pipeline.consult]\ntype = \"Consult\"\n"
                                       "streams = { inputs = \"features\", outputs = \"seen\" }\n",
                           .source = "seen"});
    }

    [[nodiscard]] std::string asked() const { return folder_.run_folder("asked"); }

    // Opens the experiment, with a value of a setting of the component.
    [[nodiscard]] std::unique_ptr<Embedded> asking(const std::string& value) const {
        return std::make_unique<Embedded>(
            file_, Embedded::Options{
                       .set = {"pipeline.consult." + value},
                       .run_folder = folder_.run_folder("asking"),
                       .checkpoint = folder_.run_folder("asked/checkpoints/best"),
                       .plugins = {(ptp::test::build_dir() / "tests/runs/consulting").string()}});
    }

private:
    ExperimentFolder folder_;
    std::filesystem::path file_;
};

constexpr const char* kMisuse =
    "a component has called it while it computes itself: one experiment of a process computes at a "
    "time, and the component would wait for its own end\n    fix: let the program that embeds "
    "libptp predict first, and feed the result to a stream that the component reads; or let the "
    "component start a process that predicts";

// Leaves out the place in the experiment.
std::string without_place(const std::string& error) {
    return error.substr(error.find("'consult' (Consult): "));
}

const std::vector<float> kImage = {0, 0.25F, 0.5F, 1};

std::string error_of_prediction(const Embedded& asking) {
    return result_of([&] {
        const bool is_fed = feed(asking, kImage, {1, 1, 2, 2}) == PTP_RESULT_DONE;
        return is_fed && ptp_experiment_predict(asking.experiment) == PTP_RESULT_DATA
                   ? without_place(asking.error())
                   : "not as expected: " + asking.error();
    });
}

}  // namespace

TEST_CASE("libptp: a component that predicts with another model gets an error, and does not wait") {
    const Consultation all;
    const auto asking = all.asking("run=\"" + all.asked() + "\"");
    REQUIRE(asking->error() == "");
    CHECK(error_of_prediction(*asking) == std::string("'consult' (Consult): 64, 64: ") + kMisuse);
    // The program itself may ask both.
    const Embedded asked(all.asked());
    CHECK(predict(asked, kImage).size() == 10);
}

TEST_CASE("libptp: a component is refused a model that the program has begun, and may close it") {
    const Consultation all;
    ptp_experiment* begun = nullptr;
    REQUIRE(ptp_experiment_open(all.asked().c_str(), nullptr, &begun) == PTP_RESULT_DONE);
    std::vector<float> pixels = kImage;
    std::vector<int64_t> shape = {1, 1, 2, 2};
    const DLTensor image{pixels.data(), {kDLCPU, 0}, 4, {kDLFloat, 32, 1},
                         shape.data(),  nullptr,     0};
    REQUIRE(ptp_experiment_feed(begun, "inputs", &image) == PTP_RESULT_DONE);
    const auto asking =
        all.asking("opened=" + std::to_string(reinterpret_cast<std::intptr_t>(begun)));
    CHECK(error_of_prediction(*asking) == std::string("'consult' (Consult): 64, 64: ") + kMisuse);
}

TEST_CASE("libptp: a component of a training that predicts with another model gets the error") {
    const Consultation all;
    const auto asking = all.asking("run=\"" + all.asked() + "\"");
    CHECK(result_of([&] {
              return ptp_experiment_run(asking->experiment) == PTP_RESULT_DATA
                         ? without_place(asking->error())
                         : "not as expected: " + asking->error();
          }) == std::string("'consult' (Consult): 64, 64: ") + kMisuse);
}

TEST_CASE("libptp: what a model has set about determinism is not what the next computes with") {
    const ExperimentFolder folder;
    const std::string plugins = (ptp::test::build_dir() / "tests/runs/consulting").string();
    folder.write({.pipeline = "[pipeline.determined]\ntype = \"Determined\"\n"
                              "phases = [\"predict\"]\npass_through = true\n"
                              "streams = { inputs = \"features\", outputs = \"seen\" }\n",
                  .source = "seen"});
    REQUIRE(folder.run("run", {"--plugins", plugins}).status == 0);
    const Embedded one(folder.run_folder("run"), {.plugins = {plugins}});
    const Embedded other(folder.run_folder("run"), {.plugins = {plugins}});
    for (int i = 0; i < 2; ++i) {
        for (const Embedded* model : {&one, &other}) {
            CHECK(predict(*model, kImage).size() == 10);
            CHECK(model->error() == "");
        }
    }
}

}  // namespace embedding_nested_test
